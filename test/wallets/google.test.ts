// Google Pay tokens: those that open, by another maker too, and each way not to.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { Integer } from 'asn1js';
import { rawOf } from '../../src/wallets/asn1.ts';
import { googleKey, googleRoots, openGooglePay } from '../../src/wallets/index.ts';
import { freshKeyPair, seededKeyPair } from '../../src/wallets/sandbox-keys.ts';
import { der, derInteger, readParts, TAG } from './der.ts';
import foreign from './foreign.json' with { type: 'json' };
import {
  after,
  CARD,
  CRYPTOGRAM,
  clear,
  DIGITS,
  flawOf,
  google,
  googleContent,
  googlePay,
  googleToken,
  MINUTE,
  NOW,
  RECIPIENT,
  random,
  SEED,
  SHOP,
  sandbox,
} from './world.ts';

const pem = (base64: string): string => `-----BEGIN ${'PRIVATE'} KEY-----\n${base64}\n-----END ${'PRIVATE'} KEY-----\n`;

const device = {
  kind: 'google_pay',
  pan: DIGITS,
  expiry: '3012',
  cryptogram: CRYPTOGRAM,
  eci: '05',
  deviceBound: true,
  approved: null,
};
const plain = { ...device, cryptogram: null, eci: null, deviceBound: false };

const withoutId = ({ tokenId, ...rest }: Record<string, unknown>): object => {
  assert.match(String(tokenId), /^[0-9a-f]{64}$/);
  return rest;
};

describe('a Google Pay token opens', () => {
  it('as the sandbox makes it: a device’s card with its cryptogram, and a plain card without', () => {
    assert.deepEqual(withoutId(clear(googlePay(sandbox.googlePayToken(SHOP, CARD, NOW)))), device);
    assert.deepEqual(
      withoutId(clear(googlePay(sandbox.googlePayToken(SHOP, { ...CARD, cryptogram: null }, NOW)))),
      plain,
    );
  });

  it('as text and as an object, with fields that are not ours to know', () => {
    const token = googleToken();
    const payment = clear(googlePay(token));
    assert.deepEqual(clear(googlePay(JSON.stringify(token))), payment);
    assert.deepEqual(clear(googlePay({ ...token, later: 1 })), payment);
    assert.ok(googlePay(googleToken({ plaintext: googleContent({ later: {} }, { assuranceDetails: {} }) })).ok);
  });

  it('as another library makes it, under the list of roots as it is published', () => {
    for (const [method, expected] of [
      ['PAN_ONLY', plain],
      ['CRYPTOGRAM_3DS', device],
    ] as const) {
      const { privateKey, roots, token } = foreign.google[method];
      const settings = { recipientId: RECIPIENT, privateKeys: [googleKey(pem(privateKey))], roots: googleRoots(roots) };
      assert.deepEqual(withoutId(clear(openGooglePay(token, SHOP, settings, after(-1)))), expected);
      // Its message and its intermediate key end just now.
      assert.equal(flawOf(openGooglePay(token, SHOP, settings, NOW)), 'expired');
    }
  });

  it('for a merchant who decrypts alone, whom it does not name', () => {
    assert.ok(openGooglePay(sandbox.googlePayToken(null, CARD, NOW), null, google, NOW).ok);
  });

  it('with any of our keys, and any of the roots, while they change', () => {
    const privateKeys = [freshKeyPair(random).privateKey, ...google.privateKeys];
    const roots = [{ publicKey: freshKeyPair(random).publicKey, expiresAt: after(MINUTE) }, ...google.roots];
    assert.ok(openGooglePay(googleToken(), SHOP, { ...google, privateKeys, roots }, NOW).ok);
    const token = googleToken();
    const [right] = token.intermediateSigningKey.signatures as string[];
    const other = googleToken({ root: freshKeyPair(random) }).intermediateSigningKey.signatures as string[];
    const intermediateSigningKey = { ...token.intermediateSigningKey, signatures: [...other, right] };
    assert.ok(googlePay({ ...token, intermediateSigningKey }).ok);
  });

  it('with an id that follows its message id, and nothing else', () => {
    const id = (messageId: string) =>
      clear(googlePay(googleToken({ plaintext: googleContent({ messageId }) }))).tokenId;
    assert.equal(id('a'), id('a'));
    assert.notEqual(id('a'), id('b'));
  });
});

