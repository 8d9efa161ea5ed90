// The committer when Postgres goes away: a COMMIT whose answer is lost is asked for and never decided again; a refusal stays one; a
// connection that goes silent is given up; one poisoned command harms no neighbour.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { idMaker, systemClock } from '../../src/base/index.ts';
import {
  type Command,
  type Committer,
  type CommitterOptions,
  createCommitter,
  DEADLINES,
  type Deadlines,
  follow,
  followRow,
  insert,
  type Kind,
  NotWritten,
  OutcomeUnknown,
  openDatabase,
  table,
  update,
} from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts';

interface Account {
  readonly id: bigint;
  readonly balance: bigint;
  readonly note: string;
}
const accounts = table<Account>('test_accounts', { id: 'int8', balance: 'int8', note: 'text' }, ['id']);
const accountKind: Kind<bigint, Account> = {
  name: 'account',
  keyText: String,
  follows: [followRow(accounts, ({ id }) => String(id))],
  load: async (db, keys) =>
    new Map(
      (
        await db.query<Account>('select * from test_accounts where id = any($1::int8[]) order by id for update', [keys])
      ).map((row) => [String(row.id), row]),
    ),
};
/** A state that no change tells: it has to be loaded again. */
const totalKind: Kind<'all', bigint> = {
  name: 'total',
  keyText: String,
  follows: [follow(accounts, () => 'all')],
  async load(db) {
    const rows = await db.query<{ sum: bigint }>('select coalesce(sum(balance), 0)::int8 as sum from test_accounts');
    return new Map([['all', rows[0]?.sum ?? 0n]]);
  },
};

const SHORT: Deadlines = {
  ...DEADLINES,
  connectMs: 500,
  statementMs: 800,
  answerMs: 1000,
  lockMs: 300,
  idleInTransactionMs: 800,
};

let database: TestDatabase;
const ids = idMaker(systemClock, 2);

before(async () => {
  database = await testDatabase();
  await database.query('create table test_accounts (id int8 primary key, balance int8 not null, note text not null)');
});

const account = async (id: bigint): Promise<Account | undefined> =>
  (await database.query<Account>('select * from test_accounts where id = $1', [id]))[0];
const make = (id: bigint, balance: bigint): Promise<unknown> =>
  database.query(`insert into test_accounts values ($1, $2, '')`, [id, balance]);

interface Setup {
  readonly proxy: PostgresProxy;
  readonly committer: Committer;
  close(): Promise<void>;
}

async function setup(options: Partial<CommitterOptions> = {}): Promise<Setup> {
  const proxy = await postgresProxy(database.connection);
  const through = openDatabase(proxy.connection, { log: silent, deadlines: SHORT });
  const committer = createCommitter({
    connect: () => through.session(),
    clock: systemClock,
    ids,
    log: silent,
    ...options,
  });
  return {
    proxy,
    committer,
    async close() {
      await committer.drain(2000);
      await through.close();
      await proxy.close();
    },
  };
}

class Poor extends Error {}

let decided = 0;
const spend = (id: bigint, amount: bigint): Command<bigint> => ({
  name: 'spend',
  owner: 1n,
  needs: [{ kind: accountKind, key: id }],
  decide(loaded) {
    decided++;
    const found = loaded.get(accountKind, id);
    assert.ok(found);
    if (found.balance < amount) throw new Poor();
    const after = { ...found, balance: found.balance - amount };
    return { value: after.balance, changes: [update(accounts, after)] };
  },
});

test('a COMMIT whose answer is lost: the effect is told as done, once, and nothing is decided again', async () => {
  const { proxy, committer, close } = await setup();
  await make(1n, 1000n);
  await committer.submit(spend(1n, 0n));
  proxy.refuseAfterFaultMs = 1500;
  proxy.failCommit('answer lost');
  decided = 0;
  // The second is refused because of the first: its refusal is as true as the first one's effect.
  const results = await Promise.allSettled([committer.submit(spend(1n, 700n)), committer.submit(spend(1n, 700n))]);
  assert.equal(proxy.fired.get('answer lost'), 1);
  assert.ok((proxy.fired.get('refused') ?? 0) > 0, 'the door was closed meanwhile');
  assert.deepEqual(results[0], { status: 'fulfilled', value: 300n });
  assert.ok(results[1]?.status === 'rejected' && results[1].reason instanceof Poor);
  assert.equal(decided, 2);
  assert.equal((await account(1n))?.balance, 300n);
  await close();
});

test('a COMMIT that never arrived is decided again, refusals of its group included', async () => {
  const { proxy, committer, close } = await setup();
  await make(2n, 1000n);
  await committer.submit(spend(2n, 0n));
  proxy.failCommit('never arrived');
  decided = 0;
  const results = await Promise.allSettled([committer.submit(spend(2n, 700n)), committer.submit(spend(2n, 700n))]);
  assert.equal(proxy.fired.get('never arrived'), 1);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  assert.equal(decided, 4);
  assert.equal((await account(2n))?.balance, 300n);
  await close();
});

test('an error on COMMIT is no answer: what the server did is asked for', async () => {
  for (const error of ['XX000', '53100', '23505', '40001', '57014']) {
    const { proxy, committer, close } = await setup();
    const id = BigInt(100 + (Number.parseInt(error, 36) % 100_000));
    await make(id, 10n);
    await committer.submit(spend(id, 0n));
    proxy.failCommit({ error });
    decided = 0;
    assert.equal(await committer.submit(spend(id, 4n)), 6n, error);
    assert.equal(proxy.fired.get('error'), 1);
    assert.equal(decided, 1);
    assert.equal((await account(id))?.balance, 6n);
    await close();
  }
});

