// Input that was never a token: huge, deep, of other types. It is refused in a word, quickly, and says nothing back.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { flaws, openGooglePay, walletSandbox } from '../../src/wallets/index.ts';
import { appleSigner, makeCertificate, signDetached } from '../../src/wallets/sandbox-apple.ts';
import { freshKeyPair, seededKeyPair } from '../../src/wallets/sandbox-keys.ts';
import { filesIn, sourceOf } from '../house/source.ts';
import {
  APPROVED,
  appleContent,
  applePay,
  appleToken,
  CARD,
  CRYPTOGRAM,
  clear,
  DIGITS,
  flawOf,
  google,
  googleContent,
  googlePay,
  googleToken,
  MERCHANT,
  NOW,
  RECIPIENT,
  random,
  SEED,
  SHOP,
  sandbox,
} from './world.ts';

const OPENERS = [applePay, googlePay];

const deep = (open: string, close: string, levels: number): string => open.repeat(levels) + close.repeat(levels);

describe('what was never a token', () => {
  const VALUES: readonly unknown[] = [
    undefined,
    null,
    0,
    NaN,
    true,
    12n,
    Symbol('token'),
    () => 0,
    '',
    ' ',
    'null',
    '[]',
    '{}',
    '"text"',
    '1e999',
    '{"version":',
    '\u0000',
    '\ud800',
    [],
    {},
    [[]],
    new Map(),
    Buffer.from('{}'),
    { version: 'EC_v1' },
    { version: 'EC_v1', header: null },
    { version: 'EC_v1', header: [] },
    { version: ['EC_v1'] },
    { protocolVersion: 'ECv2' },
    { protocolVersion: 'ECv2', intermediateSigningKey: 'text' },
    { protocolVersion: { toString: () => 'ECv2' } },
    Object.create({ version: 'EC_v1', protocolVersion: 'ECv2' }),
    JSON.parse('{"__proto__":{"version":"EC_v1","protocolVersion":"ECv2"}}'),
    '{"version":"EC_v1","protocolVersion":"ECv2","constructor":1,"hasOwnProperty":1}',
    deep('[', ']', 10_000),
    deep('{"a":', '}', 2_000).replace('}', '1}'),
    deep('{"paymentData":', '}', 1_500).replace('}', '1}'),
    'x'.repeat(10_000_000),
    JSON.stringify({ version: 'EC_v1', protocolVersion: 'ECv2', data: 'A'.repeat(1_000_000) }),
  ];
  for (const [index, value] of VALUES.entries())
    it(`is in wrong format: ${index} ${inspect(value, { depth: 1 }).slice(0, 60)}`, () => {
      for (const open of OPENERS) assert.equal(flawOf(open(value)), 'wrong_format');
    });

  it('is a right token whose fields are not its own, or one in 40,000 spaces', () => {
    assert.equal(flawOf(applePay(Object.create(appleToken()))), 'wrong_format');
    assert.equal(flawOf(googlePay(Object.create(googleToken()))), 'wrong_format');
    const [applePayText, googlePayText] = [JSON.stringify(appleToken()), JSON.stringify(googleToken())];
    assert.ok(applePay(` ${applePayText} `).ok && googlePay(` ${googlePayText} `).ok);
    assert.equal(flawOf(applePay(applePayText + ' '.repeat(40_000))), 'wrong_format');
    assert.equal(flawOf(googlePay(googlePayText + ' '.repeat(40_000))), 'wrong_format');
  });

  it('is refused whatever value it is (property)', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything({ maxDepth: 4 }), fc.json(), fc.string()), (value) => {
        for (const open of OPENERS) assert.ok(flaws.includes(flawOf(open(value)) as (typeof flaws)[number]));
      }),
      { numRuns: 1000 },
    );
  });

  it('is refused before it is read when one field of an object is huge', () => {
    const long = 'A'.repeat(40_000);
    for (const name of ['data', 'signature'])
      assert.equal(flawOf(applePay({ ...appleToken(), [name]: long })), 'wrong_format');
    for (const name of ['signedMessage', 'signature'])
      assert.notEqual(flawOf(googlePay({ ...googleToken(), [name]: long })), 'opened');
    const { intermediateSigningKey } = googleToken();
    const [signature] = intermediateSigningKey.signatures as string[];
    for (const signatures of [[], {}, [1], [null], [[signature]], ['*'], Array.from({ length: 9 }, () => signature)])
      assert.equal(
        flawOf(googlePay({ ...googleToken(), intermediateSigningKey: { ...intermediateSigningKey, signatures } })),
        'wrong_format',
      );
  });
});

