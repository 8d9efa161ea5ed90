// Certificates that tests make for themselves: an authority, and whatever it signs, right and wrong.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { BitString, Integer, Utf8String } from 'asn1js';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  Extension,
  GeneralName,
  GeneralNames,
  PublicKeyInfo,
  RelativeDistinguishedNames,
  Time,
} from 'pkijs';

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

interface Form {
  /** A host name. */
  readonly name: string;
  readonly until?: Date;
}

const ECDSA = (): AlgorithmIdentifier => new AlgorithmIdentifier({ algorithmId: '1.2.840.10045.4.3.2' });
const named = (value: string): RelativeDistinguishedNames =>
  new RelativeDistinguishedNames({
    typesAndValues: [new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value }) })],
  });

interface Signer {
  readonly name: string;
  readonly key: KeyObject;
}

function certificate({ name, until }: Form, publicKey: KeyObject, by: Signer, serial: number): string {
  const names = new GeneralNames({ names: [new GeneralName({ type: 2, value: name })] });
  const made = new Certificate({
    version: 2,
    serialNumber: new Integer({ value: serial }),
    signature: ECDSA(),
    issuer: named(by.name),
    notBefore: new Time({ value: new Date('2020-01-01T00:00:00Z') }),
    notAfter: new Time({ value: until ?? new Date('2049-12-31T00:00:00Z') }),
    subject: named(name),
    subjectPublicKeyInfo: PublicKeyInfo.fromBER(publicKey.export({ type: 'spki', format: 'der' })),
    extensions: [
      new Extension({
        extnID: '2.5.29.19',
        critical: true,
        extnValue: new BasicConstraints({ cA: name === by.name }).toSchema().toBER(),
      }),
      new Extension({ extnID: '2.5.29.17', extnValue: names.toSchema().toBER() }),
    ],
    signatureAlgorithm: ECDSA(),
  });
  made.signatureValue = new BitString({
    valueHex: sign('sha256', Buffer.from(made.encodeTBS().toBER()), by.key),
  });
  const base64 = Buffer.from(made.toSchema(true).toBER()).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** An authority: its certificate, and the identities that it signs. */
export function authority(): { readonly ca: string; readonly identity: (form: Form) => Identity } {
  let serial = 1;
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const by = { name: 'authority.example', key: own.privateKey };
  return {
    ca: certificate({ name: by.name }, own.publicKey, by, serial),
    identity(form) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
      return { cert: certificate(form, publicKey, by, ++serial), key };
    },
  };
}
