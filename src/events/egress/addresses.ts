// Which addresses may be called: public unicast ones (IANA special-purpose registries), and what the operator has named as exceptions.
// Rule: what is not known to be public is not public; an address that carries another one inside is never called.
import { BlockList, isIP } from 'node:net';

/** What stands in WEBHOOK_ALLOW. */
export interface Allow {
  /** Addresses of this machine and of private networks. */
  readonly private: boolean;
  /** Plain HTTP to whatever may be called. */
  readonly http: boolean;
  readonly exceptions: readonly Exception[];
}

interface Exception {
  /** A name, in small letters; null: a network. */
  readonly host: string | null;
  readonly network: BlockList;
  /** Plain HTTP to it, too. */
  readonly plain: boolean;
}

export const NOTHING_ALLOWED: Allow = { private: false, http: false, exceptions: [] };

const FAMILY = { 4: 'ipv4', 6: 'ipv6' } as const;

/** Networks and addresses, with spaces between. */
function listOf(networks: string): BlockList {
  const list = new BlockList();
  for (const network of networks.split(' ')) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 4 ? 4 : 6;
    list.addSubnet(address, prefix === undefined ? { 4: 32, 6: 128 }[family] : Number(prefix), FAMILY[family]);
  }
  return list;
}

/** Of IPv4 everything else is public. The three near the end answer for others by anycast; the last one is a cloud's door to its machines. */
const special4 = listOf(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
    '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 192.31.196.0/24 192.52.193.0/24 ' +
    '192.175.48.0/24 168.63.129.16/32',
);

/** Of IPv6 this is public, but for what is special in it: protocols, Teredo, documentation, 6to4, AS112. */
const global6 = listOf('2000::/3');
const special6 = listOf('2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20');

/** What the word `private` means: not link-local, where clouds keep what a machine may know of itself alone, nor where else they do. */
const private4 = listOf('10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16');
const private6 = listOf('::1/128 fc00::/7');
const metadata = listOf('100.100.100.200/32 fd00:ec2::254/128 fd20:ce::254/128');

/** IPv6 with an IPv4 address inside, which a machine on the way may take out: compatible, mapped, local NAT64, 6to4, Teredo. */
const carrying = listOf('::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b:1::/48 2002::/16 2001::/32');
const loopback6 = listOf('::1/128');
const nat64 = listOf('64:ff9b::/96');

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const read = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [read(head), read(tail ?? '')];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

/** Such an address is called by nobody, whatever is allowed: who judges it by one half may be led to the other. */
function carriesAnother(address: string): boolean {
  if (isIP(address) !== 6 || loopback6.check(address, 'ipv6')) return false;
  const [, , , , u = 0, isatap] = groupsOf(address);
  return carrying.check(address, 'ipv6') || (isatap === 0x5efe && (u & 0xfdff) === 0);
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  if (family !== 6 || carriesAnother(address)) return false;
  // Where there is IPv6 alone, the resolver makes these of every IPv4 address: they lead where it leads.
  if (nat64.check(address, 'ipv6')) return isPublicAddress(lastFour(address));
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

const lastFour = (address: string): string =>
  groupsOf(address)
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');

function isPrivateAddress(address: string): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return (family === 'ipv4' ? private4 : private6).check(address, family) && !metadata.check(address, family);
}

/** Names that mean something on this machine or in its network only: not for the name servers of the world. */
export const isLocalName = (host: string): boolean =>
  !host.includes('.') || /\.(localhost|local|internal|intranet|lan|home|corp|arpa|onion|test|invalid)$/.test(host);

const exceptionOf = ({ exceptions }: Allow, host: string, address: string | null): Exception[] =>
  exceptions.filter(
    (one) =>
      one.host === host ||
      (address !== null && !carriesAnother(address) && one.network.check(address, FAMILY[isIP(address) === 4 ? 4 : 6])),
  );

/** The operator has named this host: its names are those of this machine. */
export const isNamed = (allow: Allow, host: string): boolean => exceptionOf(allow, host, null).length > 0;

/** A name may have an address that isn't public. */
export const allowsLocal = (allow: Allow, host: string): boolean =>
  allow.private || allow.exceptions.some((one) => one.host === null || one.host === host);

/** May plain HTTP be spoken to some address of this host? Which ones, its addresses say. */
export const allowsPlain = (allow: Allow, host: string): boolean =>
  allow.http || allow.exceptions.some((one) => one.plain && (one.host === null || one.host === host));

/** Why this address of the host may not be called; null: it may. */
export function addressRefusal(
  allow: Allow,
  { host, plain }: { readonly host: string; readonly plain: boolean },
  address: string,
): 'not_public' | 'plain_http' | null {
  const exceptions = exceptionOf(allow, host, address);
  const reachable =
    isPublicAddress(address) ||
    (!carriesAnother(address) && (exceptions.length > 0 || (allow.private && isPrivateAddress(address))));
  if (!reachable) return 'not_public';
  return plain && !allow.http && !exceptions.some((one) => one.plain) ? 'plain_http' : null;
}

/**
 * Reads WEBHOOK_ALLOW: `private`, `http`, and addresses, networks and names, each with `http://` before it where it may be spoken to in plain
 * HTTP. null: it can't be read.
 */
export function readAllow(text: string): Allow | null {
  const parts = text.split(',').map((part) => part.trim());
  if (text.trim() === '') return NOTHING_ALLOWED;
  const exceptions: Exception[] = [];
  for (const part of parts.filter((word) => word !== 'private' && word !== 'http')) {
    const plain = part.startsWith('http://');
    const exception = readException(plain ? part.slice(7) : part);
    if (!exception) return null;
    exceptions.push({ ...exception, plain });
  }
  return { private: parts.includes('private'), http: parts.includes('http'), exceptions };
}

function readException(text: string): Omit<Exception, 'plain'> | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family !== 0) {
    const most = family === 4 ? 32 : 128;
    if (rest.length > 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= most))) return null;
    return { host: null, network: listOf(text) };
  }
  const host = text.toLowerCase();
  const isName = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/.test(host);
  return isName && URL.parse(`http://${host}/`)?.hostname === host ? { host, network: new BlockList() } : null;
}
