// What a page template may be. Rule: only what is named here passes; colours reach a style sheet and the logo an attribute as they are.
import type { Problem } from '../../base/index.ts';
import { DEFAULT_TEMPLATE, FIELD_NAMES, type PageTemplate } from './template.ts';

type Given = Readonly<Record<string, unknown>>;

/** Bytes of a logo: with it a page is still one small answer. */
export const MAX_LOGO_BYTES = 12 * 1024;
export const MAX_RADIUS = 24;

/** WCAG 2.2, 1.4.3: text of normal size. */
const LEAST_CONTRAST = 4.5;

const COLOUR = /^#[0-9a-f]{6}$/i;
const LOGO = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

const startsWith = (bytes: Buffer, at: number, ...start: number[]): boolean =>
  start.every((byte, i) => bytes[at + i] === byte);

/** How a file of each kind begins: PNG (ISO 15948, 5.2), JPEG (T.81, SOI and the marker behind it), WebP (RFC 9649, 2.4). */
const BEGINNINGS: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  png: (bytes) => startsWith(bytes, 0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  jpeg: (bytes) => startsWith(bytes, 0, 0xff, 0xd8, 0xff),
  webp: (bytes) => startsWith(bytes, 0, 0x52, 0x49, 0x46, 0x46) && startsWith(bytes, 8, 0x57, 0x45, 0x42, 0x50),
};

function isLogo(value: unknown): boolean {
  if (value === null) return true;
  const [, kind = '', text = ''] = typeof value === 'string' ? (LOGO.exec(value) ?? []) : [];
  const bytes = Buffer.from(text, 'base64');
  // One text for the same bytes: nothing is hidden behind the padding.
  if (bytes.length > MAX_LOGO_BYTES || bytes.toString('base64') !== text) return false;
  return BEGINNINGS[kind]?.(bytes) ?? false;
}

const isOrderOfFields = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === FIELD_NAMES.length &&
  FIELD_NAMES.every((name) => value.filter((given) => given === name).length === 1);

interface Rule {
  readonly says: string;
  readonly accepts: (value: unknown) => boolean;
}

const colour: Rule = {
  says: 'a colour #rrggbb',
  accepts: (value) => typeof value === 'string' && COLOUR.test(value),
};

const rules: Readonly<Record<keyof PageTemplate, Rule>> = {
  brand: colour,
  ground: colour,
  paper: colour,
  ink: colour,
  logo: {
    says: `data:image/png, image/jpeg or image/webp in base64 that is such a picture, at most ${MAX_LOGO_BYTES} bytes`,
    accepts: isLogo,
  },
  fields: { says: `each of ${FIELD_NAMES.join(', ')} once`, accepts: isOrderOfFields },
  radius: {
    says: `a whole number, 0 to ${MAX_RADIUS}`,
    accepts: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_RADIUS,
  },
};

/** WCAG 2.2, "relative luminance". */
function luminance(text: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(text.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, "contrast ratio" of two colours `#rrggbb`: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Every wrong field of a template; fields that are not given are those of the default, and no field is null but the logo. */
export function templateProblems(given: Given): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof PageTemplate] : undefined;
    if (!rule) problems.push({ path: [name], message: 'Unknown property', details: [] });
    else if (value !== undefined && !rule.accepts(value))
      problems.push({ path: [name], message: 'Not allowed', details: [rule.says] });
  }
  const { ink = DEFAULT_TEMPLATE.ink, paper = DEFAULT_TEMPLATE.paper } = given;
  if (colour.accepts(ink) && colour.accepts(paper) && contrast(ink as string, paper as string) < LEAST_CONTRAST) {
    // Told at the field that was sent: the other one is the default's.
    const path = [given.ink === undefined ? 'paper' : 'ink'];
    problems.push({ path, message: 'Not readable', details: [`ink on paper with a contrast of ${LEAST_CONTRAST}:1`] });
  }
  return problems;
}
