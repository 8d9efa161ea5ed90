// Do payers get the pages that we wrote? What is served is compared with the inventory in manifest.json (PCI DSS 6.4.3 and 11.6.1).
// Rule: the manifest is written by people, never by this program: what it doesn't name is a difference, whatever made it.
import { createHash } from 'node:crypto';
import type { Log } from '../base/index.ts';
import { DEFAULT_TEMPLATE } from '../gateway/templates/index.ts';
import { previewPage } from './checkout/preview.ts';
import manifest from './manifest.json' with { type: 'json' };

/** A page as a browser gets it: names of header fields in small letters. */
export interface ServedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What is not as it should be: where, and how it should be or isn't. */
export interface Difference {
  readonly where: string;
  readonly expected: string;
  readonly found: string;
}

interface Authorized {
  readonly name: string;
  readonly sha256: string;
  readonly reason: string;
}

/** Where the page for the check is served. */
export const PREVIEW_PATH = '/pay/preview';

/** The page is the same at any time, so that every byte of it can be compared. */
const PREVIEW_AT = new Date('2026-01-01T12:00:00Z');
export const checkedPage = () => previewPage(DEFAULT_TEMPLATE, 'en', PREVIEW_AT);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');
const SHOWN = 200;
const NONE = 'nothing';
const short = (text: string | undefined): string => (text === undefined ? NONE : text.slice(0, SHOWN));

/** Texts between the tags of an element, tags with attributes as they are: those name what isn't ours. */
const textsOf = (page: string, tag: 'script' | 'style'): string[] =>
  [...page.matchAll(new RegExp(`<${tag}\\b([^>]*)>([\\s\\S]*?)</${tag}\\s*>`, 'gi'))].map(
    ([, attributes, text = '']) => (attributes === '' ? sha256(text) : `<${tag}${attributes}>`),
  );

const directivesOf = (policy: string | undefined): string[] =>
  (policy ?? '').split(';').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));

/** As many as there are more of, on either side. */
function compared(where: string, expected: readonly string[], found: readonly string[]): Difference[] {
  const missing = expected.filter((one) => !found.includes(one));
  const extra = found.filter((one) => !expected.includes(one));
  const differences = [
    ...missing.map((one) => ({ where, expected: short(one), found: NONE })),
    ...extra.map((one) => ({ where, expected: NONE, found: short(one) })),
  ];
  const sameNumber = differences.length > 0 || expected.length === found.length;
  return sameNumber ? differences : [{ where, expected: `${expected.length}`, found: `${found.length}` }];
}

const inventory = (list: readonly Authorized[]): string[] => list.map(({ sha256: hash }) => hash);

/** Where two texts part, with what stands there. */
function firstDifference(expected: string, found: string): Difference[] {
  if (expected === found) return [];
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at++;
  const around = (text: string): string => text.slice(at, at + 60) || NONE;
  return [{ where: `page, at character ${at}`, expected: around(expected), found: around(found) }];
}

/** Every difference between the page as it is served and as the manifest and this program say; empty: there is none. */
export async function checkPages(fetchPage: () => Promise<ServedPage>): Promise<readonly Difference[]> {
  const { status, headers, text } = await fetchPage();
  if (status !== 200) return [{ where: 'status', expected: '200', found: `${status} ${short(text)}`.trim() }];
  const fields = Object.entries<string>(manifest.headers).filter(([name, value]) => headers[name] !== value);
  return [
    ...compared('script', inventory(manifest.scripts), textsOf(text, 'script')),
    ...compared('style', inventory(manifest.styles), textsOf(text, 'style')),
    ...compared('content-security-policy', manifest.policy, directivesOf(headers['content-security-policy'])),
    ...fields.map(([name, value]) => ({ where: name, expected: value, found: short(headers[name]) })),
    ...manifest.absent
      .filter((name) => headers[name] !== undefined)
      .map((name) => ({ where: name, expected: NONE, found: short(headers[name]) })),
    ...firstDifference(checkedPage().html, text),
  ];
}

export interface WatchOptions {
  readonly fetchPage: () => Promise<ServedPage>;
  /** How many there were, each time. */
  readonly counted: (differences: number) => void;
  /** Port: what they are, each time, for who is told once. */
  readonly told: (differences: readonly Difference[]) => Promise<void>;
  readonly log: Log;
}

/** Looks, counts and calls out. */
export const pageWatch =
  ({ fetchPage, counted, told, log }: WatchOptions) =>
  async (): Promise<readonly Difference[]> => {
    const differences = await checkPages(fetchPage);
    counted(differences.length);
    for (const difference of differences) log.error({ difference }, 'the payment page is not served as it was written');
    await told(differences);
    return differences;
  };
