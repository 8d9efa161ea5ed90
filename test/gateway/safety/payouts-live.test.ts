// docs/contract/gateway.md#payouts: in live mode none until it is set, never beyond what is settled. There is no live acquirer to try it
// with, so the bounds are asked here as the first commit of a payout asks them, over balances that operations were booked into.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { idMaker, systemClock } from '../../../src/base/index.ts';
import type { Counted, Operation } from '../../../src/gateway/orders/model.ts';
import {
  payoutBegins,
  payoutEnds,
  payoutNeeds,
  payoutRejection,
  settledNeed,
} from '../../../src/gateway/payout-bounds/bounds.ts';
import { defaultSettings, type Project, type ProjectSettings } from '../../../src/gateway/projects/index.ts';
import { type Entry, postClearing, postOperation, type Rate } from '../../../src/ledger/index.ts';
import { type Change, type Committer, createCommitter } from '../../../src/store/index.ts';
import { ownerOf, silent, type TestDatabase, testDatabase } from '../../support/database.ts';

let database: TestDatabase;
const committers: Committer[] = [];
const ids = idMaker(systemClock, 1);
before(async () => {
  database = await testDatabase();
  for (let i = 0; i < 2; i++)
    committers.push(createCommitter({ connect: () => database.session(), clock: systemClock, ids, log: silent }));
});

const at = new Date('2026-11-21T10:00:00Z');
const half: Rate = { micro: 500_000n, day: '2026-11-21', source: 'test' };
const live = { sandbox: false, rate: () => half };
const SET = { payout_limit: '100.00', payout_limit_card_day: '1000.00', payout_limit_project_day: '1000.00' };
const pricing = {
  rules: [{ operation: 'charge' as const, percent: '0', fixed: '1.00' }],
  reserve: { percent: '10', days: 30 },
};
const projectOf = (id: bigint, settings: Partial<ProjectSettings> = SET): Project => ({
  id,
  login: `p${id}`,
  name: '',
  accounting_currency: 'EUR',
  active: true,
  settings: { ...defaultSettings, ...settings },
  pricing,
  terminals: [],
});

const submit = (changes: readonly Change[], committer = committers[0] as Committer): Promise<null> =>
  committer.submit({ name: 'test', owner: ownerOf(changes), needs: [], decide: () => ({ value: null, changes }) });

const entry = (project: Project, operation: Entry['operation'], minor: bigint, currency: string): Entry => ({
  owner: project.id,
  subject: { type: 'order', id: 1n },
  operationId: ids.next(),
  operation,
  amount: { minor, currency },
  hold: 0n,
  accounting: 'EUR',
  rate: currency === 'EUR' ? null : half,
  plan: project.pricing,
  cardType: null,
  country: null,
  link: 'acquirer',
  at,
});

const counted = (amount: bigint): Counted => ({ card: 'card', day: '2026-11-21', amount: amount.toString() });

/** As the first commit of a payout: what it is refused for, or null. */
const begin = (project: Project, amount: bigint, committer = committers[0] as Committer): Promise<string | null> =>
  committer.submit({
    name: 'credit.intent',
    owner: project.id,
    needs: [...payoutNeeds(project.id, counted(amount)), settledNeed(project.id)],
    decide(loaded) {
      const refused = payoutRejection(live, project, loaded, counted(amount));
      return refused
        ? { value: refused, changes: [] }
        : { value: null, changes: payoutBegins(project.id, counted(amount)) };
    },
  });

/** As the second: it was paid, and booked. */
const end = (project: Project, amount: bigint): Promise<null> =>
  (committers[0] as Committer).submit({
    name: 'credit.result',
    owner: project.id,
    needs: payoutNeeds(project.id, counted(amount)),
    decide() {
      const operation = { project_id: project.id, status: 'success', details: { counted: counted(amount) } };
      return {
        value: null,
        changes: [
          ...payoutEnds(operation as Operation),
          ...postOperation(entry(project, 'credit', amount, 'EUR')).changes,
        ],
      };
    },
  });

/** Charged, and paid by the acquirer. */
async function settled(project: Project, minor: bigint, currency = 'EUR'): Promise<void> {
  const charge = entry(project, 'charge', minor, currency);
  await submit(postOperation(charge).changes);
  await submit(postClearing({ ...charge }, ids.next(), 'charge', charge.amount, charge.link).changes);
}

test('nothing is paid out until every bound is set', async () => {
  await settled(projectOf(1n), 100_000n);
  for (const missing of Object.keys(SET))
    assert.notEqual(await begin(projectOf(1n, { ...SET, [missing]: null }), 1n), null, missing);
  assert.equal(await begin(projectOf(1n), 1n), null);
});

test('never beyond what acquirers have paid: not what is only charged, fees and reserve set aside', async () => {
  const project = projectOf(2n);
  assert.equal(await begin(project, 1n), 'payout_over_settled');
  await submit(postOperation(entry(project, 'charge', 10_000n, 'EUR')).changes);
  assert.equal(await begin(project, 1n), 'payout_over_settled', 'charged, not settled');
  await settled(project, 20_000n, 'USD');
  // 100.00 at half, less a fee of 1.00 and a reserve of 10.00, and less the fee and reserve of the charge that is on its way.
  assert.equal(await begin(project, 7_801n), 'payout_over_settled');
  assert.equal(await begin(project, 7_800n), null);
  assert.equal(await begin(project, 1n), 'payout_over_settled', 'under way');
  await end(project, 7_800n);
  assert.equal(await begin(project, 1n), 'payout_over_settled', 'paid');
});

test('many at once, by two processes, some ending meanwhile: exactly what is settled', async () => {
  const project = projectOf(3n);
  await settled(project, 50_112n);
  // 501.12 less 1.00 and 50.11: 450.01.
  const payouts = Array.from({ length: 200 }, async (_, i) => {
    const refused = await begin(project, 1_000n, committers[i % 2]);
    if (refused === null && i % 3 === 0) await end(project, 1_000n);
    return refused;
  });
  const outcomes = await Promise.all(payouts);
  assert.equal(outcomes.filter((refused) => refused === null).length, 45);
  assert.ok(outcomes.every((refused) => refused === null || refused === 'payout_over_settled'));
});
