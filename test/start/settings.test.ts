// Settings that would leave a door open are refused with one sentence that names them, before anything is started.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom, variety } from '../../src/base/index.ts';
import { readConfig } from '../../src/config.ts';
import { Failure } from '../../src/http/index.ts';
import { bearerAuthentication } from '../../src/operator/index.ts';
import { StartError } from '../../src/store/index.ts';

const SECRET = 'd5d0f3c1a97b4e2288f6b0a47e13c9de';
const LIVE = {
  FLORIN_MODE: 'live',
  OPERATOR_SECRET: SECRET,
  PUBLIC_URL: 'https://pay.example',
  TRUSTED_PROXIES: '127.0.0.1',
};

const refused = (env: Record<string, string | undefined>, sentence: RegExp): void =>
  assert.throws(
    () => readConfig(env, {}),
    (error: Error) => {
      assert.ok(error instanceof StartError, String(error));
      assert.match(error.message, sentence);
      assert.match(error.message, /^[^\n]+[^.]\.$/, 'one sentence');
      return true;
    },
    JSON.stringify(env),
  );

describe("the operator's secret", () => {
  test('is never empty, blank, one character repeated or what no bearer token can be, in either mode', () => {
    for (const mode of [{}, LIVE])
      for (const secret of [
        '',
        ' ',
        '\t \n',
        '                             ',
        'x',
        'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
        'two words of a long sentence of mine',
        ` ${SECRET}`,
        `${SECRET} `,
        `=${SECRET}`,
        'пароль-пароль-пароль-пароль',
      ])
        refused({ ...mode, OPERATOR_SECRET: secret }, /OPERATOR_SECRET/);
    assert.equal(readConfig({}, {}).operatorSecret, 'sandbox-operator');
    assert.equal(readConfig({ OPERATOR_SECRET: 'tests' }, {}).operatorSecret, 'tests');
  });

  test('of a live server is long, of its own, and hard to guess', () => {
    for (const secret of [
      undefined,
      'sandbox-operator',
      SECRET.slice(0, 23),
      'sandbox-operator-sandbox-operator',
      'my-SANDBOX-SECRET-is-so-long',
      'abababababababababababababababab',
      'abcdefghijklmnopqrstuvwxyz012345',
      '123456789012345678901234567890',
      'qwertyuiopasdfghjklzxcvbnm',
      'secretsecretsecretsecretsecret',
    ])
      refused({ ...LIVE, OPERATOR_SECRET: secret }, /OPERATOR_SECRET/);
    assert.equal(readConfig(LIVE, {}).operatorSecret, SECRET);
  });

  test('made by chance is never refused', () => {
    const random = seededRandom(24);
    for (let i = 0; i < 2000; i++) {
      const [hex, base64] = [random.bytes(12).toString('hex'), random.bytes(18).toString('base64')];
      for (const secret of [hex, base64])
        assert.equal(readConfig({ ...LIVE, OPERATOR_SECRET: secret }, {}).operatorSecret, secret);
    }
    assert.equal(variety(''), 0);
  });

  test('that is missing in a request is none, and an empty one opens nothing', async () => {
    assert.throws(() => bearerAuthentication({ secrets: [''], failures: null }));
    const { check } = bearerAuthentication({ secrets: [SECRET], failures: null });
    const asked = async (headers: Record<string, string>) =>
      check({ headers, remoteAddress: '192.0.2.1', certificate: null });
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Bearer  ', 'Bearer =', 'Basic Og=='])
      await assert.rejects(asked({ authorization }), Failure, authorization);
    await assert.rejects(asked({}), Failure);
    assert.equal((await asked({ authorization: `Bearer ${SECRET}` })).name, 'operator');
  });
});

