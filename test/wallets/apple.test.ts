// Apple Pay tokens: those that open, by other makers too, and each way not to.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { APPLE_TOLERANCE_MS, appleKey, appleRoot, openApplePay } from '../../src/wallets/index.ts';
import { appleSigner } from '../../src/wallets/sandbox-apple.ts';
import { freshKeyPair, seededKeyPair } from '../../src/wallets/sandbox-keys.ts';
import foreign from './foreign.json' with { type: 'json' };
import {
  APPROVED,
  after,
  apple,
  appleContent,
  applePay,
  appleToken,
  CARD,
  CRYPTOGRAM,
  clear,
  DIGITS,
  flawOf,
  MERCHANT,
  MINUTE,
  NOW,
  OTHER_MERCHANT,
  random,
  SEED,
  sandbox,
} from './world.ts';

const pem = (base64: string): string => `-----BEGIN ${'PRIVATE'} KEY-----\n${base64}\n-----END ${'PRIVATE'} KEY-----\n`;

const expected = {
  kind: 'apple_pay',
  pan: DIGITS,
  expiry: '3012',
  cryptogram: CRYPTOGRAM,
  eci: '05',
  deviceBound: true,
  approved: APPROVED,
};

const without = (payment: Record<string, unknown>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(payment).filter(([key]) => key !== name));

describe('an Apple Pay token opens', () => {
  it('as the sandbox makes it, and says what the payer approved', () => {
    const payment = clear(applePay(sandbox.applePayToken(MERCHANT, CARD, APPROVED, NOW)));
    assert.match(String(payment.tokenId), /^[0-9a-f]{64}$/);
    assert.deepEqual(without(payment, 'tokenId'), expected);
  });

  it('as text, as an object, and in the token that a browser wraps around it', () => {
    const token = appleToken();
    const payment = clear(applePay(token));
    assert.deepEqual(clear(applePay(JSON.stringify(token))), payment);
    assert.deepEqual(clear(applePay({ paymentData: token, transactionIdentifier: 'x' })), payment);
  });

  it('with application data, and with an ECI of one digit or none', () => {
    assert.ok(applePay(appleToken({ applicationData: random.bytes(32) })).ok);
    const eci = (proof: object) =>
      clear(
        applePay(
          appleToken({ plaintext: appleContent({ paymentData: { onlinePaymentCryptogram: CRYPTOGRAM, ...proof } }) }),
        ),
      ).eci;
    assert.equal(eci({ eciIndicator: '7' }), '07');
    assert.equal(eci({ eciIndicator: '' }), null);
    assert.equal(eci({}), null);
  });

  it('as OpenSSL signs it and another library encrypts it', () => {
    for (const form of ['plain', 'application'] as const) {
      const { merchantId, privateKey, signedAt, token } = foreign.apple[form];
      const settings = {
        keys: [appleKey(merchantId, pem(privateKey))],
        roots: [appleRoot(foreign.apple.root)],
        toleranceMs: APPLE_TOLERANCE_MS,
      };
      const payment = clear(openApplePay(token, merchantId, settings, new Date(signedAt)));
      assert.deepEqual(without(payment, 'tokenId'), expected);
    }
  });

  it('with one id for every spelling, and an id of its own for every token', () => {
    const token = appleToken();
    const { tokenId } = clear(applePay(token));
    const header = { ...token.header, transactionId: String(token.header.transactionId).toUpperCase() };
    assert.equal(clear(applePay({ ...token, header })).tokenId, tokenId);
    assert.notEqual(clear(applePay(appleToken())).tokenId, tokenId);
  });

  it('of a seed alone: another process has the same keys', () => {
    const again = appleSigner(SEED);
    assert.ok(openApplePay(appleToken(), MERCHANT, { ...apple, roots: [again.root] }, NOW).ok);
  });

  it('within five minutes of its signing, either way', () => {
    const token = appleToken();
    assert.ok(applePay(token, after(5 * MINUTE)).ok);
    assert.ok(applePay(token, after(-5 * MINUTE)).ok);
    assert.equal(flawOf(applePay(token, after(5 * MINUTE + 1))), 'expired');
    assert.equal(flawOf(applePay(token, after(-5 * MINUTE - 1))), 'expired');
  });
});

