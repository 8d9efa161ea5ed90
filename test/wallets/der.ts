// ASN.1 written by hand, so that a test can write what no library would; and read as it was written.
import type { AsnType } from 'asn1js';
import { partsOf, readAsn1 } from '../../src/wallets/asn1.ts';

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context1: 0xa1,
  context3: 0xa3,
} as const;

const lengthBytes = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(
    length.toString(16).padStart(length.toString(16).length + (length.toString(16).length % 2), '0'),
    'hex',
  );
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
};

export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthBytes(body.length), body]);
}

/** With an indefinite length and an end mark, as the wallet's own signatures are written. */
export const ber = (tag: number, ...content: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...content, Buffer.from([0, 0])]);

export function derOid(text: string): Buffer {
  const [root = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [root * 40 + second, ...rest].flatMap((number) => {
    const septets = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      septets.unshift(0x80 | (left % 128));
    return septets;
  });
  return der(TAG.oid, Buffer.from(bytes));
}

/** A positive integer of these bytes. */
export const derInteger = (bytes: Buffer): Buffer =>
  der(TAG.integer, (bytes[0] as number) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);

export const derTime = (at: Date): Buffer =>
  der(TAG.utcTime, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`));

/** The parts of the one element that `bytes` are. */
export const readParts = (bytes: Buffer): readonly AsnType[] => partsOf(readAsn1(bytes));
