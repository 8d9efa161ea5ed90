// The cardholder's browser as the directory is told of it: named by the merchant, or collected by our device-data page.
import { maskPansIn } from '../../base/index.ts';
import type { WindowSize } from './carrier.ts';

type Value = string | number | boolean;

/** `secure3d.browser_details` of the contract. Zero and false are values. */
export interface BrowserDetails {
  readonly browser_accept_header?: Value;
  readonly browser_color_depth?: Value;
  readonly browser_ip?: Value;
  readonly browser_language?: Value;
  readonly browser_screen_height?: Value;
  readonly browser_screen_width?: Value;
  readonly browser_timezone?: Value;
  readonly browser_user_agent?: Value;
  readonly browser_java_enabled?: Value;
  readonly window_height?: Value;
  readonly window_width?: Value;
}

/** Widths and heights of the EMV window sizes that are not the full page, largest first. */
const SIZES: readonly (readonly [WindowSize, number, number])[] = [
  ['04', 600, 400],
  ['03', 500, 600],
  ['02', 390, 400],
  ['01', 250, 400],
];

/** The largest challenge window that fits the frame that the merchant describes; without a description the full page. */
export function windowSizeOf(browser: BrowserDetails | null): WindowSize {
  const width = Number(browser?.window_width ?? 0);
  const height = Number(browser?.window_height ?? 0);
  if (!(width > 0 && height > 0) || (width >= 700 && height >= 600)) return '05';
  return SIZES.find(([, w, h]) => w <= width && h <= height)?.[0] ?? '01';
}

/** What the device-data page asks a browser for, and the form that each answer must have to be kept. */
export const collectedFields = {
  browser_color_depth: /^\d{1,2}$/,
  browser_language: /^[A-Za-z0-9-]{1,35}$/,
  browser_screen_height: /^\d{1,6}$/,
  browser_screen_width: /^\d{1,6}$/,
  browser_timezone: /^-?\d{1,4}$/,
  browser_java_enabled: /^(true|false)$/,
  window_height: /^\d{1,6}$/,
  window_width: /^\d{1,6}$/,
} as const;

/** Printable ASCII of a header, cut to length, card numbers masked. */
const headerText = (text: string | undefined): string =>
  maskPansIn((text ?? '').replace(/[^\x20-\x7e]/g, '').slice(0, 1024));

export interface Visit {
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly accept: string | undefined;
}

/** What a browser's post tells of it; answers of another form than asked are dropped, for the browser is not to be trusted. */
export function browserOf(answers: Readonly<Record<string, unknown>>, visit: Visit): BrowserDetails {
  const kept: Record<string, string> = {
    browser_ip: visit.ip,
    browser_user_agent: headerText(visit.userAgent),
    browser_accept_header: headerText(visit.accept),
  };
  for (const [name, form] of Object.entries(collectedFields)) {
    const answer = answers[name];
    if (typeof answer === 'string' && form.test(answer)) kept[name] = answer;
  }
  return kept;
}