test('rates and processes are numbers that mean something', () => {
  for (const RATE_LIMIT of ['0/0', '0/5', '5/0', '-1/5', '5', '1.5/5', '']) refused({ RATE_LIMIT }, /RATE_LIMIT/);
  assert.deepEqual(readConfig({ RATE_LIMIT: '5/10' }, {}).rateLimit, { perSecond: 5, burst: 10 });
  for (const PROCESSES of ['', '0', '-1', '1.5', '65', '100', '2 ', '1e1', 'two']) refused({ PROCESSES }, /PROCESSES/);
  assert.deepEqual(
    [undefined, '1', '64'].map((PROCESSES) => readConfig({ PROCESSES }, {}).processes),
    [1, 1, 64],
  );
});

test('events are kept for days that can be promised', () => {
  for (const EVENTS_DAYS of ['', '0', '6', '401', '-30', '7.5', '30d', '1e2', ' 30'])
    refused({ EVENTS_DAYS }, /EVENTS_DAYS must be a whole number of days, 7 to 400/);
  assert.deepEqual(
    [undefined, '7', '400'].map((EVENTS_DAYS) => readConfig({ EVENTS_DAYS }, {}).eventsDays),
    [30, 7, 400],
  );
});

describe('live mode', () => {
  test('is reached by https only', () => {
    for (const PUBLIC_URL of [undefined, '', 'http://pay.example', 'HTTP://pay.example'])
      refused({ ...LIVE, PUBLIC_URL }, /PUBLIC_URL/);
    assert.equal(readConfig({ ...LIVE, PUBLIC_URL: 'https://pay.example/' }, {}).publicUrl, 'https://pay.example');
  });

  test('listens without TLS only behind a proxy that it was told of', () => {
    for (const TRUSTED_PROXIES of [undefined, '']) refused({ ...LIVE, TRUSTED_PROXIES }, /TRUSTED_PROXIES/);
  });

  test('of a sandbox none of this is asked', () => {
    const { publicUrl, trustedProxies, keyFile } = readConfig({}, {});
    assert.deepEqual([publicUrl, trustedProxies, keyFile], ['', [], null]);
  });
});

test('proxies are addresses or networks', () => {
  const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,2001:db8::/32' }, {});
  assert.deepEqual(trustedProxies, ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
  for (const wrong of ['proxy.example', '10.0.0.0/33', '10.0.0.0/', '2001:db8::/129', '10.0.0.1,', '10.0.0.0/8/8'])
    refused({ TRUSTED_PROXIES: wrong }, /TRUSTED_PROXIES/);
});

describe('what is called outside', () => {
  test('a sandbox calls programs beside it, a live server only what is public', () => {
    const { allow, ca, proxy } = readConfig({}, {}).webhooks;
    assert.deepEqual([allow.private, allow.http, ca, proxy], [true, true, null, null]);
    const live = readConfig(LIVE, {}).webhooks.allow;
    assert.deepEqual([live.private, live.http, live.exceptions], [false, false, []]);
    assert.equal(readConfig({ WEBHOOK_ALLOW: '' }, {}).webhooks.allow.private, false);
    assert.equal(readConfig({ ...LIVE, WEBHOOK_ALLOW: '10.0.0.0/8, hooks' }, {}).webhooks.allow.exceptions.length, 2);
  });

  test('is told in words that can be read', () => {
    for (const WEBHOOK_ALLOW of ['10.0.0.0/99', 'https://hooks', 'hooks:8080'])
      refused({ WEBHOOK_ALLOW }, /WEBHOOK_ALLOW/);
    for (const WEBHOOK_PROXY of ['proxy:3128', 'socks5://proxy', 'http://proxy/path', 'http://proxy/?q'])
      refused({ WEBHOOK_PROXY }, /WEBHOOK_PROXY/);
    assert.equal(readConfig({ WEBHOOK_PROXY: 'http://u:p@proxy:3128' }, {}).webhooks.proxy, 'http://u:p@proxy:3128');
    for (const WEBHOOK_CA_FILE of ['/no/such/file', import.meta.filename])
      refused({ WEBHOOK_CA_FILE }, /WEBHOOK_CA_FILE/);
  });
});
