// Credentials. Rule: nothing of the answer, its bytes or its time tells whether a login exists.
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { addressOf } from '../../base/index.ts';
import { Failure } from '../failure.ts';
import { type Rate, type RateLimiter, tooMany } from '../rates/index.ts';

/** What is known of a request before its body is read. */
export interface RequestHead {
  readonly headers: IncomingHttpHeaders;
  /** The client's address; that of the last untrusted hop when trusted proxies stand before us. */
  readonly remoteAddress: string;
  /** The fingerprint of the certificate that the connection has shown; null: none. Of the connection, never of a header. */
  readonly certificate: string | null;
}

/** How an API knows who is asking. Throws 401, 403 or 429. */
export interface Authentication<Principal> {
  check(head: RequestHead): Principal | Promise<Principal>;
  /** Security schemes of the API description (OpenAPI 3.1) by name; all of them are needed at once. */
  readonly schemes: Readonly<Record<string, object>>;
}

/** Compares a login and password with what is known; must do the same work for a login that doesn't exist. */
export type Authenticator<Principal> = (
  login: string,
  password: string,
  certificate: string | null,
) => Promise<Principal | null> | Principal | null;

export interface BasicOptions<Principal> {
  readonly authenticator: Authenticator<Principal>;
  /**
   * Wrong credentials from one address beyond this rate are 429 instead of 401. Right ones always pass: secrets are made by
   * machines and can't be guessed, and refusing them would let anyone behind the same address lock a shop out.
   */
  readonly failures: { readonly limiter: RateLimiter; readonly rate: Rate } | null;
  /** Told of every refusal, for the audit log; the login is null when none was readable. */
  readonly onRefused?: (remoteAddress: string, login: string | null) => void;
}

/** HTTP Basic (RFC 7617), charset UTF-8. */
export function basicAuthentication<Principal>(options: BasicOptions<Principal>): Authentication<Principal> {
  const { authenticator, failures, onRefused } = options;
  const refusal = async (head: RequestHead, login: string | null): Promise<Failure> => {
    onRefused?.(head.remoteAddress, login);
    const taken = await failures?.limiter.take(networkOf(head.remoteAddress), failures.rate);
    return taken && !taken.allowed ? tooMany(taken) : new Failure('unauthenticated');
  };
  return {
    async check(head) {
      const given = basicCredentials(head.headers.authorization);
      if (!given) throw await refusal(head, null);
      const principal = await authenticator(given.login, given.password, head.certificate);
      if (principal === null) throw await refusal(head, given.login);
      return principal;
    },
    schemes: { basic: { type: 'http', scheme: 'basic', description: 'Login and secret of the project.' } },
  };
}

const BASIC = /^basic +((?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?)$/i;

/** Login and password of an Authorization field; null for anything that isn't exactly what RFC 7617 describes. */
export function basicCredentials(field: string | undefined): { login: string; password: string } | null {
  const encoded = field && field.length <= 1024 ? BASIC.exec(field)?.[1] : undefined;
  if (!encoded) return null;
  const bytes = Buffer.from(encoded, 'base64');
  // Bits behind the last byte would be a second spelling of the same credentials.
  if (!isUtf8(bytes) || bytes.toString('base64') !== encoded) return null;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || /\p{Cc}/u.test(text)) return null;
  return { login: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** What one party holds as its own: an IPv4 address, the /64 of an IPv6 address. */
export const networkOf = (address: string): string => addressOf(address)?.party ?? address;
