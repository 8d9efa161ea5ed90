// Addresses of the internet: in one spelling, and whose they are. Rule: nothing is looked up; what isn't an address in form is none.
import { isIPv4, isIPv6 } from 'node:net';

export interface Address {
  /** As it came, without spaces, in small letters; an IPv4 address inside IPv6 as that IPv4 address. */
  readonly text: string;
  /** What one party holds as its own: an IPv4 address, or the /64 that one IPv6 customer is given. */
  readonly party: string;
  /** /24 or /48: what one hoster or one botnet's rack shares. */
  readonly net: string;
}

/** null: no address in form. An IPv4 address inside IPv6 is that IPv4 address. */
export function addressOf(given: string | undefined): Address | null {
  const text = given?.trim().toLowerCase() ?? '';
  if (isIPv4(text)) return { text, party: text, net: `${text.slice(0, text.lastIndexOf('.'))}.0/24` };
  if (!isIPv6(text)) return null;
  const groups = expand(text.split('%')[0] as string);
  const [mark, high, low] = groups.slice(5) as [number, number, number];
  if (mark === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return addressOf([high >> 8, high & 255, low >> 8, low & 255].join('.'));
  }
  const prefix = (length: number): string =>
    groups
      .slice(0, length)
      .map((group) => group.toString(16))
      .join(':');
  return { text, party: `${prefix(4)}::/64`, net: `${prefix(3)}::/48` };
}

/** The eight groups of an IPv6 address. */
function expand(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = dotted
    ? `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
    : address;
  const [head = '', tail] = hex.split('::');
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [front, back] = [parse(head), parse(tail ?? '')];
  return tail === undefined ? front : [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}
