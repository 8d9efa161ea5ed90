// ASN.1 from hostile bytes. The library reads; here stands how much of it may be read, and that a value has one spelling.
// Rule: what was read, written again, is every byte that came: nothing lies before, behind or beside it, and no length lies.
import {
  type AsnType,
  Constructed,
  EndOfContent,
  fromBER,
  GeneralizedTime,
  ObjectIdentifier,
  OctetString,
  UTCTime,
  ViewWriter,
} from 'asn1js';
import { attempt, flawed } from './token.ts';

/** Identifier bytes: class, constructed, number. */
export const TAG = {
  integer: 0x02,
  octets: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context1: 0xa1,
  context3: 0xa3,
} as const;

const DEEPEST = 16;
/** An end mark counts as an element, and as a level. */
const LIMITS = { maxDepth: DEEPEST + 1, maxNodes: 2_000 };

/** The one element that `bytes` is, in definite or indefinite lengths. */
export function readAsn1(bytes: Buffer): AsnType {
  const element = attempt('wrong_format', () => fromBER(bytes, LIMITS)).result;
  if (!attempt('wrong_format', () => !element.error && writtenAgain(element).equals(bytes) && isPlain(element, 0)))
    flawed('wrong_format');
  return element;
}

/** With a writer of ours each element keeps the form of its length; by itself the library spreads indefinite ones upwards. */
function writtenAgain(element: AsnType): Buffer {
  const writer = new ViewWriter();
  element.toBER(false, writer);
  return Buffer.from(writer.final());
}

const SEQUENCE = 16;
const SET = 17;
const UNIVERSAL = 1;
const LONGEST_OID = 32;

/** No tags of several bytes, no long form of a short length, no end marks of their own, no strings in pieces, no endless names. */
function isPlain(element: AsnType, depth: number): boolean {
  const { tagClass, tagNumber, isConstructed } = element.idBlock;
  const { longFormUsed, length } = element.lenBlock;
  if (depth > DEEPEST || tagNumber >= 31 || element instanceof EndOfContent) return false;
  if (longFormUsed && length < 0x80) return false;
  if (element instanceof ObjectIdentifier) return length <= LONGEST_OID && /^\d+(\.\d+)+$/.test(element.getValue());
  if (!isConstructed) return true;
  if (tagClass === UNIVERSAL && tagNumber !== SEQUENCE && tagNumber !== SET) return false;
  return element instanceof Constructed && partsOf(element).every((part) => isPlain(part, depth + 1));
}

/** What a constructed element is made of; a primitive one has no parts. */
export const partsOf = (element: AsnType): readonly AsnType[] =>
  element instanceof Constructed ? element.valueBlock.value : [];

/** Head and content, and of an indefinite length the end mark. */
export const rawOf = (element: AsnType): Buffer => Buffer.from(element.valueBeforeDecodeView);

/** The identifier byte. */
export const tagOf = (element: AsnType | undefined): number | undefined => element?.valueBeforeDecodeView[0];

/** The part at `index`, which must have this tag. */
export function part(element: AsnType, index: number, tag: number): AsnType {
  const found = partsOf(element)[index];
  return found && tagOf(found) === tag ? found : flawed('wrong_format');
}

/** An object identifier in its dotted form. */
export const oidOf = (element: AsnType): string =>
  element instanceof ObjectIdentifier ? element.getValue() : flawed('wrong_format');

export const octetsOf = (element: AsnType): Buffer =>
  element instanceof OctetString ? Buffer.from(element.getValue()) : flawed('wrong_format');

/** A time to the second, UTC. */
export function timeOf(element: AsnType): Date {
  if (!(element instanceof UTCTime)) return flawed('wrong_format');
  return attempt('wrong_format', () => {
    const valueDate = element.toDate();
    const again = element instanceof GeneralizedTime ? new GeneralizedTime({ valueDate }) : new UTCTime({ valueDate });
    return valueDate.getMilliseconds() === 0 && again.isEqual(element) ? valueDate : flawed('wrong_format');
  });
}
