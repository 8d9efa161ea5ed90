// Is this form ours, and was it made for the browser that sends it? The page's address is a secret of its own; this stands against other
// sites that know it. Rule: no session: the cookie is a random value, and the form's token a keyed hash over it, the page, the hour and a
// random value of the form, which tells a form that is sent twice from two forms.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock, Random } from '../../base/index.ts';

export interface FormTokenOptions {
  readonly keyed: (purpose: string, data: string) => Buffer;
  readonly random: Random;
  /** Of the machine: a sandbox's clock may leap while somebody types. */
  readonly clock: Clock;
  /** Without trailing slash. */
  readonly publicUrl: string;
}

const HOUR_MS = 3_600_000;
/** A form is good for its own hour and so many after it. */
const GOOD_HOURS = 12;
const VALUE = /^[A-Za-z0-9_-]{22}$/;

export interface FormTokens {
  /** For a page about to be shown: the token of its form, and the cookie to be set if the browser has none. */
  issue(
    page: string,
    headers: IncomingHttpHeaders,
    framed: boolean,
  ): { readonly token: string; readonly cookie: string | null };
  /** The browser that a form was made for, while it keeps our cookie; null: no form of ours. */
  sessionOf(token: string): string | null;
  /** May this form be acted on? */
  accepts(page: string, headers: IncomingHttpHeaders, token: string): boolean;
}

export function formTokens({ keyed, random, clock, publicUrl }: FormTokenOptions): FormTokens {
  const { origin, protocol } = new URL(publicUrl);
  const secure = protocol === 'https:';
  // The prefix makes browsers refuse it from a subdomain or over plain http (RFC 6265bis, 4.1.3.2).
  const name = secure ? '__Host-florin-pay' : 'florin-pay';
  const hourNow = (): number => Math.floor(clock.now().getTime() / HOUR_MS);
  const cookieOf = ({ cookie }: IncomingHttpHeaders): string | null => {
    for (const part of (cookie ?? '').split(';')) {
      const [key, value = ''] = part.trim().split('=');
      if (key === name && VALUE.test(value)) return value;
    }
    return null;
  };
  const macOf = (page: string, cookie: string, form: string, hour: number): string =>
    keyed('page-form', `${page}/${cookie}/${form}/${hour}`).subarray(0, 16).toString('base64url');

  return {
    issue(page, headers, framed) {
      const known = cookieOf(headers);
      const value = known ?? random.bytes(16).toString('base64url');
      const form = random.bytes(16).toString('base64url');
      // In a frame of another site a cookie is kept apart for that site, or not at all.
      const site = framed && secure ? 'SameSite=None; Partitioned' : 'SameSite=Lax';
      return {
        token: `${hourNow()}.${value}.${form}.${macOf(page, value, form, hourNow())}`,
        cookie: known ? null : `${name}=${value}; Path=/; HttpOnly; ${site}${secure ? '; Secure' : ''}`,
      };
    },
    sessionOf(token) {
      const value = token.split('.')[1] ?? '';
      return VALUE.test(value) ? value : null;
    },
    accepts(page, headers, token) {
      const [hour = '', value = '', form = '', mac = ''] = token.split('.');
      if (!/^\d{1,9}$/.test(hour) || ![value, form, mac].every((part) => VALUE.test(part))) return false;
      const age = hourNow() - Number(hour);
      if (age < 0 || age > GOOD_HOURS) return false;
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(page, value, form, Number(hour))))) return false;
      // Browsers name the site that a post comes from; only ours may send one.
      const site = headers['sec-fetch-site'];
      if (site !== undefined && site !== 'same-origin') return false;
      if (headers.origin !== undefined && headers.origin !== origin) return false;
      // A browser that keeps no cookies here has none to be abused; then the origin has to speak.
      const cookie = cookieOf(headers);
      return cookie === null ? headers.origin === origin : cookie === value;
    },
  };
}
