// Credentials: what authenticates and what doesn't, secrets that change without interruption, and that nothing tells logins apart.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Refusal } from '../../src/base/index.ts';
import {
  createProjects,
  credentialCreate,
  credentialList,
  credentialRevoke,
  credentialRotate,
  projectPatch,
} from '../../src/gateway/projects/index.ts';
import { type Bench, bench, keyed, shop, silent } from './bench.ts';

const HOUR_MS = 3_600_000;

let at: Bench;
before(async () => {
  at = await bench();
});

const code =
  (expected: string) =>
  (error: unknown): true => {
    assert.ok(error instanceof Refusal, String(error));
    assert.equal(error.code, expected);
    return true;
  };

test('a secret has 256 bits, opens its project with its rights, and is stored nowhere', async () => {
  const { projects, database } = at;
  const { secret, credential } = await shop(at, 'opened');
  assert.match(secret, /^florin_[\w-]{43}$/);
  const found = await projects.authenticate('opened', secret);
  assert.deepEqual([found?.id, found?.project.login, found?.rights], [credential, 'opened', ['read', 'create']]);
  for (const table of ['projects', 'project_credentials', 'terminals', 'operator_audit']) {
    const rows = await database.query<{ text: string }>(`select t::text as text from ${table} t`);
    for (const { text } of rows)
      assert.ok(!text.includes(secret) && !text.includes(Buffer.from(secret).toString('hex')), table);
  }
  const listed = await credentialList(database, at.tools, found?.project.id ?? 0n);
  assert.ok(
    !JSON.stringify(listed, (_, value) => (typeof value === 'bigint' ? String(value) : value)).includes(secret),
  );
});

test('wrong secret, unknown login, another project’s secret, inactive project: all the same', async () => {
  const { projects } = at;
  const { secret } = await shop(at, 'mine');
  const theirs = await shop(at, 'theirs');
  const closed = await shop(at, 'closed');
  await at.change((db) => projectPatch(db, 'closed', { active: false }));
  for (const [login, password] of [
    ['mine', ''],
    ['mine', secret.slice(0, -1)],
    ['mine', `${secret} `],
    ['mine', theirs.secret],
    ['nobody', secret],
    ['', secret],
    ['MINE', secret],
    ['closed', closed.secret],
    ['constructor', secret],
    ['__proto__', secret],
  ] as const) {
    assert.equal(await projects.authenticate(login, password), null, `${login} ${password.length}`);
  }
  await at.change((db) => projectPatch(db, 'closed', { active: true }));
  assert.ok(await projects.authenticate('closed', closed.secret));
});

test('a hash moved to another project opens nothing', async () => {
  const { database, projects, clock } = at;
  const victim = await shop(at, 'victim');
  const thief = await shop(at, 'thief');
  const [from, to] = [await projects.byLogin('thief'), await projects.byLogin('victim')];
  await database.query(
    'update project_credentials set secret_hash = (select secret_hash from project_credentials where project_id = $1) where project_id = $2',
    [from?.id, to?.id],
  );
  const other = at.other();
  assert.equal(await other.authenticate('victim', thief.secret), null);
  assert.equal(await other.authenticate('victim', victim.secret), null);
  assert.ok(await other.authenticate('thief', thief.secret));
  clock.advance(1);
});

test('while a secret is changed both are valid; afterwards only the new one', async () => {
  const { projects, tools, clock } = at;
  const { secret, credential } = await shop(at, 'rotated');
  const fresh = await at.change((db) => credentialRotate(db, tools, 'rotated', credential, HOUR_MS));
  assert.notEqual(fresh.secret, secret);
  const both = async (): Promise<boolean[]> =>
    Promise.all(
      [secret, fresh.secret].map(async (password) => (await projects.authenticate('rotated', password)) !== null),
    );
  assert.deepEqual(await both(), [true, true]);
  assert.deepEqual(
    (await projects.authenticate('rotated', fresh.secret))?.rights,
    ['read', 'create'],
    'the rights go over',
  );
  clock.advance(HOUR_MS - 1);
  assert.deepEqual(await both(), [true, true]);
  clock.advance(1);
  assert.deepEqual(await both(), [false, true]);
  await assert.rejects(
    at.change((db) => credentialRotate(db, tools, 'rotated', credential, HOUR_MS)),
    code('credential_ended'),
  );
});

