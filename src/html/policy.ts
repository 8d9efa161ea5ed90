// What a content security policy names a style or a script by that stands in the page itself.
import { createHash } from 'node:crypto';

/** The source expression that allows exactly this text. */
export const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
