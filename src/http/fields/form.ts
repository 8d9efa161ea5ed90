// Forms that browsers post (application/x-www-form-urlencoded), for pages. Rule: what can't be stored reaches nobody: a value that is no
// clean text reads as one character that no field takes, so that the field is wrong by its own rule, and a name that isn't one is nobody's.
import type { FastifyInstance } from 'fastify';
import { isCleanText } from './json.ts';

/** U+FFFD, which decoders put where there was no character. */
const UNREADABLE = '\ufffd';

/** A name that stands more than once has all its values. */
export type Form = Readonly<Record<string, string | readonly string[]>>;

/** Reads the bodies of forms for everything that is registered on `app`. */
export function formBodies(app: FastifyInstance): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, readForm(body as Buffer)),
  );
}

export function readForm(body: Buffer): Form {
  const form = Object.create(null) as Record<string, string | string[]>;
  for (const part of body.toString('utf8').split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decode(part.slice(equals + 1));
    const known = form[name];
    if (name === UNREADABLE) continue;
    if (known === undefined) form[name] = value;
    else if (typeof known === 'string') form[name] = [known, value];
    else known.push(value);
  }
  return form;
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return isCleanText(decoded) && !decoded.includes(UNREADABLE) ? decoded : UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}
