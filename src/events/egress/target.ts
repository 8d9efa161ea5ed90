// From an address that somebody named to those that are called: read as browsers read it, judged, looked up, judged again.
// Rule: what is connected to is exactly what was judged; a name is looked up once for a connection.
import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Allow, addressRefusal, allowsLocal, allowsPlain, isLocalName, isNamed } from './addresses.ts';
import { type Refusal, Unanswered } from './causes.ts';

export interface Target {
  readonly url: URL;
  /** Without brackets, and without the dot at the end. */
  readonly host: string;
  readonly port: number;
  readonly plain: boolean;
  /** This server's own inbox: reached wherever the server is. */
  readonly inbox: boolean;
}

export interface Ground {
  readonly allow: Allow;
  /** The addresses by which this server is reached, as it knows them now. */
  readonly own: () => readonly string[];
  /** What of it may be called: the path before a name; null: nothing. */
  readonly inbox: string | null;
}

/** All addresses of a name. `local`: as this machine knows it, else as the name servers do. Throws. */
export type Lookup = (name: string, local: boolean) => Promise<readonly string[]>;

const LONGEST_URL = 2048;
const LOWEST_PORT = 1024;
const MOST_ADDRESSES = 16;

/** Reads and judges without asking anybody. */
export function targetOf(ground: Ground, text: string): Target | Refusal {
  const url = text.length > LONGEST_URL ? null : URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return url ? 'plain_http' : 'unreadable_url';
  if (url.username !== '' || url.password !== '') return 'user_info';
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  if (host === '' || host.length > 253 || /(^|\.)(\.|$)/.test(host)) return 'unreadable_url';
  const plain = url.protocol === 'http:';
  const port = url.port === '' ? (plain ? 80 : 443) : Number(url.port);
  const target = { url, host, port, plain, inbox: false };
  if (isOwn(ground, target, [])) return isInbox(ground, url) ? { ...target, inbox: true } : 'own_host';
  if (plain && !allowsPlain(ground.allow, host)) return 'plain_http';
  if (port < LOWEST_PORT && port !== (plain ? 80 : 443)) return 'port';
  if (isIP(host) !== 0) return addressRefusal(ground.allow, target, host) ?? target;
  return isLocalName(host) && !allowsLocal(ground.allow, host) ? 'not_public' : target;
}

/** One word below the inbox, so that no two readers of the path can disagree. */
const isInbox = ({ inbox }: Ground, { pathname }: URL): boolean =>
  inbox !== null && pathname.startsWith(inbox) && /^[\w.~-]+$/.test(pathname.slice(inbox.length));

/** By name, on every port; by address, on the ports where it listens. A host that the operator has named as an exception is not ours. */
function isOwn(
  { allow, own }: Ground,
  { host, port }: Pick<Target, 'host' | 'port'>,
  addresses: readonly string[],
): boolean {
  if (isNamed(allow, host)) return false;
  for (const text of own()) {
    const url = URL.parse(text);
    if (!url) continue;
    const ownHost = url.hostname.replace(/^\[|\]$|\.$/g, '');
    const ownPort = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
    if (host === ownHost && (port === ownPort || (isIP(host) === 0 && !isLocalName(host)))) return true;
    if (port === ownPort && [host, ...addresses].some((one) => isIP(one) !== 0 && isOfThisMachine(one))) return true;
  }
  return false;
}

const isOfThisMachine = (address: string): boolean =>
  /^(127\.|0\.)/.test(address) ||
  address === '::1' ||
  address === '::' ||
  Object.values(networkInterfaces()).some((those) => those?.some((one) => one.address === address));

/** The addresses to connect to, all of them judged: IPv4 first, which is reached from everywhere. Throws Unanswered. */
export async function addressesOf(ground: Ground, target: Target, lookup: Lookup): Promise<readonly string[]> {
  const { host } = target;
  if (isIP(host) !== 0) return [host];
  const local = target.inbox || ground.allow.private || isLocalName(host) || isNamed(ground.allow, host);
  const found = await lookup(host, local).catch((error: unknown) => {
    throw new Unanswered('dns', { cause: error });
  });
  if (found.length === 0) throw new Unanswered('dns');
  if (target.inbox) return found;
  for (const address of found) {
    // With a zone an address is of one cable, and no two readers agree on it.
    const refused =
      isIP(address) === 0 || address.includes('%') ? 'dns' : addressRefusal(ground.allow, target, address);
    if (refused) throw new Unanswered(refused);
  }
  if (isOwn(ground, target, found) && !isInbox(ground, target.url)) throw new Unanswered('own_host');
  return found.toSorted((a, b) => isIP(a) - isIP(b)).slice(0, MOST_ADDRESSES);
}

/**
 * The real one. The system's look-up takes a thread of four until the last name server has been waited for, so names of strangers never go
 * there: a few slow ones would stop whatever else needs a thread.
 */
export function realLookup(): Lookup {
  const resolver = new Resolver({ timeout: 1500, tries: 2 });
  return async (name, local) => {
    if (local) return (await systemLookup(name, { all: true })).map(({ address }) => address);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    for (const one of found) if (addresses.length === 0 && one.status === 'rejected') throw one.reason;
    return addresses;
  };
}
