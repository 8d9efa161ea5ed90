// Detached signatures written by hand, each right but for one part: the signature itself always holds over what it is said to cover.
import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { APPLE_MARKERS } from '../../src/wallets/apple.ts';
import { partsOf, rawOf } from '../../src/wallets/asn1.ts';
import { OID, verifyDetached } from '../../src/wallets/cms.ts';
import { appleSigner } from '../../src/wallets/sandbox-apple.ts';
import { sha256 } from '../../src/wallets/token.ts';
import { ber, der, derInteger, derOid, derTime, readParts, TAG } from './der.ts';
import { NOW, SEED } from './world.ts';

const CONTENT = Buffer.from('what was signed');
const SHA512 = '2.16.840.1.101.3.4.2.3';
const ECDSA_SHA512 = '1.2.840.10045.4.3.4';

const signer = appleSigner(SEED);

const attribute = (name: string, ...values: readonly Buffer[]): Buffer =>
  der(TAG.sequence, derOid(name), der(TAG.set, ...values));

const contentType = attribute(OID.contentType, derOid(OID.data));
const signingTime = attribute(OID.signingTime, derTime(NOW));
const digest = attribute(OID.messageDigest, der(TAG.octets, sha256(CONTENT)));
/** RFC 6211: the wallet's own signatures have it. */
const protection = attribute('1.2.840.113549.1.9.52', der(TAG.sequence, der(TAG.sequence, derOid(OID.sha256))));

interface Form {
  readonly attributes: readonly Buffer[];
  readonly write: typeof der;
  readonly digestName: string;
  readonly algorithm: string;
  readonly serial: Buffer;
  readonly signers: number;
  readonly encapsulated: readonly Buffer[];
  readonly contentName: string;
  readonly revocations: readonly Buffer[];
  /** The tag whose bytes are signed: a set, as the standard says. */
  readonly signedTag: number;
}

const [tbs] = readParts(signer.certificates[0] as Buffer);
const [, leafSerial, , leafIssuer] = (tbs ? partsOf(tbs) : []).map(rawOf) as [Buffer, Buffer, Buffer, Buffer];

function write(change: Partial<Form> = {}): Buffer {
  const form: Form = {
    attributes: [contentType, signingTime, digest],
    write: der,
    digestName: OID.sha256,
    algorithm: OID.ecdsaWithSha256,
    serial: leafSerial,
    signers: 1,
    encapsulated: [],
    contentName: OID.data,
    revocations: [],
    signedTag: TAG.set,
    ...change,
  };
  const value = sign('sha256', form.write(form.signedTag, ...form.attributes), signer.leaf.subjectKey.privateKey);
  const info = der(
    TAG.sequence,
    derInteger(Buffer.from([1])),
    der(TAG.sequence, leafIssuer, form.serial),
    der(TAG.sequence, derOid(form.digestName)),
    form.write(TAG.context0, ...form.attributes),
    der(TAG.sequence, derOid(form.algorithm)),
    der(TAG.octets, value),
  );
  const signedData = der(
    TAG.sequence,
    derInteger(Buffer.from([1])),
    der(TAG.set, der(TAG.sequence, derOid(OID.sha256))),
    der(TAG.sequence, derOid(form.contentName), ...form.encapsulated),
    der(TAG.context0, ...signer.certificates),
    ...form.revocations,
    der(TAG.set, ...Array.from({ length: form.signers }, () => info)),
  );
  return der(TAG.sequence, derOid(OID.signedData), der(TAG.context0, signedData));
}

const verified = (signature: Buffer) => verifyDetached(signature, [CONTENT], [signer.root], APPLE_MARKERS);

describe('a detached signature', () => {
  it('holds in definite lengths, with further attributes, in any order, and with a list of revocations', () => {
    for (const signature of [
      write(),
      write({ attributes: [contentType, signingTime, protection, digest] }),
      write({ attributes: [digest, signingTime, contentType] }),
      write({ revocations: [der(TAG.context1)] }),
    ])
      assert.deepEqual(verified(signature).signedAt, NOW);
  });

  const WRONG: readonly (readonly [what: string, refusal: RegExp, change: Partial<Form>])[] = [
    ['no signer', /wrong_format/, { signers: 0 }],
    ['two signers', /wrong_format/, { signers: 2 }],
    ['attributes in indefinite length', /wrong_format/, { write: ber }],
    ['no attributes', /wrong_format/, { attributes: [] }],
    ['no content type', /wrong_format/, { attributes: [signingTime, digest] }],
    ['no signing time', /wrong_format/, { attributes: [contentType, digest] }],
    ['no digest', /wrong_format/, { attributes: [contentType, signingTime] }],
    ['two signing times', /wrong_format/, { attributes: [contentType, signingTime, signingTime, digest] }],
    ['two digests', /wrong_format/, { attributes: [contentType, signingTime, digest, digest] }],
    [
      'a digest with two values',
      /wrong_format/,
      {
        attributes: [
          contentType,
          signingTime,
          attribute(OID.messageDigest, der(TAG.octets, sha256(CONTENT)), der(TAG.octets, sha256('other'))),
        ],
      },
    ],
    [
      'a digest without value',
      /wrong_format/,
      { attributes: [contentType, signingTime, attribute(OID.messageDigest)] },
    ],
    [
      'a digest that is no octets',
      /wrong_format/,
      { attributes: [contentType, signingTime, attribute(OID.messageDigest, der(TAG.utf8, sha256(CONTENT)))] },
    ],
    [
      'the digest of another text',
      /bad_signature/,
      { attributes: [contentType, signingTime, attribute(OID.messageDigest, der(TAG.octets, sha256('other')))] },
    ],
    [
      'a digest cut short',
      /bad_signature/,
      {
        attributes: [
          contentType,
          signingTime,
          attribute(OID.messageDigest, der(TAG.octets, sha256(CONTENT).subarray(0, 31))),
        ],
      },
    ],
    [
      'another type of content',
      /wrong_format/,
      { attributes: [attribute(OID.contentType, derOid(OID.signedData)), signingTime, digest] },
    ],
    [
      'a signing time that is none',
      /wrong_format/,
      { attributes: [contentType, attribute(OID.signingTime, der(TAG.utcTime, Buffer.from('soon'))), digest] },
    ],
    ['another digest by name', /bad_signature/, { digestName: SHA512 }],
    ['another algorithm by name', /bad_signature/, { algorithm: ECDSA_SHA512 }],
    ['another certificate’s serial number', /bad_signature/, { serial: derInteger(Buffer.from([9])) }],
    ['a content of its own', /wrong_format/, { encapsulated: [der(TAG.context0, der(TAG.octets, CONTENT))] }],
    ['another kind of content outside', /wrong_format/, { contentName: OID.signedData }],
    ['its attributes signed as they were sent, not as a set', /bad_signature/, { signedTag: TAG.context0 }],
  ];
  for (const [what, refusal, change] of WRONG)
    it(`is refused with ${what}`, () => {
      assert.throws(() => verified(write(change)), refusal);
    });
});
