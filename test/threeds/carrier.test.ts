// What travels through browsers: only what we would have written ourselves is read, everything else is null.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemRandom } from '../../src/base/index.ts';
import {
  decodeRequest,
  encodeCres,
  encodePaRes,
  encodeRequest,
  isUuid,
  makeMd,
  matchesCres,
  matchesPaRes,
  type ResponseFacts,
  readMd,
  uuid,
} from '../../src/threeds/protocol/carrier.ts';
import { ids, keys } from './world.ts';

const request = {
  messageType: 'CReq',
  messageVersion: '2.2.0',
  threeDSServerTransID: uuid(systemRandom),
  acsTransID: uuid(systemRandom),
  challengeWindowSize: '05',
};
const facts: ResponseFacts = {
  version: '2.2.0',
  serverTransId: uuid(systemRandom),
  acsTransId: uuid(systemRandom),
  dsTransId: uuid(systemRandom),
  letter: 'N',
};
const otherKeys = { ...keys, keyed: (purpose: string, data: Buffer | string) => keys.keyed(`other ${purpose}`, data) };
const pack = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('MD: 64 characters, names owner and order, tells neither by its look, is another for each transaction and key', () => {
  const id = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(id, id, id, (owner, orderId, transactionId) => {
      const md = makeMd(ids, keys, { owner, orderId, transactionId });
      assert.match(md, /^[A-Za-z0-9_-]{64}$/);
      assert.deepEqual(readMd(ids, md), { owner, orderId });
      assert.equal(makeMd(ids, keys, { owner, orderId, transactionId }), md, 'the same again for the same transaction');
      assert.notEqual(makeMd(ids, keys, { owner, orderId, transactionId: transactionId ^ 1n }), md);
      assert.notEqual(makeMd(ids, otherKeys, { owner, orderId, transactionId }), md, 'none without our key');
    }),
  );
  const one = Buffer.alloc(8);
  one.writeBigUInt64BE(1n);
  assert.ok(!Buffer.from(makeMd(ids, keys, { owner: 1n, orderId: 1n, transactionId: 1n }), 'base64url').includes(one));
});

test('MD of another form is nobody’s', () => {
  const md = makeMd(ids, keys, { owner: 1n, orderId: 2n, transactionId: 3n });
  for (const wrong of [
    '',
    md.slice(1),
    `${md}A`,
    `${md.slice(0, -1)}=`,
    `${md.slice(0, -1)}+`,
    `${md}\n`,
    ' '.repeat(64),
  ]) {
    assert.equal(readMd(ids, wrong), null, JSON.stringify(wrong));
  }
});

test('a request message is read back, and only in its one spelling', () => {
  const text = encodeRequest(request);
  assert.match(text, /^[A-Za-z0-9_-]+$/);
  assert.deepEqual(decodeRequest(text), request);
  const wrong: Record<string, string> = {
    padded: `${text}=`,
    'with spaces': ` ${text}`,
    'standard base64': `${text}+/`,
    'no JSON': Buffer.from('{').toString('base64url'),
    'an array': pack([request]),
    'a null': pack(null),
    'a field less': pack({ ...request, acsTransID: undefined }),
    'a field more': pack({ ...request, extra: '1' }),
    'a number': pack({ ...request, challengeWindowSize: 5 }),
    'another window': pack({ ...request, challengeWindowSize: '06' }),
    'another version': pack({ ...request, messageVersion: '1.0.2' }),
    'no UUID': pack({ ...request, acsTransID: `${request.acsTransID}"><script>` }),
    'a line break behind': pack({ ...request, acsTransID: `${request.acsTransID}\n` }),
    'a prototype': Buffer.from(JSON.stringify(request).replace('"acsTransID"', '"__proto__"')).toString('base64url'),
    'too long': pack({ ...request, extra: 'x'.repeat(2000) }),
  };
  for (const [what, value] of Object.entries(wrong)) assert.equal(decodeRequest(value), null, what);
});

test('whatever text comes, reading it neither throws nor finds a message', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.json().map((text) => Buffer.from(text).toString('base64url')),
      ),
      (text) => {
        assert.equal(decodeRequest(text), null);
        assert.equal(matchesPaRes(keys, text, facts), false);
        assert.equal(matchesCres(text, facts), false);
      },
    ),
    { numRuns: 500 },
  );
});

test('PaRes: every character counts', () => {
  const pares = encodePaRes(keys, facts);
  assert.ok(matchesPaRes(keys, pares, facts));
  for (let i = 0; i < pares.length; i++) {
    const changed = pares.slice(0, i) + (pares[i] === 'A' ? 'B' : 'A') + pares.slice(i + 1);
    assert.equal(matchesPaRes(keys, changed, facts), false, `character ${i}`);
  }
});

test('PaRes and cres hold for their transaction and status only', () => {
  const pares = encodePaRes(keys, facts);
  const cres = encodeCres(facts);
  assert.ok(matchesCres(cres, facts));
  const others: ResponseFacts[] = [
    { ...facts, letter: 'Y' },
    { ...facts, serverTransId: uuid(systemRandom) },
    { ...facts, acsTransId: uuid(systemRandom) },
    { ...facts, version: '2.1.0' },
  ];
  for (const other of others) {
    assert.equal(matchesPaRes(keys, pares, other), false);
    assert.equal(matchesCres(cres, other), false);
  }
  assert.equal(matchesPaRes(keys, pares, { ...facts, dsTransId: uuid(systemRandom) }), false);
  assert.equal(matchesPaRes(keys, cres, facts), false);
  assert.equal(matchesCres(pares, facts), false);
});

test('a PaRes that says Y under another key, or with the signature of N, is nothing', () => {
  const yes: ResponseFacts = { ...facts, letter: 'Y' };
  const foreign = { ...keys, keyed: (_: string, data: Buffer | string) => keys.keyed('another', data) };
  assert.equal(matchesPaRes(keys, encodePaRes(foreign, yes), yes), false);
  const message = JSON.parse(Buffer.from(encodePaRes(keys, facts), 'base64url').toString());
  assert.equal(matchesPaRes(keys, pack({ ...message, transStatus: 'Y' }), yes), false);
});

test('our UUIDs are version 4', () => {
  const made = uuid(systemRandom);
  assert.ok(isUuid(made));
  assert.match(made, /^.{14}4/);
});
