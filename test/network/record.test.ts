import assert from 'node:assert/strict';
import { after as afterAll, before, describe, it } from 'node:test';
import { createLog, idMaker, seededRandom, systemClock } from '../../src/base/index.ts';
import {
  type BinRange,
  binList,
  binPut,
  binRemove,
  binsLoad,
  createSimulator,
  lookupBin,
  traceOf,
} from '../../src/network/index.ts';
import { type Committer, createCommitter, type Database } from '../../src/store/index.ts';
import { slowCommitter, testDatabase } from '../support/database.ts';
import { after, pan, request, schemeCard } from './requests.ts';

const log = createLog('silent');
let database: Database;
let committer: Committer;

const acquirer = (by: Committer = committer) =>
  createSimulator({ committer: by, database, clock: systemClock, random: seededRandom(3), log, lostAfterMs: 5 });
const amount = (minor: bigint, currency = 'EUR') => ({ amount: { minor, currency } });

before(async () => {
  database = await testDatabase();
  committer = createCommitter({
    connect: () => database.session({ synchronousCommit: false }),
    clock: systemClock,
    ids: idMaker(systemClock, 1),
    log,
  });
});
afterAll(() => committer.drain());

describe("the acquirer's record in Postgres", () => {
  it('reverses an authorization whose entry is on its way into the record', async () => {
    const slow = slowCommitter(database, idMaker(systemClock, 2));
    const authorize = request({ owner: 8n, orderId: 80n });
    const authorized = acquirer(slow.committer).send(authorize);
    await slow.sent;
    let ended = false;
    const reversed = acquirer().send(after(authorize, 'reverse'));
    const over = reversed.finally(() => {
      ended = true;
    });
    for (let waits = false; !waits && !ended; )
      waits = (await database.query('select from pg_locks where not granted')).length > 0;
    slow.go();
    const codes = (await Promise.all([authorized, over])).map(({ responseCode }) => responseCode);
    const [book] = await acquirer().books(8n);
    assert.deepEqual([...codes, book?.authorized, book?.reversed], ['00', '00', 1000n, 1000n]);
    await slow.committer.drain();
  });

  it('adds up to books for each order, which a test can hold against ours', async () => {
    const simulator = acquirer();
    const authorize = request({ owner: 5n, orderId: 50n, pan: schemeCard('10', '911') });
    await assert.rejects(simulator.send(authorize));
    await simulator.send(after(authorize, 'charge', amount(700n)));
    const charge = after(authorize, 'charge', amount(200n));
    await simulator.send(charge);
    await simulator.send(after(authorize, 'reverse', amount(100n)));
    await simulator.send(after(authorize, 'refund', amount(30n)));
    await simulator.send(after(authorize, 'refund', amount(5000n)));
    await simulator.send(after(authorize, 'reverse', { original: charge.reference, ...amount(870n) }));
    await simulator.send(request({ owner: 5n, orderId: 51n, operation: 'credit', ...amount(44n, 'USD') }));
    await simulator.send(request({ owner: 5n, orderId: 52n, pan: schemeCard('10', '005') }));
    await simulator.send(request({ owner: 6n, orderId: 60n, ...amount(1n) }));

    const none = { authorized: 0n, reversed: 0n, charged: 0n, voided: 0n, refunded: 0n, credited: 0n };
    const first = { authorized: 1000n, reversed: 100n, charged: 900n, voided: 870n, refunded: 30n, credited: 0n };
    const own = [
      { owner: 5n, orderId: 50n, currency: 'EUR', ...first },
      { owner: 5n, orderId: 51n, currency: 'USD', ...none, credited: 44n },
    ];
    assert.deepEqual(await simulator.books(5n), own);
    const all = await simulator.books();
    assert.deepEqual(
      all.filter(({ owner }) => owner === 5n || owner === 6n),
      [...own, { owner: 6n, orderId: 60n, currency: 'EUR', ...none, authorized: 1n }],
    );
  });

  it('answers repeats and inquiries after a restart, and only for their owner', async () => {
    const authorize = request({ owner: 7n, orderId: 70n, cvv: '123' });
    const answer = await acquirer().send(authorize);
    const restarted = acquirer();
    assert.deepEqual(await restarted.send({ ...authorize, attempt: 2 }), answer);
    assert.deepEqual(await restarted.inquire(7n, authorize.reference), answer);
    assert.equal(await restarted.inquire(8n, authorize.reference), null);
  });

  it('sees within one group what came before: a repeat, an inquiry, a charge', async () => {
    const simulator = acquirer();
    const authorize = request({ owner: 9n, orderId: 90n });
    const [first, again, asked, charged] = await Promise.all([
      simulator.send(authorize),
      simulator.send({ ...authorize, attempt: 2 }),
      simulator.inquire(9n, authorize.reference),
      simulator.send(after(authorize, 'charge')),
    ]);
    assert.deepEqual([again, asked, charged.responseCode], [first, first, '00']);
  });

  it('lets only one of two charges of everything through at once', async () => {
    const simulator = acquirer();
    const authorize = request({ owner: 9n, orderId: 91n });
    await simulator.send(authorize);
    const answers = await Promise.all([1, 2, 3].map(() => simulator.send(after(authorize, 'charge'))));
    assert.deepEqual(answers.map((answer) => answer.responseCode).sort(), ['00', '13', '13']);
  });

  it('is shown as the messages on the wire, masked', async () => {
    const simulator = acquirer();
    const authorize = request({ owner: 9n, orderId: 92n, cvv: '737', stan: '000051' });
    const answer = await simulator.send(authorize);
    const refused = after(authorize, 'refund', { transmittedAt: new Date('2026-11-21T10:00:00Z'), attempt: 2 });
    await simulator.send(refused);
    const trace = await traceOf(database, 9n, 92n);
    assert.deepEqual(
      trace.map(({ mti, direction, reference }) => [mti, direction, reference]),
      [
        ['0100', 'out', authorize.reference],
        ['0110', 'in', authorize.reference],
        ['0201', 'out', refused.reference],
        ['0210', 'in', refused.reference],
      ],
    );
    const fields = Object.fromEntries((trace[1]?.fields ?? []).map(({ de, value }) => [de, value]));
    assert.deepEqual(fields, {
      '2': '411111******1111',
      '3': '000000',
      '4': '000000001000',
      '7': '1121093015',
      '11': '000051',
      '37': answer.rrn,
      '38': answer.authCode,
      '39': '00 Approved',
      '48.09': 'M',
      '48.10': answer.networkTransactionId,
      '49': '978',
    });
    assert.ok(trace[2]?.fields.some(({ de, value }) => de === '90' && value === authorize.reference));
    assert.ok(trace[3]?.fields.some(({ de, value }) => de === '39' && value === '13 Invalid amount'));
    assert.equal(JSON.stringify(trace).includes('737'), false);
    assert.deepEqual(await traceOf(database, 9n, 93n), []);
  });
});

