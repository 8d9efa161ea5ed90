// Makes Apple Pay tokens with keys and certificates of the sandbox's own, byte for byte in the published form.
// Rule: what is made here opens in apple.ts and nowhere else: no key of this file is anyone's but the sandbox's.
import { createCipheriv, sign, X509Certificate } from 'node:crypto';
import {
  type AsnType,
  BitString,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  type Sequence,
  Set as SetOf,
  UTCTime,
  Utf8String,
} from 'asn1js';
import {
  AlgorithmIdentifier,
  Attribute,
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  Extension,
  IssuerAndSerialNumber,
  PublicKeyInfo,
  RelativeDistinguishedNames,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
  Time,
} from 'pkijs';
import { APPLE_MARKERS, publicKeyHash, symmetricKey, TAG_LENGTH, ZERO_IV } from './apple.ts';
import { OID } from './cms.ts';
import { type KeyPair, seededKeyPair } from './sandbox-keys.ts';
import { sha256, spkiOf } from './token.ts';

/** Written by the tests in wrong ways too: every part of a certificate that decides is a field. */
export interface CertificateForm {
  readonly subject: string;
  readonly subjectKey: Pick<KeyPair, 'privateKey' | 'publicKey'>;
  readonly issuer: string;
  readonly issuerKey: Pick<KeyPair, 'privateKey'>;
  readonly from: Date;
  readonly to: Date;
  readonly authority: boolean;
  /** Its key may sign certificates, or else messages. */
  readonly issues: boolean;
  /** The extension that says what the certificate is for. */
  readonly marker: string | null;
}

const commonName = (name: string): RelativeDistinguishedNames =>
  new RelativeDistinguishedNames({
    typesAndValues: [new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value: name }) })],
  });

const serialOf = (form: CertificateForm): Integer =>
  new Integer({
    valueHex: Buffer.concat([Buffer.from([1]), sha256(form.subject, spkiOf(form.subjectKey.publicKey)).subarray(0, 7)]),
  });

const extension = (extnID: string, critical: boolean, value: AsnType): Extension =>
  new Extension({ extnID, critical, extnValue: value.toBER() });

const algorithm = (algorithmId: string): AlgorithmIdentifier => new AlgorithmIdentifier({ algorithmId });

/** Bits from the left: digital signature, or the signing of certificates and revocations. */
const keyUsage = ({ issues }: CertificateForm): BitString =>
  issues
    ? new BitString({ valueHex: Buffer.from([0x06]), unusedBits: 1 })
    : new BitString({ valueHex: Buffer.from([0x80]), unusedBits: 7 });

/** X.509, version 3. */
export function makeCertificate(form: CertificateForm): Buffer {
  const certificate = new Certificate({
    version: 2,
    serialNumber: serialOf(form),
    signature: algorithm(OID.ecdsaWithSha256),
    issuer: commonName(form.issuer),
    notBefore: new Time({ value: form.from }),
    notAfter: new Time({ value: form.to }),
    subject: commonName(form.subject),
    subjectPublicKeyInfo: PublicKeyInfo.fromBER(spkiOf(form.subjectKey.publicKey)),
    extensions: [
      extension('2.5.29.19', true, new BasicConstraints({ cA: form.authority }).toSchema()),
      extension('2.5.29.15', true, keyUsage(form)),
      ...(form.marker ? [extension(form.marker, false, new Null())] : []),
    ],
    signatureAlgorithm: algorithm(OID.ecdsaWithSha256),
  });
  const tbs = Buffer.from(certificate.encodeTBS().toBER());
  certificate.signatureValue = new BitString({ valueHex: sign('sha256', tbs, form.issuerKey.privateKey) });
  return Buffer.from(certificate.toSchema(true).toBER());
}

/** Who signs: in the field the wallet's servers, here the sandbox. */
export interface AppleSigner {
  readonly root: X509Certificate;
  readonly leaf: CertificateForm;
  /** As they travel with each signature. */
  readonly certificates: readonly Buffer[];
}

/** UTCTime, in which certificates are written, ends with 2049. */
const VALID = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2049-12-31T00:00:00Z') };

