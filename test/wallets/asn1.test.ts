// Reading ASN.1: one spelling for each value, and what a signature is made of means what the standards say.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AsnType } from 'asn1js';
import fc from 'fast-check';
import { seededRandom } from '../../src/base/index.ts';
import { octetsOf, oidOf, partsOf, rawOf, readAsn1, timeOf } from '../../src/wallets/asn1.ts';
import { freshKeyPair } from '../../src/wallets/sandbox-keys.ts';
import { keyOfPoint, keyOfSpki, spkiOf } from '../../src/wallets/token.ts';
import { ber, der, derOid, derTime, TAG } from './der.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const utc = (text: string): Buffer => der(TAG.utcTime, Buffer.from(text));
const general = (text: string): Buffer => der(TAG.generalizedTime, Buffer.from(text));

describe('an element', () => {
  it('is read as it was written, in definite and in indefinite lengths (property)', () => {
    type Tree = Buffer | { readonly indefinite: boolean; readonly parts: readonly Tree[] };
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        fc.record({ indefinite: fc.boolean(), parts: fc.array(tie('tree'), { maxLength: 4 }) }),
      ),
    }));
    const write = (node: Tree): Buffer => {
      if (Buffer.isBuffer(node)) return der(TAG.octets, node);
      return (node.indefinite ? ber : der)(TAG.sequence, ...node.parts.map(write));
    };
    const compare = (element: AsnType, node: Tree): void => {
      assert.deepEqual(rawOf(element), write(node));
      if (Buffer.isBuffer(node)) {
        assert.deepEqual(octetsOf(element), node);
        return;
      }
      assert.equal(element.lenBlock.isIndefiniteForm, node.indefinite);
      const parts = partsOf(element);
      assert.equal(parts.length, node.parts.length);
      for (const [i, each] of node.parts.entries()) compare(parts[i] as AsnType, each);
    };
    fc.assert(fc.property(tree, (node) => compare(readAsn1(write(node)), node)));
  });

  it('of 127, 128, 255, 256, 65535 and 65536 bytes has its length in the shortest form', () => {
    const heads = [
      [127, '047f'],
      [128, '048180'],
      [255, '0481ff'],
      [256, '04820100'],
      [65_535, '0482ffff'],
      [65_536, '0483010000'],
    ] as const;
    for (const [length, head] of heads)
      assert.equal(octetsOf(readAsn1(Buffer.concat([hex(head), Buffer.alloc(length)]))).length, length);
  });

  it('is read 16 levels deep and with 2,000 elements, and no further', () => {
    const nested = (levels: number, write: typeof der): Buffer =>
      levels === 0 ? Buffer.alloc(0) : write(TAG.sequence, nested(levels - 1, write));
    const many = (count: number): Buffer => der(TAG.sequence, Buffer.from('0500'.repeat(count - 1), 'hex'));
    for (const write of [der, ber]) {
      assert.ok(readAsn1(nested(17, write)));
      assert.throws(() => readAsn1(nested(18, write)), /wrong_format/);
    }
    assert.equal(partsOf(readAsn1(many(2_000))).length, 1_999);
    assert.throws(() => readAsn1(many(2_001)), /wrong_format/);
  });

  it('is refused in a longer form, cut short, followed by more, or without its end', () => {
    assert.throws(() => readAsn1(Buffer.concat([hex('04820080'), Buffer.alloc(128)])), /wrong_format/);
    for (const text of [
      '04810100',
      '0482000100',
      '0401',
      '040100ff',
      '3080',
      '30800500',
      '3080050000',
      '04800000',
      '9f8101 00',
    ])
      assert.throws(() => readAsn1(hex(text)), /wrong_format/, text);
  });
});

describe('an object identifier', () => {
  it('is read as it is written in dots', () => {
    // The examples of X.690, 8.19.5, and the names that a signature has.
    assert.equal(oidOf(readAsn1(hex('0603 883703'))), '2.999.3');
    assert.equal(oidOf(readAsn1(hex('0609 2a864886f70d010702'))), '1.2.840.113549.1.7.2');
    for (const name of ['1.2.840.113635.100.6.29', '1.2.840.113635.100.6.2.14', '2.5.29.19', '0.9.2342.19200300'])
      assert.equal(oidOf(readAsn1(derOid(name))), name);
  });

  it('is refused empty, unfinished, padded or endless', () => {
    for (const text of ['0600', '060181', '06022a80', '06032a8001', '06092affffffffffffff7f', `0628${'01'.repeat(40)}`])
      assert.throws(() => oidOf(readAsn1(hex(text))), /wrong_format/, text);
  });

  it('is nothing of another type, though it is well formed', () => {
    // What its content would be as a name: 1.2.
    const octets = readAsn1(hex('04012a'));
    assert.equal(oidOf(readAsn1(hex('06012a'))), '1.2');
    assert.throws(() => oidOf(octets), /wrong_format/);
  });
});

describe('a time', () => {
  it('is read to the second, in both forms', () => {
    assert.equal(timeOf(readAsn1(utc('261121100000Z'))).toISOString(), '2026-11-21T10:00:00.000Z');
    assert.equal(timeOf(readAsn1(utc('491231235959Z'))).toISOString(), '2049-12-31T23:59:59.000Z');
    assert.equal(timeOf(readAsn1(utc('500101000000Z'))).toISOString(), '1950-01-01T00:00:00.000Z');
    assert.equal(timeOf(readAsn1(general('20510101000000Z'))).toISOString(), '2051-01-01T00:00:00.000Z');
    const at = new Date('2030-02-03T04:05:06Z');
    assert.deepEqual(timeOf(readAsn1(derTime(at))), at);
  });

  it('is refused when there is no such time, or it is not in UTC', () => {
    for (const text of [
      '260230100000Z',
      '261121240000Z',
      '261121106000Z',
      '2611211000Z',
      '261121100000+0100',
      '26112110000Z',
      '0261121100000Z',
      '261121100000Z0',
      '261121100000z',
      '',
    ])
      assert.throws(() => timeOf(readAsn1(utc(text))), /wrong_format/, text);
    for (const text of [
      '261121100000Z',
      '20510101000000.5Z',
      '20510101000000',
      '20510101000000+0100',
      '2051010100Z',
      '',
    ])
      assert.throws(() => timeOf(readAsn1(general(text))), /wrong_format/, text);
    assert.throws(() => timeOf(readAsn1(der(TAG.octets, Buffer.from('261121100000Z')))), /wrong_format/);
  });
});

describe('a public key', () => {
  it('is a point of P-256 behind the one head that such keys have', () => {
    const { publicKey } = freshKeyPair(seededRandom(5));
    const spki = spkiOf(publicKey);
    assert.ok(keyOfSpki(spki).equals(publicKey));
    for (let at = 0; at < 27; at++) {
      const changed = Buffer.from(spki);
      changed[at] = (changed[at] as number) ^ 1;
      assert.throws(() => keyOfSpki(changed), /wrong_format/, String(at));
    }
  });

  it('has one spelling: the hybrid form of a point is refused', () => {
    const { point } = freshKeyPair(seededRandom(6));
    const hybrid = Buffer.concat([Buffer.from([6 + ((point[64] as number) & 1)]), point.subarray(1)]);
    assert.ok(keyOfPoint(point));
    assert.throws(() => keyOfPoint(hybrid), /wrong_format/);
  });
});