describe("the operator's card ranges", () => {
  const at = new Date('2026-11-21T00:00:00Z');
  const range = { brand: 'visa', subtype: 'business', country: 'PRT', own: false };
  const card = pan('4111111111111111');
  const put = async (row: BinRange): Promise<void> => {
    await database.transaction((db) => binPut(db, row, at));
    await binsLoad(database);
  };
  const remove = async (prefix: string): Promise<boolean> => {
    const removed = await database.transaction((db) => binRemove(db, prefix));
    await binsLoad(database);
    return removed;
  };

  it('win over shorter ones, replace built-in ones, and leave without a trace', async () => {
    const builtIn = lookupBin(card);
    await put({ prefix: '411111', title: 'Six', ...range });
    assert.deepEqual([lookupBin(card).title, lookupBin(card).country], ['Six', 'PRT']);
    await put({ prefix: '41111111', title: 'Eight', ...range });
    await put({ prefix: '4111111', title: 'Seven', ...range });
    assert.deepEqual([lookupBin(card).title, lookupBin(card).bin], ['Eight', '411111']);
    await put({ prefix: '41111111', title: 'Eight again', ...range });
    assert.equal(lookupBin(card).title, 'Eight again');
    assert.deepEqual(
      binList().flatMap(({ prefix, title }) => (prefix.startsWith('411111') ? [[prefix, title]] : [])),
      [
        ['411111', 'Six'],
        ['4111111', 'Seven'],
        ['41111111', 'Eight again'],
      ],
    );
    assert.equal(await remove('41111111'), true);
    assert.equal(lookupBin(card).title, 'Seven');
    assert.equal(await remove('4111111'), true);
    assert.equal(await remove('411111'), true);
    assert.equal(await remove('411111'), false);
    assert.deepEqual(lookupBin(card), builtIn);
  });

  it('must be six to eight digits', async () => {
    await assert.rejects(put({ prefix: '41111', title: null, ...range }));
  });

  it('are in force only once they are committed', async () => {
    const before = binList();
    const lost = database.transaction(async (db) => {
      await binPut(db, { prefix: '411111', title: 'Never', ...range }, at);
      throw new Error('rolled back');
    });
    await assert.rejects(lost, /rolled back/);
    assert.deepEqual(binList(), before);
  });
});
