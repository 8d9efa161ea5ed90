// A list whose filter few orders fit: its places are found with one statement, and a row that left the filter meanwhile is not shown.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { idPermutation, type Steps, systemClock } from '../../../src/base/index.ts';
import { type ListingDeps, listOrders } from '../../../src/gateway/listing/index.ts';
import { createProjects, type Project } from '../../../src/gateway/projects/index.ts';
import { keyed, silent } from '../../projects/bench.ts';
import { payment, type TestApp, testApp } from '../../support/app.ts';
import { orderOf } from '../../support/shop.ts';

const ORDERS = 120;

let florin: TestApp;
let project: Project;
before(async () => {
  florin = await testApp();
  const { database } = florin;
  const made = await florin.merchant('POST', '/gateway/orders/authorize', payment());
  assert.equal(orderOf(made).status, 'authorized');
  const columns = await database.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'orders'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  const copied = columns
    .map(({ name }) => ({ id: 't.id - n * 4096', next_at: 'null' })[name] ?? `t.${name}`)
    .join(', ');
  await database.query(`insert into orders select ${copied} from orders t, generate_series(1, $1::int) n`, [
    ORDERS - 1,
  ]);
  const projects = createProjects({ database, keyed, clock: systemClock, log: silent });
  project = (await projects.byLogin('sandbox')) as Project;
});

/** What a list needs of the gateway, with the statements that look for places counted. */
function reading() {
  let places = 0;
  const lists: ListingDeps['lists'] = {
    query: (text, values) => {
      places++;
      return florin.database.query(text, values);
    },
  };
  const deps: ListingDeps = { db: florin.database, lists, permutation: idPermutation(Buffer.alloc(16, 7)) };
  const paging = { after: null, limit: 2000, count: false };
  return { steps: listOrders(deps, project, { status: ['authorized'] }, [], paging), places: () => places };
}

async function walked<Value>(steps: Steps<Value>, between: (step: number) => Promise<unknown>): Promise<Value> {
  for (let step = 1; ; step++) {
    const { done, value } = await steps.next();
    if (done) return value;
    await between(step);
  }
}

const rowsIn = (texts: readonly string[]): readonly { readonly status: string }[] => JSON.parse(`[${texts.join()}]`);

test('a page of three steps is one look for places', async () => {
  const { steps, places } = reading();
  const { rows } = await walked(steps, async () => undefined);
  assert.equal(rowsIn(rows).length, ORDERS);
  assert.equal(rows.length, 3, 'steps');
  assert.equal(places(), 1);
});

test('rows that leave the filter between two steps are not shown, and no other comes for them', async () => {
  const { steps, places } = reading();
  const { rows } = await walked(steps, async (step) => {
    if (step > 1) return;
    await florin.database.query(
      `update orders set status = 'reversed' where id in (select id from orders order by created_at, id limit 30)`,
    );
  });
  const shown = rowsIn(rows);
  assert.equal(shown.length, ORDERS - 30);
  assert.ok(shown.every(({ status }) => status === 'authorized'));
  assert.equal(places(), 1);
});