test('the question itself may be cut off and asked again: its own mark is not taken for the group', async () => {
  const { proxy, committer, close } = await setup();
  await make(3n, 10n);
  await committer.submit(spend(3n, 0n));
  proxy.failCommit('never arrived');
  const submitted = committer.submit(spend(3n, 4n));
  // Whoever asks first leaves a mark that the group is not written; the one who asks behind him reads that.
  assert.equal(await submitted, 6n);
  const marks = await database.query<{ written: boolean }>('select written from commit_groups where not written');
  assert.ok(marks.length > 0, 'a group was marked as never to be written');
  assert.equal((await account(3n))?.balance, 6n);
  await close();
});

test('silent connections are given up, and writes are back', async () => {
  const { proxy, committer, close } = await setup();
  await make(4n, 10n);
  await committer.submit(spend(4n, 0n));
  proxy.silence();
  const started = performance.now();
  assert.equal(await committer.submit(spend(4n, 1n)), 9n);
  assert.ok(performance.now() - started < 10_000, 'long before the patience is over');
  assert.equal(proxy.fired.get('silent'), 1);
  assert.equal((await account(4n))?.balance, 9n);
  await close();
});

test('what could not be written in its time is refused, and never written afterwards', async () => {
  const { proxy, committer, close } = await setup({ patienceMs: 1000 });
  await make(5n, 10n);
  await committer.submit(spend(5n, 0n));
  proxy.cut();
  proxy.refuse(true);
  await assert.rejects(committer.submit(spend(5n, 1n)), NotWritten);
  proxy.refuse(false);
  assert.equal(await committer.submit(spend(5n, 2n)), 8n);
  assert.equal((await account(5n))?.balance, 8n);
  await close();
});

test('the end comes while nobody knows: the caller is told just that', async () => {
  const { proxy, committer, close } = await setup();
  await make(6n, 10n);
  await committer.submit(spend(6n, 0n));
  proxy.refuseAfterFaultMs = 60_000;
  proxy.failCommit('answer lost');
  const submitted = committer.submit(spend(6n, 1n));
  const told = assert.rejects(submitted, OutcomeUnknown);
  while (proxy.fired.get('answer lost') !== 1) await systemClock.sleep(10);
  await committer.drain(300);
  await told;
  assert.equal((await account(6n))?.balance, 9n);
  proxy.refuse(false);
  await close();
});

test('one command that Postgres refuses costs its group a few halvings, not one commit for each neighbour', async () => {
  const groups: number[] = [];
  let commits = 0;
  const { proxy, committer, close } = await setup({
    onGroup: (size) => groups.push(size),
    faultPoint: (name) => {
      if (name === 'commit.before') commits++;
    },
  });
  const poison: Command<null> = {
    name: 'poison',
    owner: 1n,
    needs: [],
    decide: () => ({ value: null, changes: [insert(accounts, { id: 9_999n, balance: 0n, note: 'a\0b' })] }),
  };
  const good = (id: bigint): Command<null> => ({
    name: 'good',
    owner: 1n,
    needs: [],
    decide: () => ({ value: null, changes: [insert(accounts, { id, balance: 0n, note: '' })] }),
  });
  const results = await Promise.allSettled(
    Array.from({ length: 64 }, (_, i) => committer.submit(i === 40 ? poison : good(10_000n + BigInt(i)))),
  );
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
  assert.equal(results[40]?.status, 'rejected');
  assert.ok(commits <= 14, `${commits} commits for one group of 64`);
  assert.ok(proxy.commits > 0);
  await close();
});

test('a row that another process inserted first is decided again on what is there', async () => {
  const { committer, close } = await setup();
  let tries = 0;
  const claim: Command<'first' | 'second'> = {
    name: 'claim',
    owner: 1n,
    needs: [{ kind: accountKind, key: 20n }],
    decide(loaded) {
      tries++;
      if (loaded.get(accountKind, 20n)) return { value: 'second', changes: [] };
      return { value: 'first', changes: [insert(accounts, { id: 20n, balance: 1n, note: 'mine' })] };
    },
  };
  // The other process commits between this one's look and its insert.
  const other = await setup();
  const results = await Promise.all([committer.submit(claim), other.committer.submit(claim)]);
  assert.deepEqual([...results].sort(), ['first', 'second']);
  assert.ok(tries >= 2);
  await close();
  await other.close();
});

test('a state that changes do not tell is loaded again for who needs it', async () => {
  const { committer, close } = await setup();
  await make(30n, 5n);
  const total: Command<bigint> = {
    name: 'total',
    owner: 1n,
    needs: [{ kind: totalKind, key: 'all' }],
    decide: (loaded) => ({ value: loaded.get(totalKind, 'all') ?? 0n, changes: [] }),
  };
  const before = await committer.submit(total);
  const [, after] = await Promise.all([committer.submit(spend(30n, 3n)), committer.submit(total)]);
  assert.equal(after, before - 3n);
  await close();
});

test('a process that may not decide writes nothing until it may again', async () => {
  let may = false;
  const { committer, close } = await setup({ mayDecide: () => may });
  await make(40n, 5n);
  const submitted = committer.submit(spend(40n, 1n));
  await systemClock.sleep(200);
  assert.equal((await account(40n))?.balance, 5n);
  may = true;
  assert.equal(await submitted, 4n);
  await close();
});

test('a connection that is lost between two statements ends its transaction, not the process', async () => {
  const proxy = await postgresProxy(database.connection);
  const db = openDatabase(proxy.connection, { log: silent, deadlines: SHORT });
  const lost = db.transaction(async (inside) => {
    await inside.query('select 1');
    proxy.cut();
    await systemClock.sleep(50);
    return inside.query('select 2');
  });
  await assert.rejects(lost);
  assert.equal((await db.query('select 3 as n')).length, 1);
  await db.close();
  await proxy.close();
});
