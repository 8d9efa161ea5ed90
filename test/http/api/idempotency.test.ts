// Idempotency keys: what a repeat finds, whose keys meet, what is kept.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type OnceScope, onceFor } from '../../../src/http/api/idempotency.ts';
import { type OnceRecord, onceKind } from '../../../src/http/api/queries.ts';
import {
  Amount,
  type AnyEndpoint,
  endpointOf,
  type OnceOptions,
  Optional,
  onceRecords,
  Shape,
} from '../../../src/http/index.ts';
import { type Once, onceCommand, type StoredAnswer } from '../../../src/store/commit/once.ts';
import type { Change, Loaded, Subject } from '../../../src/store/index.ts';
import { toldAt } from '../../support/decisions.ts';
import { basic, type Principal, raw, type Service, SHOP, startService } from '../service.ts';

const keyed = (purpose: string, data: Buffer | string): Buffer => createHmac('sha256', purpose).update(data).digest();
const DAY = 86_400_000;
const options: OnceOptions = { keyed, header: 'idempotency-key', keepMs: 7 * DAY, reused: 'validation' };
const scope: OnceScope = { owner: 7n, credential: 'gateway 1', method: 'POST', path: '/gateway/orders/create' };
const NOW = new Date('2026-11-21T09:00:00Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

/** The records as a committer would keep them. */
const order = (id: bigint): Subject => ({ type: 'order', id });

class Records {
  readonly rows = new Map<string, OnceRecord>();
  readonly loaded: Loaded = { get: (kind, key) => this.rows.get(kind.keyText(key)) as never };

  apply(changes: readonly Change[]): void {
    for (const { op, row } of changes) {
      const key = onceKind.keyText(row as unknown as OnceRecord);
      assert.equal(op === 'insert' ? this.rows.has(key) : false, false, 'inserted twice');
      if (op === 'update') assert.ok(this.rows.has(key), 'updated without a row');
      if (op === 'remove') this.rows.delete(key);
      else this.rows.set(key, row as unknown as OnceRecord);
    }
  }

  begin(once: Once, now = NOW, subject: Subject | null = null): ReturnType<Once['begin']> {
    const begun = once.begin(this.loaded, now, subject);
    if ('changes' in begun) this.apply(begun.changes);
    return begun;
  }
}

const once = (
  key = 'k',
  request: readonly string[] = ['', '{"amount":1}'],
  changed: Partial<OnceScope> = {},
  keep = options,
): Once => onceFor(keep, { ...scope, ...changed }, key, request);
const answer = (status: number, body = '{"orders":[]}'): StoredAnswer => ({
  status,
  body,
  location: status === 201 ? 'https://pay.example/pay/1' : null,
});

describe('a record', () => {
  test('is written by the first, refuses while it runs, and repeats the answer afterwards', () => {
    const records = new Records();
    const first = once();
    assert.ok('changes' in records.begin(first));
    assert.throws(() => records.begin(once()), { kind: 'conflict', detail: { retryAfterSeconds: 1 } });
    records.apply(first.finish(answer(201), later(100)));
    assert.deepEqual(records.begin(once()), { replay: { ...answer(201), replayed: true } });
    assert.deepEqual(records.begin(once(), later(7 * DAY - 1)), { replay: { ...answer(201), replayed: true } });
  });

  test('refuses another request under the same key, running or done', () => {
    const records = new Records();
    const first = once();
    records.begin(first);
    const others = [
      once('k', ['', '{"amount":2}']),
      once('k', ['a=1', '{"amount":1}']),
      once('k', ['', '{"amount":1} ']),
    ];
    for (const other of others) assert.throws(() => records.begin(other), { kind: 'validation' });
    records.apply(first.finish(answer(200), NOW));
    for (const other of others) assert.throws(() => records.begin(other), { kind: 'validation' });
    assert.throws(() => records.begin(once('k', ['', 'x'], {}, { ...options, reused: 'conflict' })), {
      kind: 'conflict',
    });
  });

  test('keys of another credential, method, path or owner never meet', () => {
    const records = new Records();
    for (const changed of [
      {},
      { credential: 'gateway 2' },
      { method: 'PUT' },
      { path: '/gateway/orders/authorize' },
      { owner: 8n },
    ]) {
      assert.ok(
        'changes' in records.begin(once('k', undefined, changed)),
        JSON.stringify(changed, (_, value) => String(value)),
      );
    }
    assert.equal(records.rows.size, 5);
  });

  test('parts of the scope can’t be pushed into one another', () => {
    const keys = [
      once('b', undefined, { path: '/a' }).key,
      once('', undefined, { path: '/ab' }).key,
      once('/ab', undefined, { path: '' }).key,
    ];
    assert.equal(new Set(keys).size, 3);
  });

  test('holds neither the key nor the request, only keyed hashes', () => {
    const records = new Records();
    records.begin(once('my-key', ['', '{"pan":"4111111111111111"}']));
    const text = JSON.stringify([...records.rows.values()], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    assert.doesNotMatch(text, /my-key|4111/);
    assert.match([...records.rows.values()][0]?.key_hash ?? '', /^[0-9a-f]{64}$/);
  });

  const kept: readonly [status: number, kept: boolean][] = [
    [200, true],
    [201, true],
    [204, true],
    [402, true],
    [500, true],
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [409, false],
    [413, false],
    [422, false],
    [429, false],
    [503, false],
  ];
  for (const [status, isKept] of kept) {
    test(`${status} is ${isKept ? 'kept' : 'forgotten'}`, () => {
      const records = new Records();
      const first = once();
      records.begin(first);
      records.apply(first.finish(answer(status), NOW));
      assert.equal('replay' in records.begin(once()), isKept);
    });
  }

  test('that is over is begun anew, also before it is purged', () => {
    const records = new Records();
    const first = once();
    records.begin(first);
    records.apply(first.finish(answer(200), NOW));
    const second = once('k', ['', 'another']);
    assert.ok('changes' in records.begin(second, later(7 * DAY)));
    records.apply(second.finish(answer(402), later(7 * DAY)));
    assert.deepEqual(records.begin(once('k', ['', 'another']), later(8 * DAY)), {
      replay: { ...answer(402), replayed: true },
    });
  });

  test('without an outcome names the order, and repeats what the recovery found', () => {
    const records = new Records();
    const first = once();
    records.begin(first, NOW, order(5n));
    records.apply(first.leaveUnresolved(order(5n)));
    assert.deepEqual(records.begin(once()), { unresolved: order(5n) });
    records.apply(onceRecords.finish(records.loaded, scope.owner, first.key, answer(500)));
    assert.deepEqual(records.begin(once()), { replay: { ...answer(500), replayed: true } });
    assert.deepEqual(
      onceRecords.finish(records.loaded, scope.owner, first.key, answer(200)),
      [],
      'the first end counts',
    );
  });

  test('whose process died stops refusing, and a recovery can mark or finish it', () => {
    const records = new Records();
    const first = once();
    records.begin(first, NOW, order(5n));
    assert.throws(() => records.begin(once(), later(59_999)), { kind: 'conflict' });
    assert.deepEqual(records.begin(once(), later(60_000)), { unresolved: order(5n) });
    records.apply(onceRecords.leaveUnresolved(records.loaded, scope.owner, first.key, order(6n)));
    assert.deepEqual(records.begin(once()), { unresolved: order(6n) });
    assert.deepEqual(onceRecords.finish(records.loaded, scope.owner, 'unknown', answer(200)), []);
  });
});

describe('a command of one phase', () => {
  const charge = (decide: () => string) => ({
    name: 'charge',
    owner: 1n,
    needs: [],
    decide: () => ({ value: decide(), changes: [] }),
  });

  test('begins and ends in one decision, and its repeat decides nothing', () => {
    const records = new Records();
    let decided = 0;
    const command = (): ReturnType<typeof onceCommand<string>> =>
      onceCommand(
        charge(() => `{"n":${++decided}}`),
        once(),
        (body) => answer(200, body),
      );
    const run = (): StoredAnswer => {
      const { value, changes } = command().decide(records.loaded, toldAt(NOW));
      // One commit folds the two changes of a new record into one row.
      for (const change of changes) records.apply([change]);
      return value;
    };
    assert.deepEqual(run(), answer(200, '{"n":1}'));
    assert.deepEqual(run(), { ...answer(200, '{"n":1}'), replayed: true });
    assert.equal(decided, 1);
  });

  test('that refuses by throwing leaves no record', () => {
    const records = new Records();
    const command = onceCommand(
      charge(() => {
        throw new Error('no such order');
      }),
      once(),
      (body) => answer(200, body),
    );
    assert.throws(() => command.decide(records.loaded, toldAt(NOW)), /no such order/);
    assert.equal(records.rows.size, 0);
  });

  test('without a key is the command itself', () => {
    const command = onceCommand(
      charge(() => '{}'),
      null,
      (body) => answer(200, body),
    );
    assert.deepEqual(command.decide(new Records().loaded, toldAt(NOW)), { value: answer(200, '{}'), changes: [] });
  });
});

describe('over HTTP', () => {
  const records = new Records();
  let effects = 0;
  const endpoint: AnyEndpoint<Principal> = endpointOf<Principal>()({
    method: ['POST', 'PUT'],
    path: '/orders/:id/charge',
    operation: 'charge',
    summary: 'Charges',
    right: null,
    body: Shape({ amount: Optional(Amount()) }),
    answers: { 201: { description: 'charged' } },
    handler: ({ once: given, params }) => {
      if (!given) return { status: 201, body: { effects: ++effects, params } };
      const begun = records.begin(given);
      if ('replay' in begun) return begun.replay;
      const stored = answer(201, `{"effects":${++effects}}`);
      records.apply(given.finish(stored, NOW));
      return stored;
    },
  });
  let service: Service;
  before(async () => {
    const idempotency = { ...options, scopeOf: ({ login }: Principal) => ({ owner: 7n, credential: login }) };
    service = await startService({ api: { endpoints: [endpoint], idempotency } });
  });
  after(() => service.server.close());
  const send = (
    key: string | null,
    path = '/test/orders/1/charge',
    method = 'POST',
    authorization = SHOP,
  ): Promise<Response> =>
    fetch(service.url + path, {
      method,
      headers: { authorization, ...(key === null ? {} : { 'idempotency-key': key }) },
    });

  test('a repeat has the same status, bytes and Location, and says that it is one', async () => {
    const first = await send('key-1');
    const again = await send('key-1', '/test/orders/1/charge/');
    assert.deepEqual([first.headers.get('idempotent-replay'), again.headers.get('idempotent-replay')], [null, 'true']);
    assert.deepEqual(
      [again.status, again.headers.get('location'), await again.text()],
      [201, 'https://pay.example/pay/1', await first.text()],
    );
  });

  test('another order, verb, login or no key is another request', async () => {
    const before = effects;
    await send('key-2');
    await send('key-2', '/test/orders/2/charge');
    await send('key-2', '/test/orders/1/charge', 'PUT');
    await send('key-2', '/test/orders/1/charge', 'POST', basic('reader', 'reader:secret'));
    await send(null);
    await send(null);
    assert.equal(effects - before, 6);
  });

  test('another query or body under the same key is 422 at #/', async () => {
    assert.equal((await send('key-3', '/test/orders/1/charge?amount=1')).status, 201);
    const response = await send('key-3', '/test/orders/1/charge?amount=2');
    const { errors } = (await response.json()) as { errors: { uri: string }[] };
    assert.deepEqual([response.status, errors.map(({ uri }) => uri)], [422, ['#/']]);
    assert.equal(
      (await send('key-3', '/test/orders/1/charge?amount=x')).status,
      422,
      'a wrong shape never meets the record',
    );
    assert.equal((await send('key-3', '/test/orders/1/charge?amount=1')).headers.get('idempotent-replay'), 'true');
  });

  for (const [name, fields] of [
    ['given twice', 'Idempotency-Key: a\r\nIdempotency-Key: a\r\n'],
    ['empty', 'Idempotency-Key:\r\n'],
    ['with a space inside', 'Idempotency-Key: a b\r\n'],
    ['with a byte that is no ASCII', 'Idempotency-Key: \xe9\r\n'],
    ['of 256 characters', `Idempotency-Key: ${'k'.repeat(256)}\r\n`],
  ] as const) {
    test(`a key ${name} is 400`, async () => {
      const bytes = `POST /test/orders/1/charge HTTP/1.1\r\nHost: a\r\nAuthorization: ${SHOP}\r\n${fields}Connection: close\r\n\r\n`;
      const text = await raw(service.port, Buffer.from(bytes, 'latin1'));
      assert.match(text, /^HTTP\/1\.1 400 /);
      assert.match(text, /"kind":"bad_request"/);
    });
  }
  test('a key of 255 visible characters is taken', async () => {
    assert.equal((await send('~'.repeat(255))).status, 201);
  });
});