describe('the twin that every ECDSA signature has', () => {
  it('opens too, since anyone can make it, and has the same id: it is no second payment', () => {
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const token = googleToken();
    const [r, s] = readParts(Buffer.from(String(token.signature), 'base64'));
    assert.ok(r && s instanceof Integer);
    const twin = order - s.toBigInt();
    const bytes = Buffer.from(twin.toString(16).padStart(64, '0'), 'hex');
    // In its shortest form: no zeros before the number.
    const shortest = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
    const signature = der(TAG.sequence, rawOf(r), derInteger(shortest)).toString('base64');
    assert.notEqual(signature, token.signature);
    assert.deepEqual(clear(googlePay({ ...token, signature })), clear(googlePay(token)));
  });
});

describe('a Google Pay token is refused', () => {
  it('with unknown_version: the older protocol, the one that only signs, and ones to come', () => {
    for (const protocolVersion of ['ECv1', 'ECv2SigningOnly', 'ECv3', 'ecv2'])
      assert.equal(flawOf(googlePay({ ...googleToken(), protocolVersion })), 'unknown_version');
  });

  it('with bad_signature: made for another recipient', () => {
    for (const recipientId of ['gateway:other', 'merchant:florin', 'gateway:florin ', ''])
      assert.equal(flawOf(googlePay(googleToken({ recipientId }))), 'bad_signature');
  });

  it('with wrong_merchant: another merchant of this gateway, or none named', () => {
    for (const gatewayMerchantId of ['shop-2', 'shop-1 ', '', undefined, null, 1, [SHOP]])
      assert.equal(
        flawOf(googlePay(googleToken({ plaintext: googleContent({ gatewayMerchantId }) }))),
        'wrong_merchant',
      );
  });

  it('with unknown_key: right, and encrypted to someone else', () => {
    assert.equal(flawOf(googlePay(googleToken({ recipientKey: freshKeyPair(random) }))), 'unknown_key');
    assert.equal(flawOf(openGooglePay(googleToken(), SHOP, { ...google, privateKeys: [] }, NOW)), 'unknown_key');
  });

  it('with expired: the message, the intermediate key or the root, from the very moment on', () => {
    const token = googleToken({ plaintext: googleContent({ messageExpiration: String(after(0).getTime() + 1) }) });
    assert.ok(googlePay(token).ok);
    assert.equal(flawOf(googlePay(token, after(1))), 'expired');
    const intermediate = googleToken({ intermediateExpiresAt: after(1) });
    assert.ok(googlePay(intermediate).ok);
    assert.equal(flawOf(googlePay(intermediate, after(1))), 'expired');
    const roots = google.roots.map(({ publicKey }) => ({ publicKey, expiresAt: NOW }));
    assert.equal(flawOf(openGooglePay(googleToken(), SHOP, { ...google, roots }, NOW)), 'expired');
    assert.ok(openGooglePay(googleToken(), SHOP, { ...google, roots }, after(-1)).ok);
  });

  it('with bad_signature: an intermediate key that no root of ours signed, or a stranger in its place', () => {
    assert.equal(flawOf(googlePay(googleToken({ root: freshKeyPair(random) }))), 'bad_signature');
    assert.equal(flawOf(openGooglePay(googleToken(), SHOP, { ...google, roots: [] }, NOW)), 'bad_signature');
    const [one, two] = [googleToken(), googleToken({ root: freshKeyPair(random), intermediate: freshKeyPair(random) })];
    const { intermediateSigningKey: ours } = one;
    const { intermediateSigningKey: theirs } = two;
    for (const mixed of [
      { ...one, intermediateSigningKey: theirs },
      { ...two, intermediateSigningKey: ours },
      { ...two, intermediateSigningKey: { ...theirs, signatures: ours.signatures } },
      { ...one, intermediateSigningKey: { ...ours, signatures: theirs.signatures } },
    ])
      assert.equal(flawOf(googlePay(mixed)), 'bad_signature');
  });

  it('with bad_signature: parts of another token, however right both are', () => {
    const [one, two] = [googleToken(), googleToken()];
    assert.equal(flawOf(googlePay({ ...one, signature: two.signature })), 'bad_signature');
    assert.equal(flawOf(googlePay({ ...one, signedMessage: two.signedMessage })), 'bad_signature');
  });

  it('with bad_signature: the root signing messages itself, and the intermediate signing itself', () => {
    const root = seededKeyPair(SEED, 'google/root');
    const intermediate = seededKeyPair(SEED, 'google/intermediate');
    const token = googleToken();
    const byRoot = googleToken({ intermediate: root });
    assert.equal(
      flawOf(googlePay({ ...byRoot, intermediateSigningKey: token.intermediateSigningKey })),
      'bad_signature',
    );
    assert.equal(flawOf(googlePay(googleToken({ root: intermediate }))), 'bad_signature');
  });

  const CARDS: readonly (readonly [what: string, change: object, card?: object])[] = [
    ['no message id', { messageId: undefined }],
    ['an empty message id', { messageId: '' }],
    ['no expiration', { messageExpiration: undefined }],
    ['an expiration in words', { messageExpiration: 'never' }],
    ['an expiration with a sign', { messageExpiration: '+1' }],
    ['another payment method', { paymentMethod: 'BANK' }],
    ['no card', { paymentMethodDetails: undefined }],
    ['a list for a card', { paymentMethodDetails: [] }],
    ['another way to authenticate', {}, { authMethod: '3DS' }],
    ['a way that every object has', {}, { authMethod: 'constructor' }],
    ['a device’s card without its cryptogram', {}, { cryptogram: undefined }],
    ['a cryptogram of 19 bytes', {}, { cryptogram: Buffer.alloc(19).toString('base64') }],
    ['an ECI in words', {}, { eciIndicator: 'five' }],
    ['a number that fails its check digit', {}, { pan: '4111111111111112' }],
    ['a number of 12 digits', {}, { pan: '411111111111' }],
    ['month 0', {}, { expirationMonth: 0 }],
    ['month 13', {}, { expirationMonth: 13 }],
    ['a month as text', {}, { expirationMonth: '12' }],
    ['half a month', {}, { expirationMonth: 1.5 }],
    ['a year of two digits', {}, { expirationYear: 30 }],
  ];
  for (const [what, change, card] of CARDS)
    it(`with wrong_format: ${what} inside`, () => {
      assert.equal(flawOf(googlePay(googleToken({ plaintext: googleContent(change, card) }))), 'wrong_format');
    });

  it('with wrong_format: signed and encrypted, but no JSON object inside', () => {
    for (const plaintext of ['[]', 'null', '1', '{', '\u0000', '{"a":'.repeat(500)])
      assert.equal(flawOf(googlePay(googleToken({ plaintext }))), 'wrong_format');
  });
});

describe('settings of Google Pay', () => {
  it('take only roots of this protocol that end, and keys of the right curve', () => {
    const list = (keys: object[]) => googleRoots(JSON.stringify({ keys }));
    const [first] = (JSON.parse(foreign.google.PAN_ONLY.roots) as { keys: object[] }).keys;
    assert.equal(list([{ ...first }, { ...first, protocolVersion: 'ECv1' }]).length, 1);
    assert.throws(() => list([{ ...first, protocolVersion: 'ECv1' }]), /ECv2/);
    assert.throws(() => list([{ ...first, keyExpiration: undefined }]), /expires/);
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
    const keyValue = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    assert.throws(() => list([{ ...first, keyValue }]), /P-256/);
    assert.throws(() => googleKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()), /P-256/);
  });
});
