// ASN.1 from hostile bytes. The library reads; here stands how much of it may be read, and that a value has one spelling.
// Rule: what was read, written again, is every byte that came: nothing lies before, behind or beside it, and no length lies.
import {
  type AsnType,
  Constructed,
  EndOfContent,
  fromBER,
  GeneralizedTime,
  ObjectIdentifier,
  UTCTime,
  ViewWriter,
} from 'asn1js';
import { attempt, refuse } from './token.ts';

/** Real signatures have about 200 elements, 12 deep, in 2,000 bytes. */
const DEEPEST = 16;
/** An end mark counts as an element, and as a level. */
const LIMITS = { maxDepth: DEEPEST + 1, maxNodes: 2_000 };

/** The one element that `bytes` is, in definite or indefinite lengths. */
export function readAsn1(bytes: Buffer): AsnType {
  const element = attempt('wrong_format', () => fromBER(bytes, LIMITS)).result;
  if (!attempt('wrong_format', () => !element.error && writtenAgain(element).equals(bytes) && isPlain(element, 0)))
    refuse('wrong_format');
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
  return element instanceof Constructed && element.valueBlock.value.every((part) => isPlain(part, depth + 1));
}

/** A time to the second, UTC. */
export function timeOf(element: unknown): Date {
  if (!(element instanceof UTCTime)) return refuse('wrong_format');
  return attempt('wrong_format', () => {
    const valueDate = element.toDate();
    const again = element instanceof GeneralizedTime ? new GeneralizedTime({ valueDate }) : new UTCTime({ valueDate });
    return valueDate.getMilliseconds() === 0 && again.isEqual(element) ? valueDate : refuse('wrong_format');
  });
}
