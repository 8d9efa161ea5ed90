// A detached CMS signature (RFC 5652) with signed attributes, and the certificates that it brings along.
// Rule: what is returned was signed by the leaf, the leaf by the intermediate, the intermediate by a root of ours; nothing else is looked at.
import { type KeyObject, timingSafeEqual, verify, X509Certificate } from 'node:crypto';
import { type AsnType, ObjectIdentifier, OctetString } from 'asn1js';
import { Certificate, ContentInfo, IssuerAndSerialNumber, SignedData, type SignerInfo } from 'pkijs';
import { readAsn1, timeOf } from './asn1.ts';
import { attempt, isP256, refuse, sha256 } from './token.ts';

export const OID = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;

/** Extensions that mark what a certificate is for; their values say nothing. */
export interface Markers {
  readonly leaf: string;
  readonly intermediate: string;
}

export interface Signature {
  readonly signedAt: Date;
  readonly chain: readonly X509Certificate[];
}

/** Leaf and intermediate; some signers add the root. */
const MOST_CERTIFICATES = 4;

/** A certificate as the platform judges it, and as it is written. */
interface Judged {
  readonly x509: X509Certificate;
  readonly written: Certificate;
}

interface Read {
  readonly certificates: readonly Judged[];
  readonly signer: SignerInfo;
}

/** Verifies `signature` over `content` up to one of `roots`, at no particular time: the caller judges `signedAt` and the certificates. */
export function verifyDetached(
  signature: Buffer,
  content: readonly Buffer[],
  roots: readonly X509Certificate[],
  markers: Markers,
): Signature {
  const { certificates, signer } = attempt('wrong_format', () => readSignedData(signature));
  const { x509: leaf, written } = marked(certificates, markers.leaf);
  const { x509: intermediate } = marked(certificates, markers.intermediate);
  if (leaf.ca || !intermediate.ca) refuse('bad_signature');
  if (!issued(leaf, intermediate) || !roots.some((root) => root.ca && issued(intermediate, root)))
    refuse('bad_signature');
  return { signedAt: verifySigner(signer, written, leaf.publicKey, content), chain: [leaf, intermediate] };
}

function readSignedData(bytes: Buffer): Read {
  const { contentType, content } = new ContentInfo({ schema: readAsn1(bytes) });
  if (contentType !== OID.signedData) refuse('wrong_format');
  const { encapContentInfo, certificates = [], signerInfos } = new SignedData({ schema: content as AsnType });
  // Detached: a content of its own would be a second thing to be signed.
  if (encapContentInfo.eContentType !== OID.data || encapContentInfo.eContent) refuse('wrong_format');
  const [signer] = signerInfos;
  // One signer: of several, which one counts would be a matter of taste.
  if (!signer || signerInfos.length !== 1 || certificates.length > MOST_CERTIFICATES) return refuse('wrong_format');
  return { certificates: certificates.map(readCertificate), signer };
}

function readCertificate(written: unknown): Judged {
  // Extensions came with version 3, which is written as 2.
  if (!(written instanceof Certificate) || written.version !== 2) return refuse('wrong_format');
  return { x509: new X509Certificate(Buffer.from(written.toSchema().toBER())), written };
}

/** The only certificate with this marker. */
function marked(certificates: readonly Judged[], marker: string): Judged {
  const found = certificates.filter(({ written }) => written.extensions?.some(({ extnID }) => extnID === marker));
  return found.length === 1 && found[0] ? found[0] : refuse('bad_signature');
}

/** By names, key identifiers, key usage and signature. */
const issued = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  attempt('bad_signature', () => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));

function verifySigner(
  { sid, digestAlgorithm, signatureAlgorithm, signature, signedAttrs }: SignerInfo,
  { issuer, serialNumber }: Certificate,
  publicKey: KeyObject,
  content: readonly Buffer[],
): Date {
  if (!(sid instanceof IssuerAndSerialNumber) || !signedAttrs) return refuse('wrong_format');
  // Byte for byte: two spellings of a name are two names.
  if (!sid.issuer.isEqual(issuer.valueBeforeDecode) || !sid.serialNumber.isEqual(serialNumber)) refuse('bad_signature');
  // As they were sent, but as a set: so they are signed (RFC 5652, 5.4).
  const signed = Buffer.from(signedAttrs.encodedValue);
  // An indefinite length would have to be written anew before it is hashed, and no signer does that to signed attributes.
  if (signed[1] === 0x80) refuse('wrong_format');
  if (digestAlgorithm.algorithmId !== OID.sha256) refuse('bad_signature');
  if (signatureAlgorithm.algorithmId !== OID.ecdsaWithSha256) refuse('bad_signature');
  const values = readAttributes(signedAttrs.attributes);
  const contentType = values.get(OID.contentType);
  const digest = values.get(OID.messageDigest);
  if (!(contentType instanceof ObjectIdentifier) || contentType.getValue() !== OID.data) refuse('wrong_format');
  if (!(digest instanceof OctetString)) return refuse('wrong_format');
  const signedAt = timeOf(values.get(OID.signingTime));
  const [found, expected] = [Buffer.from(digest.getValue()), sha256(...content)];
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) refuse('bad_signature');
  const value = Buffer.from(signature.getValue());
  if (!isP256(publicKey) || !attempt('bad_signature', () => verify('sha256', signed, publicKey, value)))
    refuse('bad_signature');
  return signedAt;
}

/** Each attribute once, each with one value. */
function readAttributes(attributes: readonly { type: string; values: readonly AsnType[] }[]): Map<string, AsnType> {
  const values = new Map<string, AsnType>();
  for (const { type, values: all } of attributes) {
    const [value] = all ?? [];
    if (!value || all.length !== 1 || values.has(type)) return refuse('wrong_format');
    values.set(type, value);
  }
  return values;
}
