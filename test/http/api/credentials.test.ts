// Who is asking, whether they may, and how often.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type Clock, systemClock } from '../../../src/base/index.ts';
import { basicAuthentication, basicCredentials, networkOf, type Rate, rateLimiter } from '../../../src/http/index.ts';
import { basic, type Principal, type Service, SHOP, startService } from '../service.ts';

/** A clock whose monotonic time is moved by hand. */
const manualClock = (): Clock & { pass(ms: number): void } => {
  let now = 1000;
  return { ...systemClock, elapsed: () => now, pass: (ms) => void (now += ms) };
};

describe('HTTP Basic', () => {
  test('reads login and password as RFC 7617 has them', () => {
    assert.deepEqual(basicCredentials(basic('shop', 'a:b:c')), { login: 'shop', password: 'a:b:c' });
    assert.deepEqual(basicCredentials(basic('café', '')), { login: 'café', password: '' });
    assert.deepEqual(basicCredentials(`bAsIc   ${Buffer.from('a:b').toString('base64')}`), {
      login: 'a',
      password: 'b',
    });
  });

  test('any login and password survive the way', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(text, text, (login, password) => {
        fc.pre(!login.includes(':'));
        assert.deepEqual(basicCredentials(basic(login, password)), { login, password });
      }),
    );
  });

  const wrong: readonly (string | undefined)[] = [
    undefined,
    '',
    'Basic',
    'Basic ',
    'Bearer abc',
    'Basic a',
    'Basic abc',
    'Basic !!!!',
    'Basic YTpi,YTpi',
    'Basic YTpi YTpi',
    'Basic YTpi\t',
    'Basic YTp=',
    'YTpi',
    `Basic ${Buffer.from('nocolon').toString('base64')}`,
    `Basic ${Buffer.from(':nologin').toString('base64')}`,
    `Basic ${Buffer.from([0xff, 0x3a, 0x61]).toString('base64')}`,
    `Basic ${Buffer.from('a\0:b').toString('base64')}`,
    `Basic ${Buffer.from('a:b\r\n').toString('base64')}`,
    `Basic ${Buffer.from('é:é').toString('base64url')}-_`,
    `Basic ${'YTpi'.repeat(1000)}`,
  ];
  test('anything else is no credential', () => {
    for (const field of wrong) assert.equal(basicCredentials(field), null, String(field));
  });
});

describe('over HTTP', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.server.close());
  const get = (path: string, authorization?: string): Promise<Response> =>
    fetch(service.url + path, authorization === undefined ? {} : { headers: { authorization } });

  test('no, unknown and wrong credentials are the same 401 to the byte', async () => {
    const seen = new Set<string>();
    for (const credential of [
      undefined,
      basic('nobody', 'shop-sécret'),
      basic('shop', 'wrong'),
      basic('shop', ''),
      'Basic x',
      'Bearer y',
    ]) {
      const response = await get('/test/orders/1', credential);
      const headers = Object.fromEntries(response.headers);
      delete headers.date;
      delete headers['x-request-id'];
      seen.add(JSON.stringify([response.status, headers, await response.text()]));
    }
    assert.equal(seen.size, 1);
    assert.match([...seen][0] ?? '', /^\[401,.*"www-authenticate":"Basic realm=\\"test\\""/);
  });

  test('credentials come before everything else that may be wrong', async () => {
    const response = await fetch(`${service.url}/test/orders/create?%zz`, {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'text/plain' },
      body: 'x',
    });
    assert.equal(response.status, 401);
  });

  test('every endpoint asks for them', async () => {
    for (const [method, path] of [
      ['GET', '/ping'],
      ['GET', '/orders/'],
      ['GET', '/orders/1'],
      ['POST', '/orders/create'],
      ['PUT', '/orders/1/cancel'],
      ['HEAD', '/ping'],
    ] as const) {
      assert.equal((await fetch(`${service.url}/test${path}`, { method })).status, 401, path);
    }
  });

  test('a right that the credential lacks is 403, before the shape is looked at', async () => {
    const reader = basic('reader', 'reader:secret');
    assert.equal((await get('/test/orders/1', reader)).status, 200);
    const refused = await fetch(`${service.url}/test/orders/create`, {
      method: 'POST',
      headers: { authorization: reader, 'content-type': 'text/plain' },
      body: 'x',
    });
    assert.deepEqual([refused.status, await refused.json()], [403, { kind: 'forbidden' }]);
  });
});