test('rotation under load: no request is refused', async () => {
  const { projects, tools } = at;
  let { secret, credential } = await shop(at, 'busy');
  let refusals = 0;
  let running = true;
  const client = async (): Promise<void> => {
    while (running) {
      if (!(await projects.authenticate('busy', secret))) refusals++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const clients = [client(), client(), client()];
  for (let i = 0; i < 10; i++) {
    const fresh = await at.change((db) => credentialRotate(db, tools, 'busy', credential, HOUR_MS));
    const old = credential;
    ({ secret, id: credential } = fresh);
    await at.change((db) => credentialRevoke(db, tools, 'busy', old));
  }
  running = false;
  await Promise.all(clients);
  assert.equal(refusals, 0);
});

test('a second rotation never prolongs the old secret', async () => {
  const { projects, tools, clock } = at;
  const { secret, credential } = await shop(at, 'twice');
  await at.change((db) => credentialRotate(db, tools, 'twice', credential, HOUR_MS));
  await at.change((db) => credentialRotate(db, tools, 'twice', credential, 10 * HOUR_MS));
  clock.advance(HOUR_MS);
  assert.equal(await projects.authenticate('twice', secret), null);
});

test('a revoked credential is refused by the next request, elsewhere two seconds later', async () => {
  const { projects, tools, clock } = at;
  const other = at.other();
  const { secret, credential } = await shop(at, 'revoked');
  assert.ok(await projects.authenticate('revoked', secret));
  assert.ok(await other.authenticate('revoked', secret));
  const view = await at.change((db) => credentialRevoke(db, tools, 'revoked', credential));
  assert.equal(view.state, 'revoked');
  assert.equal(await projects.authenticate('revoked', secret), null);
  clock.advance(2000);
  assert.equal(await other.authenticate('revoked', secret), null);
  const again = await at.change((db) => credentialRevoke(db, tools, 'revoked', credential));
  assert.deepEqual(again.revoked_at, view.revoked_at, 'the moment stays the first one');
  await assert.rejects(
    at.change((db) => credentialRotate(db, tools, 'revoked', credential, HOUR_MS)),
    code('credential_ended'),
  );
});

test('a credential is another project’s to nobody', async () => {
  const { projects, tools } = at;
  const { secret, credential } = await shop(at, 'owner');
  await shop(at, 'stranger');
  await assert.rejects(
    at.change((db) => credentialRevoke(db, tools, 'stranger', credential)),
    code('credential_unknown'),
  );
  await assert.rejects(
    at.change((db) => credentialRotate(db, tools, 'stranger', credential, HOUR_MS)),
    code('credential_unknown'),
  );
  assert.ok(await projects.authenticate('owner', secret));
});

test('wrong input and too many valid credentials are refused', async () => {
  const { tools } = at;
  const { credential } = await shop(at, 'many');
  const create = (label: string, rights: readonly string[]): Promise<unknown> =>
    at.change((db) => credentialCreate(db, tools, 'many', { label, rights: rights as never }));
  for (const [label, rights] of [
    ['', ['read']],
    ['x', []],
    ['x', ['read', 'read']],
    ['x', ['everything']],
    ['x\u0000', ['read']],
  ] as const) {
    await assert.rejects(create(label, rights), code('invalid'));
  }
  await assert.rejects(
    at.change((db) => credentialRotate(db, tools, 'many', credential, 31 * 24 * HOUR_MS)),
    code('invalid'),
  );
  for (let i = 1; i < 20; i++) await create(`number ${i}`, ['read']);
  await assert.rejects(create('one more', ['read']), code('credentials_full'));
  await at.change((db) => credentialRevoke(db, tools, 'many', credential));
  await create('in its place', ['read']);
});

test('known and unknown logins do the same work: one keyed hash, over data of the same form', async () => {
  const { database, clock } = at;
  const { secret } = await shop(at, 'counted');
  const hashed: [purpose: string, data: string][] = [];
  const projects = createProjects({
    database,
    clock,
    log: silent,
    keyed: (purpose, data) => (hashed.push([purpose, data]), keyed(purpose, data)),
  });
  for (const [login, password] of [
    ['counted', secret],
    ['counted', 'wrong'],
    ['nobody', 'wrong'],
  ] as const) {
    hashed.length = 0;
    await projects.authenticate(login, password);
    assert.equal(hashed.length, 1, login);
    assert.equal(hashed[0]?.[0], 'credential');
    assert.match(hashed[0]?.[1] ?? '', new RegExp(`^\\d+/${password}$`));
  }
});

test('time does not tell a known login from an unknown one', async () => {
  const { projects } = at;
  await shop(at, 'timed');
  const times: Record<string, number[]> = { timed: [], unknown: [] };
  for (let i = 0; i < 5000; i++) {
    for (const login of i % 2 === 0 ? ['timed', 'unknown'] : ['unknown', 'timed']) {
      const started = process.hrtime.bigint();
      await projects.authenticate(login, 'florin_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
      times[login]?.push(Number(process.hrtime.bigint() - started));
    }
  }
  const median = (values: readonly number[] = []): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const [known, unknown] = [median(times.timed), median(times.unknown)];
  assert.ok(Math.abs(known - unknown) < 0.2 * Math.max(known, unknown), `medians ${known} ns and ${unknown} ns`);
});