describe('a hostile signature', () => {
  const by = (signature: Buffer) => flawOf(applePay({ ...appleToken(), signature: signature.toString('base64') }));
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');

  it('in wrong format is found to be so: lengths that lie, tags of many bytes, ends that never come', () => {
    for (const text of [
      '00',
      '30',
      '3080',
      '308000',
      '30800000',
      '0480',
      '308100',
      '30817f',
      '3084ffffffff',
      '30ffffffffffffffffff',
      '3003020100ff',
      '1f81818181',
      '30030201',
      '3080300030',
      '0609',
      '300206',
      '300b06092a864886f70d010702',
    ])
      assert.equal(by(hex(text)), 'wrong_format', text);
  });

  it('is not followed into the deep, nor counted without end', () => {
    assert.equal(by(hex('3080'.repeat(5_000))), 'wrong_format');
    assert.equal(by(Buffer.concat([hex('3080'.repeat(5_000)), Buffer.alloc(10_000)])), 'wrong_format');
    assert.equal(by(hex(`3080${'0500'.repeat(10_000)}0000`)), 'wrong_format');
    const bytes = hex(`30825dc0${'0500'.repeat(12_000)}`);
    assert.equal(bytes.length, 24_004);
    assert.equal(by(bytes), 'wrong_format');
  });

  it('of any bytes, or of a right one with any part replaced, is refused (property)', () => {
    const token = appleToken();
    const right = Buffer.from(String(token.signature), 'base64');
    const payment = clear(applePay(token));
    fc.assert(
      fc.property(fc.nat(right.length), fc.nat(40), fc.uint8Array({ maxLength: 40 }), (at, length, bytes) => {
        const signature = Buffer.concat([right.subarray(0, at), bytes, right.subarray(at + length)]);
        const result = applePay({ ...token, signature: signature.toString('base64') });
        if (result.ok) assert.deepEqual(clear(result), payment);
      }),
      { numRuns: 1500 },
    );
  });

  it('with points that are none: off the curve, at infinity, compressed', () => {
    const token = appleToken();
    const spki = Buffer.from(String(token.header.ephemeralPublicKey), 'base64');
    const head = spki.subarray(0, 26);
    const point = spki.subarray(26);
    const off = Buffer.from(point);
    off[64] = (off[64] as number) ^ 1;
    const points = [off, Buffer.alloc(65), Buffer.concat([Buffer.from([4]), Buffer.alloc(64)])];
    const compressed = Buffer.concat([Buffer.from([2]), point.subarray(1, 33)]);
    for (const each of [...points, compressed, Buffer.from([0])]) {
      const header = { ...token.header, ephemeralPublicKey: Buffer.concat([head, each]).toString('base64') };
      assert.equal(flawOf(applePay({ ...token, header })), 'wrong_format');
      // Google's is inside of what is signed, so it is signed again here.
      const ephemeral = { ...freshKeyPair(random), point: each };
      assert.equal(flawOf(googlePay(googleToken({ ephemeral }))), 'wrong_format');
    }
  });

  it('on certificates that do not parse, or by a key of another curve than the wallet’s, is refused', () => {
    const signer = appleSigner(SEED);
    const signature = signDetached(signer, [Buffer.from('a text')], NOW);
    const at = signature.indexOf(signer.certificates[0] as Buffer);
    assert.ok(at > 0);
    signature.fill(0xff, at + 60, at + 90);
    assert.equal(by(signature), 'wrong_format');
    const leaf = makeCertificate({ ...signer.leaf, subject: 'Somebody Else' });
    const other = [leaf, signer.certificates[1] as Buffer];
    assert.equal(flawOf(applePay(appleToken({ signer: { ...signer, certificates: other } }))), 'bad_signature');
    const detached = signDetached(signer, [Buffer.from('another text')], NOW);
    assert.equal(by(detached), 'bad_signature');
  });
});