test('wrong credentials beyond a rate are 429 for their address; right ones still pass; each is told', async () => {
  const clock = manualClock();
  const refused: [string, string | null][] = [];
  const service = await startService({
    api: {
      authentication: basicAuthentication<Principal>({
        authenticator: async (login, password) =>
          login === 'shop' && password === 'shop-sécret' ? { login, rights: ['read'] } : null,
        failures: { limiter: rateLimiter(clock), rate: { perSecond: 0.5, burst: 3 } },
        onRefused: (address, login) => refused.push([address, login]),
      }),
    },
  });
  const status = async (authorization: string): Promise<number> =>
    (await fetch(`${service.url}/test/ping`, { headers: { authorization } })).status;
  const wrong = basic('shop', 'wrong');
  assert.deepEqual(
    [await status(wrong), await status('x'), await status(wrong), await status(wrong)],
    [401, 401, 401, 429],
  );
  assert.equal(await status(SHOP), 200);
  assert.deepEqual(refused, [
    ['127.0.0.1', 'shop'],
    ['127.0.0.1', null],
    ['127.0.0.1', 'shop'],
    ['127.0.0.1', 'shop'],
  ]);
  clock.pass(2000);
  assert.equal(await status(wrong), 401);
  await service.server.close();
});

test('an IPv6 client is its /64', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), networkOf('2001:0DB8:1:2::9'));
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64');
  assert.notEqual(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'));
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
});

describe('rate limits', () => {
  test('a full bucket, then what flows in; another key has its own', () => {
    const clock = manualClock();
    const limiter = rateLimiter(clock);
    const rate: Rate = { perSecond: 2, burst: 3 };
    const take = (key: string): boolean => limiter.take(key, rate).allowed;
    assert.deepEqual([take('a'), take('a'), take('a'), take('a'), take('b')], [true, true, true, false, true]);
    clock.pass(500);
    assert.deepEqual([take('a'), take('a')], [true, false]);
    clock.pass(60_000);
    assert.deepEqual([take('a'), take('a'), take('a'), take('a')], [true, true, true, false]);
    assert.deepEqual(limiter.take('c', rate).state, { limit: 3, remaining: 2, windowSeconds: 2, resetSeconds: 1 });
  });

  test('who waits as long as told is not refused a second time, however many came at once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 200 }),
        (tenths, burst, count) => {
          const rate: Rate = { perSecond: tenths / 10, burst };
          fc.pre((count - burst) / rate.perSecond < 55);
          const clock = manualClock();
          const limiter = rateLimiter(clock);
          const waiting: number[] = [];
          for (let i = 0; i < count; i++) {
            const { allowed, retryAfterSeconds } = limiter.take('k', rate);
            assert.equal(allowed, i < burst);
            if (!allowed) waiting.push(retryAfterSeconds);
          }
          let now = 0;
          for (const seconds of waiting.sort((a, b) => a - b)) {
            clock.pass((seconds - now) * 1000);
            now = seconds;
            assert.ok(limiter.take('k', rate).allowed, `refused again after ${seconds} s`);
          }
        },
      ),
    );
  });

  test('a client that does not stop is told at most a minute', () => {
    const limiter = rateLimiter(manualClock());
    const told = Array.from({ length: 5000 }, () => limiter.take('k', { perSecond: 1, burst: 1 }).retryAfterSeconds);
    assert.equal(Math.max(...told), 60);
  });

  test('of too many keys those are forgotten that were quiet longest, never who is at it', () => {
    const limiter = rateLimiter(manualClock());
    const rate: Rate = { perSecond: 0.001, burst: 1 };
    limiter.take('quiet', rate);
    for (let i = 0; i < 120_000; i++) {
      limiter.take(`made up ${i}`, rate);
      if (i % 1000 === 0) assert.equal(limiter.take('busy', rate).allowed, i === 0, `${i}`);
    }
    assert.equal(limiter.take('quiet', rate).allowed, true);
  });

  test('over HTTP: fields on every answer, 429 with Retry-After, and through again afterwards', async () => {
    const clock = manualClock();
    const rate: Rate = { perSecond: 1, burst: 2 };
    const service = await startService({
      api: {
        limits: {
          limiter: rateLimiter(clock),
          rateOf: ({ login }) => (login === 'shop' ? { key: login, rate } : null),
        },
      },
    });
    const get = (authorization: string): Promise<Response> =>
      fetch(`${service.url}/test/ping`, { headers: { authorization } });
    const first = await get(SHOP);
    assert.deepEqual(
      [first.status, first.headers.get('ratelimit'), first.headers.get('ratelimit-policy')],
      [200, '"default";r=1;t=1', '"default";q=2;w=2'],
    );
    await get(SHOP);
    const refused = await get(SHOP);
    assert.deepEqual(
      [refused.status, refused.headers.get('retry-after'), await refused.json()],
      [429, '1', { kind: 'rate_limited' }],
    );
    assert.equal(refused.headers.get('ratelimit'), '"default";r=0;t=1');
    const unlimited = await get(basic('reader', 'reader:secret'));
    assert.deepEqual([unlimited.status, unlimited.headers.get('ratelimit')], [200, null]);
    clock.pass(1000);
    assert.equal((await get(SHOP)).status, 200);
    await service.server.close();
  });
});