describe('an Apple Pay token is refused', () => {
  it('with unknown_version: RSA, and versions to come', () => {
    for (const version of ['RSA_v1', 'EC_v2', 'ec_v1', 'EC_v1 '])
      assert.equal(flawOf(applePay({ ...appleToken(), version })), 'unknown_version');
  });

  it('with unknown_key or wrong_merchant: a stranger’s key, a neighbour’s key', () => {
    const stranger = appleToken({ merchantKey: freshKeyPair(random) });
    assert.equal(flawOf(applePay(stranger)), 'unknown_key');
    const neighbour = sandbox.applePayToken(OTHER_MERCHANT, CARD, APPROVED, NOW);
    assert.equal(flawOf(applePay(neighbour)), 'wrong_merchant');
    assert.ok(openApplePay(neighbour, OTHER_MERCHANT, apple, NOW).ok);
  });

  it('with undecryptable: our key, but derived for another merchant, or named in place of the one that was used', () => {
    assert.equal(flawOf(applePay(appleToken({ merchantId: 'merchant.test.elsewhere' }))), 'undecryptable');
    const stranger = appleToken({ merchantKey: freshKeyPair(random) });
    const header = { ...stranger.header, publicKeyHash: appleToken().header.publicKeyHash };
    assert.equal(flawOf(applePay({ ...stranger, header })), 'undecryptable');
  });

  it('with bad_signature: parts of another token, however right both are', () => {
    const [one, two] = [appleToken(), appleToken({ applicationData: random.bytes(32) })];
    assert.equal(flawOf(applePay({ ...one, signature: two.signature })), 'bad_signature');
    assert.equal(flawOf(applePay({ ...one, data: two.data })), 'bad_signature');
    for (const name of ['ephemeralPublicKey', 'transactionId', 'applicationData'])
      assert.equal(flawOf(applePay({ ...one, header: { ...one.header, [name]: two.header[name] } })), 'bad_signature');
    const { applicationData: _, ...rest } = two.header;
    assert.equal(flawOf(applePay({ ...two, header: rest })), 'bad_signature');
  });

  it('when bytes move between fields whose signed text is the same', () => {
    // Signed is one run of bytes: the end of the data may pose as the transaction, and the transaction as application data.
    const token = appleToken();
    const data = Buffer.from(String(token.data), 'base64');
    const moved = {
      ...token,
      data: data.subarray(0, -32).toString('base64'),
      header: {
        ...token.header,
        transactionId: data.subarray(-32).toString('hex'),
        applicationData: token.header.transactionId,
      },
    };
    assert.equal(flawOf(applePay(moved)), 'undecryptable');
  });

  it('with expired: certificates that were not valid when it was signed', () => {
    for (const form of ['leaf', 'intermediate'] as const) {
      for (const change of [{ to: after(-1000) }, { from: after(1000) }])
        assert.equal(flawOf(applePay(appleToken({ signer: appleSigner(SEED, { [form]: change }) }))), 'expired');
    }
  });

  const CHAINS: readonly (readonly [what: string, change: Parameters<typeof appleSigner>[1]])[] = [
    ['a leaf without its marker', { leaf: { marker: null } }],
    ['an intermediate without its marker', { intermediate: { marker: null } }],
    [
      'markers that changed places',
      {
        leaf: { marker: '1.2.840.113635.100.6.2.14' },
        intermediate: { marker: '1.2.840.113635.100.6.29' },
      },
    ],
    ['two leaves', { intermediate: { marker: '1.2.840.113635.100.6.29' } }],
    ['a marker that only begins as the right one', { leaf: { marker: '1.2.840.113635.100.6.29.1' } }],
    ['an intermediate that is no authority', { intermediate: { authority: false } }],
    ['an intermediate whose key may not sign certificates', { intermediate: { issues: false } }],
    ['a leaf that is an authority', { leaf: { authority: true, issues: true } }],
    ['a leaf of another curve', { leaf: { subjectKey: generateKeyPairSync('ec', { namedCurve: 'secp384r1' }) } }],
    ['an intermediate signed by a stranger', { intermediate: { issuerKey: freshKeyPair(random) } }],
    ['a leaf signed by a stranger', { leaf: { issuerKey: freshKeyPair(random) } }],
    [
      'a leaf signed by the root',
      { leaf: { issuer: 'Wallet Sandbox Root', issuerKey: seededKeyPair(SEED, 'apple/root') } },
    ],
    ['a leaf signed by itself', { leaf: { issuerKey: seededKeyPair(SEED, 'apple/leaf') } }],
    ['a leaf with another issuer’s name', { leaf: { issuer: 'Wallet Sandbox Root' } }],
    ['an intermediate with another issuer’s name', { intermediate: { issuer: 'Elsewhere' } }],
    ['an intermediate with another key', { intermediate: { subjectKey: freshKeyPair(random) } }],
  ];
  for (const [what, change] of CHAINS)
    it(`with bad_signature: ${what}`, () => {
      assert.equal(flawOf(applePay(appleToken({ signer: appleSigner(SEED, change) }))), 'bad_signature');
    });

  it('with bad_signature: a chain of the same names up to another root, or of two halves', () => {
    const other = appleSigner(Buffer.alloc(32, 'another seed'));
    assert.equal(flawOf(applePay(appleToken({ signer: other }))), 'bad_signature');
    const ours = appleSigner(SEED);
    const certificates = [other.certificates[0], ours.certificates[1]] as Buffer[];
    assert.equal(flawOf(applePay(appleToken({ signer: { ...other, certificates } }))), 'bad_signature');
    const swapped = [ours.certificates[0], other.certificates[1]] as Buffer[];
    assert.equal(flawOf(applePay(appleToken({ signer: { ...ours, certificates: swapped } }))), 'bad_signature');
  });

  it('with bad_signature: a right chain beside a signature of someone else', () => {
    const signer = appleSigner(SEED);
    const forged = { ...signer, leaf: { ...signer.leaf, subjectKey: freshKeyPair(random) } };
    assert.equal(flawOf(applePay(appleToken({ signer: forged }))), 'bad_signature');
  });

  it('but the order of its certificates does not matter, nor that the root is among them', () => {
    const signer = appleSigner(SEED);
    const certificates = [signer.root.raw, ...[...signer.certificates].reverse()];
    assert.ok(applePay(appleToken({ signer: { ...signer, certificates } })).ok);
  });

  it('when a certificate is missing, there twice, or there are too many', () => {
    const signer = appleSigner(SEED);
    const [leaf, intermediate] = signer.certificates as [Buffer, Buffer];
    const by = (certificates: Buffer[]) => flawOf(applePay(appleToken({ signer: { ...signer, certificates } })));
    assert.equal(by([]), 'bad_signature');
    assert.equal(by([leaf]), 'bad_signature');
    assert.equal(by([leaf, intermediate, intermediate]), 'bad_signature');
    assert.equal(by([leaf, intermediate, leaf, intermediate, leaf]), 'wrong_format');
  });

  it('with wrong_format: a signature that brings a content of its own', () => {
    const { merchantId, privateKey, signedAt, token } = foreign.apple.embedded;
    const settings = {
      keys: [appleKey(merchantId, pem(privateKey))],
      roots: [appleRoot(foreign.apple.root)],
      toleranceMs: APPLE_TOLERANCE_MS,
    };
    assert.equal(flawOf(openApplePay(token, merchantId, settings, new Date(signedAt))), 'wrong_format');
  });

  const CONTENTS: readonly (readonly [what: string, change: object])[] = [
    ['a number that fails its check digit', { applicationPrimaryAccountNumber: '4111111111111112' }],
    ['a number that is a number', { applicationPrimaryAccountNumber: 4111111111111111 }],
    ['no number', { applicationPrimaryAccountNumber: undefined }],
    ['a thirteenth month', { applicationExpirationDate: '301301' }],
    ['an expiry of four digits', { applicationExpirationDate: '3012' }],
    ['a cryptogram of 19 bytes', { paymentData: { onlinePaymentCryptogram: Buffer.alloc(19).toString('base64') } }],
    ['a cryptogram of 21 bytes', { paymentData: { onlinePaymentCryptogram: Buffer.alloc(21).toString('base64') } }],
    ['a second spelling of a cryptogram', { paymentData: { onlinePaymentCryptogram: CRYPTOGRAM.replace('=', '') } }],
    ['no cryptogram', { paymentData: { eciIndicator: '05' } }],
    ['an ECI of three digits', { paymentData: { onlinePaymentCryptogram: CRYPTOGRAM, eciIndicator: '005' } }],
    ['the other type of payment data', { paymentDataType: 'EMV' }],
    ['no payment data', { paymentData: null }],
    ['half a cent', { transactionAmount: 12.5 }],
    ['a negative amount', { transactionAmount: -1 }],
    ['an amount beyond exact numbers', { transactionAmount: 2 ** 53 }],
    ['a currency by name', { currencyCode: 'EUR' }],
  ];
  for (const [what, change] of CONTENTS)
    it(`with wrong_format: ${what} inside`, () => {
      assert.equal(flawOf(applePay(appleToken({ plaintext: appleContent(change) }))), 'wrong_format');
    });

  it('with wrong_format: signed and encrypted, but no JSON object inside', () => {
    for (const plaintext of ['[]', 'null', '"text"', '{', '\u0000', '1', '[[[['.repeat(500)])
      assert.equal(flawOf(applePay(appleToken({ plaintext }))), 'wrong_format');
  });
});

describe('settings of Apple Pay', () => {
  it('take no key of another curve and no leaf as a root', () => {
    const leaf = appleSigner(SEED).certificates[0] as Buffer;
    const text = `-----BEGIN CERTIFICATE-----\n${leaf.toString('base64')}\n-----END CERTIFICATE-----\n`;
    assert.throws(() => appleRoot(text), /authority/);
    const other = 'MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';
    assert.throws(() => appleKey('m', pem(other)), /P-256/);
  });

  it('name a key as a token does, whatever text it was read from', () => {
    const { merchantId, privateKey, token } = foreign.apple.plain;
    const key = appleKey(merchantId, pem(privateKey));
    assert.equal(key.publicKeyHash, token.header.publicKeyHash);
    assert.equal(createPublicKey(key.privateKey).asymmetricKeyDetails?.namedCurve, 'prime256v1');
  });
});
