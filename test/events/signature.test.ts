// Signatures of Standard Webhooks: made and read.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import {
  endpointKey,
  publicKeyText,
  type SignatureScheme,
  type SigningKey,
  secretKey,
  secretText,
  signatureHeaders,
  signatureProblem,
} from '../../src/events/index.ts';

const keyed = (purpose: string, data: string): Buffer =>
  createHmac('sha256', 'master').update(`${purpose}:${data}`).digest();
const [first, second] = [1, 2].map((generation) => endpointKey(keyed, 7n, 11n, generation)) as [SigningKey, SigningKey];
const AT = new Date('2026-11-21T10:00:00.900Z');
const body = Buffer.from('{"name":"Żółć"}');
const signed = (keys: readonly SigningKey[], scheme: SignatureScheme = 'hmac') =>
  signatureHeaders({ id: '8041', at: AT, body, keys, scheme });
const problem = (headers: object, keys: readonly SigningKey[], now = AT, bytes = body) =>
  signatureProblem({ ...headers }, bytes, { keys, now });

test('keys are an endpoint’s own, and of one generation', () => {
  const those = [
    endpointKey(keyed, 7n, 11n, 1),
    second,
    endpointKey(keyed, 8n, 11n, 1),
    endpointKey(keyed, 7n, 12n, 1),
  ];
  assert.equal(new Set(those.map(secretText)).size, 4);
  assert.equal(new Set(those.map(publicKeyText)).size, 4);
  assert.equal(secretText(first), secretText(those[0] as SigningKey));
  assert.match(secretText(first), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.match(publicKeyText(first) ?? '', /^whpk_[A-Za-z0-9+/]{43}=$/);
});

describe('secrets of others', () => {
  for (const [bytes, taken] of [
    [23, false],
    [24, true],
    [64, true],
    [65, false],
  ] as const)
    test(`of ${bytes} bytes: ${taken}`, () => {
      const text = `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
      const key = secretKey(text);
      assert.equal(key !== null, taken);
      if (key) assert.deepEqual([secretText(key), publicKeyText(key)], [text, null]);
    });
  for (const text of ['', 'whsec_', 'YSBrZXkgb2YgdGhlIHRlbmFudCB0aGF0', 'whsec_not base64 at all, really not'])
    test(JSON.stringify(text), () => assert.equal(secretKey(text), null));
});

describe('a message', () => {
  test('has one signature for each key and scheme', () => {
    assert.match(signed([first])['webhook-signature'], /^v1,\S{44}$/);
    assert.match(signed([first, second])['webhook-signature'], /^v1,\S{44} v1,\S{44}$/);
    assert.match(signed([first], 'ed25519')['webhook-signature'], /^v1a,\S{88}$/);
    assert.match(signed([first, second], 'both')['webhook-signature'], /^v1,\S{44} v1a,\S{88} v1,\S{44} v1a,\S{88}$/);
    assert.equal(signed([first, second, first, second])['webhook-signature'].split(' ').length, 3);
    assert.equal(signed([first])['webhook-timestamp'], '1795255200');
  });

  for (const scheme of ['hmac', 'ed25519', 'both'] as const)
    test(`by ${scheme} is taken, in rotation by the old key and by the new one`, () => {
      const headers = signed([second, first], scheme);
      for (const key of [first, second]) assert.equal(problem(headers, [key]), null);
      assert.equal(problem(headers, [endpointKey(keyed, 7n, 11n, 3)]), 'wrong');
      assert.equal(problem(headers, [first], AT, Buffer.from('{"name":"Zolc"}')), 'wrong');
      assert.equal(problem({ ...headers, 'webhook-id': '8042' }, [first]), 'wrong');
    });

  test('is taken for five minutes either way', () => {
    const after = (minutes: number): Date => new Date(AT.getTime() + minutes * 60_000);
    assert.deepEqual(
      [-6, -4, 4, 6].map((minutes) => problem(signed([first]), [first], after(minutes))),
      ['too_new', null, null, 'too_old'],
    );
  });

  test('without what belongs to it is none', () => {
    const headers = signed([first]);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      assert.equal(problem({ ...headers, [name]: undefined }, [first]), 'missing', name);
    assert.equal(problem({ ...headers, 'webhook-timestamp': '1e9' }, [first]), 'missing');
    for (const signature of ['', 'v1', 'v1,', 'v2,AAAA', 'v1a,AAAA', `v1a,${'A'.repeat(88)}`])
      assert.equal(problem({ ...headers, 'webhook-signature': signature }, [first]), 'wrong', signature);
  });
});

describe('by the library that receivers use', () => {
  const verified = (
    t: TestContext,
    headers: object,
    key: SigningKey,
    minutes = 0,
    payload: string | Buffer = body,
  ): unknown => {
    t.mock.timers.enable({ apis: ['Date'], now: AT.getTime() + minutes * 60_000 });
    try {
      return new Webhook(secretText(key)).verify(payload, { ...headers });
    } catch (error) {
      return (error as Error).message;
    } finally {
      t.mock.timers.reset();
    }
  };
  const CONTENT = { name: 'Żółć' };

  test('a message is verified, in rotation by the old key and by the new one', (t) => {
    for (const keys of [[first], [second, first], [endpointKey(keyed, 7n, 11n, 3), second, first]])
      for (const key of keys) {
        assert.deepEqual(verified(t, signed(keys), key), CONTENT);
        assert.deepEqual(verified(t, signed(keys, 'both'), key), CONTENT, 'signed by Ed25519, too');
      }
    assert.equal(verified(t, signed([second]), first), 'No matching signature found', 'when the overlap is over');
    assert.equal(verified(t, signed([first], 'ed25519'), first), 'No matching signature found', 'it reads v1 alone');
    assert.equal(verified(t, signed([first]), first, 0, '{"name":"Zolc"}'), 'No matching signature found');
  });

  test('a clock that is four minutes off passes, six minutes off it does not', (t) => {
    for (const minutes of [-4, 4]) assert.deepEqual(verified(t, signed([first]), first, minutes), CONTENT);
    assert.equal(verified(t, signed([first]), first, 6), 'Message timestamp too old');
    assert.equal(verified(t, signed([first]), first, -6), 'Message timestamp too new');
  });

  test('what it signs is what we read', () => {
    const signature = new Webhook(secretText(first)).sign('8041', AT, body);
    const headers = { 'webhook-id': '8041', 'webhook-timestamp': '1795255200', 'webhook-signature': signature };
    assert.equal(problem(headers, [first]), null);
  });
});
