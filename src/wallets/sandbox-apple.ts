// Makes Apple Pay tokens with keys and certificates of the sandbox's own, byte for byte in the published form.
// Rule: what is made here opens in apple.ts and nowhere else: no key of this file is anyone's but the sandbox's.
import { createCipheriv, sign, X509Certificate } from 'node:crypto';
import { APPLE_MARKERS, publicKeyHash, symmetricKey, TAG_LENGTH, ZERO_IV } from './apple.ts';
import { OID } from './cms.ts';
import { ber, der, derInteger, derOid, derTime, TAG } from './der.ts';
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

const commonName = (name: string): Buffer =>
  der(TAG.sequence, der(TAG.set, der(TAG.sequence, derOid('2.5.4.3'), der(TAG.utf8, Buffer.from(name)))));

const serialOf = (form: CertificateForm): Buffer =>
  derInteger(Buffer.concat([Buffer.from([1]), sha256(form.subject, spkiOf(form.subjectKey.publicKey)).subarray(0, 7)]));

const extension = (oid: string, critical: boolean, value: Buffer): Buffer =>
  der(TAG.sequence, derOid(oid), ...(critical ? [der(TAG.boolean, Buffer.from([0xff]))] : []), der(TAG.octets, value));

const ECDSA = der(TAG.sequence, derOid(OID.ecdsaWithSha256));

/** X.509, version 3. */
export function makeCertificate(form: CertificateForm): Buffer {
  const basicConstraints = der(TAG.sequence, ...(form.authority ? [der(TAG.boolean, Buffer.from([0xff]))] : []));
  // Bits from the left: digital signature, or the signing of certificates and revocations.
  const keyUsage = der(TAG.bitString, Buffer.from(form.issues ? [1, 0x06] : [7, 0x80]));
  const tbs = der(
    TAG.sequence,
    der(TAG.context0, derInteger(Buffer.from([2]))),
    serialOf(form),
    ECDSA,
    commonName(form.issuer),
    der(TAG.sequence, derTime(form.from), derTime(form.to)),
    commonName(form.subject),
    spkiOf(form.subjectKey.publicKey),
    der(
      TAG.context3,
      der(
        TAG.sequence,
        extension('2.5.29.19', true, basicConstraints),
        extension('2.5.29.15', true, keyUsage),
        ...(form.marker ? [extension(form.marker, false, Buffer.from([0x05, 0x00]))] : []),
      ),
    ),
  );
  const signature = sign('sha256', tbs, form.issuerKey.privateKey);
  return der(TAG.sequence, tbs, ECDSA, der(TAG.bitString, Buffer.from([0]), signature));
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

const attribute = (name: string, value: Buffer): Buffer => der(TAG.sequence, derOid(name), der(TAG.set, value));

/** Signed data without its content, in indefinite lengths as the wallet writes it. */
export function signDetached(signer: AppleSigner, content: readonly Buffer[], signedAt: Date): Buffer {
  const attributes = [
    attribute(OID.contentType, derOid(OID.data)),
    attribute(OID.signingTime, derTime(signedAt)),
    attribute(OID.messageDigest, der(TAG.octets, sha256(...content))),
  ];
  const digest = der(TAG.sequence, derOid(OID.sha256));
  const signerInfo = der(
    TAG.sequence,
    derInteger(Buffer.from([1])),
    der(TAG.sequence, commonName(signer.leaf.issuer), serialOf(signer.leaf)),
    digest,
    der(TAG.context0, ...attributes),
    ECDSA,
    der(TAG.octets, sign('sha256', der(TAG.set, ...attributes), signer.leaf.subjectKey.privateKey)),
  );
  const signedData = ber(
    TAG.sequence,
    derInteger(Buffer.from([1])),
    der(TAG.set, digest),
    ber(TAG.sequence, derOid(OID.data)),
    ber(TAG.context0, ...signer.certificates),
    der(TAG.set, signerInfo),
  );
  return ber(TAG.sequence, derOid(OID.signedData), ber(TAG.context0, signedData));
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
