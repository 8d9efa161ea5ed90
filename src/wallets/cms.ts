// A detached CMS signature (RFC 5652) with signed attributes, and the certificates that it brings along.
// Rule: what is returned was signed by the leaf, the leaf by the intermediate, the intermediate by a root of ours; nothing else is looked at.
import { timingSafeEqual, verify, X509Certificate } from 'node:crypto';
import type { AsnType } from 'asn1js';
import { octetsOf, oidOf, part, partsOf, rawOf, readAsn1, TAG, tagOf, timeOf } from './asn1.ts';
import { attempt, flawed, isP256, sha256 } from './token.ts';

export const OID = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;

/** A certificate, what a signature calls it, and the extensions that it has. */
interface Certificate {
  readonly x509: X509Certificate;
  /** Issuer and serial number as they are written in it. */
  readonly name: Buffer;
  readonly extensions: ReadonlySet<string>;
}

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

interface SignedData {
  readonly certificates: readonly Certificate[];
  readonly signer: AsnType;
}

/** Verifies `signature` over `content` up to one of `roots`, at no particular time: the caller judges `signedAt` and the certificates. */
export function verifyDetached(
  signature: Buffer,
  content: readonly Buffer[],
  roots: readonly X509Certificate[],
  markers: Markers,
): Signature {
  const { certificates, signer } = readSignedData(signature);
  const { x509: leaf, name } = marked(certificates, markers.leaf);
  const { x509: intermediate } = marked(certificates, markers.intermediate);
  if (leaf.ca || !intermediate.ca) flawed('bad_signature');
  if (!issued(leaf, intermediate) || !roots.some((root) => root.ca && issued(intermediate, root)))
    flawed('bad_signature');
  return { signedAt: verifySigner(signer, leaf, name, content), chain: [leaf, intermediate] };
}

function readSignedData(bytes: Buffer): SignedData {
  const contentInfo = readAsn1(bytes);
  if (tagOf(contentInfo) !== TAG.sequence || oidOf(part(contentInfo, 0, TAG.oid)) !== OID.signedData)
    flawed('wrong_format');
  const signedData = part(part(contentInfo, 1, TAG.context0), 0, TAG.sequence);
  part(signedData, 0, TAG.integer);
  part(signedData, 1, TAG.set);
  const encapsulated = part(signedData, 2, TAG.sequence);
  // Detached: a content of its own would be a second thing to be signed.
  if (oidOf(part(encapsulated, 0, TAG.oid)) !== OID.data || partsOf(encapsulated).length !== 1) flawed('wrong_format');
  const certificates = partsOf(part(signedData, 3, TAG.context0));
  if (certificates.length > MOST_CERTIFICATES) flawed('wrong_format');
  const hasRevocations = tagOf(partsOf(signedData)[4]) === TAG.context1;
  const signers = part(signedData, hasRevocations ? 5 : 4, TAG.set);
  // One signer: of several, which one counts would be a matter of taste.
  if (partsOf(signers).length !== 1) flawed('wrong_format');
  return { certificates: certificates.map(readCertificate), signer: part(signers, 0, TAG.sequence) };
}

function readCertificate(element: AsnType): Certificate {
  if (tagOf(element) !== TAG.sequence) flawed('wrong_format');
  const tbs = part(element, 0, TAG.sequence);
  // Version 3 has its version first; extensions came with it.
  part(tbs, 0, TAG.context0);
  const extensions = partsOf(tbs).find((each) => tagOf(each) === TAG.context3);
  const list = extensions && partsOf(extensions)[0];
  return {
    x509: attempt('wrong_format', () => new X509Certificate(rawOf(element))),
    name: Buffer.concat([rawOf(part(tbs, 3, TAG.sequence)), rawOf(part(tbs, 1, TAG.integer))]),
    extensions: new Set((list ? partsOf(list) : []).map((extension) => oidOf(part(extension, 0, TAG.oid)))),
  };
}

/** The only certificate with this marker. */
function marked(certificates: readonly Certificate[], marker: string): Certificate {
  const found = certificates.filter(({ extensions }) => extensions.has(marker));
  return found.length === 1 && found[0] ? found[0] : flawed('bad_signature');
}

/** By names, key identifiers, key usage and signature. */
const issued = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  attempt('bad_signature', () => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));

// SignerInfo: version, signer's name, digest, [0] signed attributes, algorithm, signature.
function verifySigner(signer: AsnType, leaf: X509Certificate, name: Buffer, content: readonly Buffer[]): Date {
  if (!Buffer.concat(partsOf(part(signer, 1, TAG.sequence)).map(rawOf)).equals(name)) flawed('bad_signature');
  const attributes = part(signer, 3, TAG.context0);
  const value = octetsOf(part(signer, 5, TAG.octets));
  // An indefinite length would have to be written anew before it is hashed, and no signer does that to signed attributes.
  if (attributes.lenBlock.isIndefiniteForm) flawed('wrong_format');
  if (oidOf(part(part(signer, 2, TAG.sequence), 0, TAG.oid)) !== OID.sha256) flawed('bad_signature');
  if (oidOf(part(part(signer, 4, TAG.sequence), 0, TAG.oid)) !== OID.ecdsaWithSha256) flawed('bad_signature');
  const values = readAttributes(attributes);
  const contentType = values.get(OID.contentType);
  const digest = values.get(OID.messageDigest);
  const signingTime = values.get(OID.signingTime);
  if (!contentType || !digest || !signingTime) return flawed('wrong_format');
  if (oidOf(contentType) !== OID.data || tagOf(digest) !== TAG.octets) flawed('wrong_format');
  const found = octetsOf(digest);
  const expected = sha256(...content);
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) flawed('bad_signature');
  // Signed as a set, sent as [0] (RFC 5652, 5.4).
  const signed = rawOf(attributes);
  signed[0] = TAG.set;
  const { publicKey } = leaf;
  if (!isP256(publicKey) || !attempt('bad_signature', () => verify('sha256', signed, publicKey, value)))
    flawed('bad_signature');
  return timeOf(signingTime);
}

/** Each attribute once, each with one value. */
function readAttributes(attributes: AsnType): ReadonlyMap<string, AsnType> {
  const values = new Map<string, AsnType>();
  for (const attribute of partsOf(attributes)) {
    const name = oidOf(part(attribute, 0, TAG.oid));
    const set = part(attribute, 1, TAG.set);
    const [value, ...others] = partsOf(set);
    if (!value || others.length > 0 || values.has(name)) return flawed('wrong_format');
    values.set(name, value);
  }
  return values;
}