describe('a flaw', () => {
  it('is one word: no number, no cryptogram, no cause comes with it', () => {
    const results = [
      applePay(appleToken({ plaintext: appleContent({ transactionAmount: -1 }) })),
      applePay(appleToken({ plaintext: `${appleContent()} ${DIGITS}` })),
      applePay(appleToken({ signedAt: new Date('2020-02-02T00:00:00Z') })),
      applePay(`{"pan":"${DIGITS}"`),
      applePay({ ...appleToken(), data: `${DIGITS}` }),
      googlePay(googleToken({ plaintext: googleContent({}, { expirationMonth: 13 }) })),
      googlePay(googleToken({ plaintext: `${googleContent()}${DIGITS}` })),
      googlePay(googleToken({ plaintext: googleContent({ gatewayMerchantId: 'x' }) })),
      googlePay(`{"pan":"${DIGITS}"`),
    ];
    for (const result of results) {
      assert.deepEqual(Object.keys(result), ['ok', 'flaw']);
      const shown = inspect(result, { depth: 9, showHidden: true });
      assert.ok(!shown.includes(DIGITS) && !shown.includes(CRYPTOGRAM), 'card data in a flaw');
    }
  });

  it('and neither does a payment that is printed show the number', () => {
    const result = applePay(appleToken());
    assert.ok(result.ok);
    const shown = inspect(result, { depth: 9, showHidden: true }) + JSON.stringify(result.payment.pan);
    assert.ok(shown.includes('411111******1111') && !shown.includes(DIGITS));
  });
});

describe('the sandbox', () => {
  it('gives each seed keys of its own: what one signs, the other refuses', () => {
    const other = walletSandbox({ seed: Buffer.alloc(32, 'other'), random, recipientId: RECIPIENT });
    assert.equal(flawOf(applePay(other.applePayToken(MERCHANT, CARD, APPROVED, NOW))), 'unknown_key');
    assert.equal(flawOf(googlePay(other.googlePayToken(SHOP, CARD, NOW))), 'bad_signature');
    const again = walletSandbox({ seed: SEED, random, recipientId: RECIPIENT });
    assert.ok(openGooglePay(again.googlePayToken(SHOP, CARD, NOW), SHOP, google, NOW).ok);
  });

  it('draws a new cryptogram and a new key for each token, and never the plain card for Apple Pay', () => {
    const { cryptogram: _, ...card } = CARD;
    const [one, two] = [sandbox.googlePayToken(SHOP, card, NOW), sandbox.googlePayToken(SHOP, card, NOW)];
    assert.notEqual(clear(googlePay(one)).cryptogram, clear(googlePay(two)).cryptogram);
    assert.notEqual(clear(googlePay(one)).tokenId, clear(googlePay(two)).tokenId);
    assert.throws(() => sandbox.applePayToken(MERCHANT, { ...CARD, cryptogram: null }, APPROVED, NOW), /plain card/);
    assert.throws(() => seededKeyPair(Buffer.alloc(31), 'short'), /32 bytes/);
  });
});

describe('the room', () => {
  it('is pure: it imports base, node:crypto and what reads ASN.1, and nothing else', () => {
    const files = filesIn('src/wallets', '.ts');
    assert.ok(files.length >= 8);
    const outside = new Set(files.flatMap((path) => sourceOf(path).imports.map(({ module }) => module)));
    for (const path of files) outside.delete(`./${path.split('/').at(-1)}`);
    assert.deepEqual([...outside].sort(), ['../base/index.ts', 'asn1js', 'node:crypto', 'pkijs']);
  });
});