export function appleSigner(
  seed: Buffer,
  change: { leaf?: Partial<CertificateForm>; intermediate?: Partial<CertificateForm> } = {},
): AppleSigner {
  const [rootKey, intermediateKey, leafKey] = ['root', 'intermediate', 'leaf'].map((name) =>
    seededKeyPair(seed, `apple/${name}`),
  ) as [KeyPair, KeyPair, KeyPair];
  const rootName = 'Wallet Sandbox Root';
  const intermediateName = 'Wallet Sandbox Intermediate';
  const byRoot = { ...VALID, issuer: rootName, issuerKey: rootKey, authority: true, issues: true };
  const root = makeCertificate({ ...byRoot, subject: rootName, subjectKey: rootKey, marker: null });
  const intermediate = makeCertificate({
    ...byRoot,
    subject: intermediateName,
    subjectKey: intermediateKey,
    marker: APPLE_MARKERS.intermediate,
    ...change.intermediate,
  });
  const leaf: CertificateForm = {
    ...VALID,
    subject: 'Wallet Sandbox Signer',
    subjectKey: leafKey,
    issuer: intermediateName,
    issuerKey: intermediateKey,
    authority: false,
    issues: false,
    marker: APPLE_MARKERS.leaf,
    ...change.leaf,
  };
  return { root: new X509Certificate(root), leaf, certificates: [makeCertificate(leaf), intermediate] };
}

/** Signed data without its content, in indefinite lengths as the wallet writes it. */
export function signDetached(signer: AppleSigner, content: readonly Buffer[], signedAt: Date): Buffer {
  const attributes = [
    new Attribute({ type: OID.contentType, values: [new ObjectIdentifier({ value: OID.data })] }),
    new Attribute({ type: OID.signingTime, values: [new UTCTime({ valueDate: signedAt })] }),
    new Attribute({ type: OID.messageDigest, values: [new OctetString({ valueHex: sha256(...content) })] }),
  ];
  const signed = new SetOf({ value: attributes.map((attribute) => attribute.toSchema()) }).toBER();
  const signature = sign('sha256', Buffer.from(signed), signer.leaf.subjectKey.privateKey);
  const signedData = new SignedData({
    digestAlgorithms: [algorithm(OID.sha256)],
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: OID.data }),
    certificates: signer.certificates.map((bytes) => Certificate.fromBER(bytes)),
    signerInfos: [
      new SignerInfo({
        version: 1,
        sid: new IssuerAndSerialNumber({
          issuer: commonName(signer.leaf.issuer),
          serialNumber: serialOf(signer.leaf),
        }),
        digestAlgorithm: algorithm(OID.sha256),
        signedAttrs: new SignedAndUnsignedAttributes({ type: 0, attributes }),
        signatureAlgorithm: algorithm(OID.ecdsaWithSha256),
        signature: new OctetString({ valueHex: signature }),
      }),
    ],
  }).toSchema(true) as Sequence;
  const [, , encapsulated, certificates] = signedData.valueBlock.value;
  for (const part of [encapsulated, certificates]) if (part) part.lenBlock.isIndefiniteForm = true;
  const written = new ContentInfo({ contentType: OID.signedData, content: signedData }).toSchema();
  return Buffer.from(written.toBER());
}

export interface AppleTokenForm {
  readonly signer: AppleSigner;
  readonly merchantId: string;
  /** The merchant's payment processing key, or the half of it that the wallet knows. */
  readonly merchantKey: Pick<KeyPair, 'publicKey'>;
  readonly ephemeral: KeyPair;
  readonly transactionId: Buffer;
  readonly applicationData: Buffer | null;
  readonly signedAt: Date;
  readonly plaintext: string;
}

/** `paymentData` of a token, as an object. */
export function makeAppleToken(form: AppleTokenForm): Record<string, unknown> {
  const key = symmetricKey(form.ephemeral.privateKey, form.merchantKey.publicKey, sha256(form.merchantId));
  const cipher = createCipheriv('aes-256-gcm', key, ZERO_IV, { authTagLength: TAG_LENGTH });
  const data = Buffer.concat([cipher.update(form.plaintext), cipher.final(), cipher.getAuthTag()]);
  const ephemeralPublicKey = spkiOf(form.ephemeral.publicKey);
  const application = form.applicationData ? [form.applicationData] : [];
  const signature = signDetached(
    form.signer,
    [ephemeralPublicKey, data, form.transactionId, ...application],
    form.signedAt,
  );
  return {
    version: 'EC_v1',
    data: data.toString('base64'),
    signature: signature.toString('base64'),
    header: {
      ephemeralPublicKey: ephemeralPublicKey.toString('base64'),
      publicKeyHash: publicKeyHash(form.merchantKey.publicKey),
      transactionId: form.transactionId.toString('hex'),
      ...(form.applicationData ? { applicationData: form.applicationData.toString('hex') } : {}),
    },
  };
}
