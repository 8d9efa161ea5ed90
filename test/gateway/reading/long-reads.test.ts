// Long lists: to the byte what many short pages hold, also while orders come in, and nobody else waits for them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, payment, type TestApp, testApp } from '../../support/app.ts';

const ORDERS = 730;
const EXPANDS = 'card,client,location,custom_fields,issuer,secure3d,operations.cashflow';
type Rows = readonly { readonly id: string }[];

let florin: TestApp;

/** Copies of a paid order with its operations and postings, a second apart. */
async function copies(id: string, count: number): Promise<void> {
  const { database } = florin;
  const [order] = await database.query<{ project_id: bigint; id: bigint }>(
    `select o.project_id, o.id from orders o where o.project_id = (select id from projects where login = 'sandbox') and o.merchant_order_id = $1`,
    [id],
  );
  const columns = async (table: string): Promise<string> => {
    const found = await database.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
      [table],
    );
    const moved: Record<string, string> = {
      created_at: `t.created_at - n * interval '1 second'`,
      merchant_order_id: `'copy-' || n`,
      next_at: 'null',
      in_flight: 'null',
      ...(table === 'orders' ? { id: 't.id - n * 4096' } : {}),
      ...(table === 'operations' ? { id: 't.id - n * 4096', order_id: 't.order_id - n * 4096' } : {}),
      ...(table === 'postings'
        ? {
            subject_id: 't.subject_id - n * 4096',
            entry_id: 't.entry_id - n * 4096',
            operation_id: 't.operation_id - n * 4096',
          }
        : {}),
    };
    return found.map(({ name }) => moved[name] ?? `t.${name}`).join(', ');
  };
  for (const [table, owner, key] of [
    ['orders', 'project_id', 'id'],
    ['operations', 'project_id', 'order_id'],
    ['postings', 'owner_id', 'subject_id'],
  ] as const) {
    await database.query(
      `insert into ${table} select ${await columns(table)} from ${table} t, generate_series(1, $3::int) n
       where t.${owner} = $1 and t.${key} = $2`,
      [order?.project_id, order?.id, count],
    );
  }
}

before(async () => {
  florin = await testApp();
  const paid = payment({
    merchant_order_id: 'A-1',
    client: { name: 'Ada Example', email: 'ada@shop.example' },
    custom_fields: { cart: '7' },
    options: { auto_charge: 1 },
  });
  assert.equal((await florin.merchant('POST', '/gateway/orders/authorize', paid)).status, 200);
  await copies('A-1', ORDERS - 1);
  assert.equal((await florin.stranger('POST', '/gateway/orders/authorize', payment())).status, 200);
});

/** The pages of a list from the newest to the oldest, or back again; `around`: done between two of them. */
async function walked(
  client: Client,
  path: string,
  rel: 'next' | 'prev',
  around: () => Promise<unknown> = async () => undefined,
): Promise<{ text: string; rows: Rows; last: string }[]> {
  const pages: { text: string; rows: Rows; last: string }[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const reply = await client('GET', next);
    assert.equal(reply.status, 200, reply.text);
    pages.push({ text: reply.text, rows: Object.values(reply.body)[0] as Rows, last: next });
    const link: string = reply.headers.get('link') ?? '';
    const url = new RegExp(`<([^>]*)>; rel="${rel}"`).exec(link)?.[1];
    next = url === undefined ? undefined : url.slice(url.indexOf('/gateway'));
    if (next !== undefined) await around();
  }
  return pages;
}

const inner = (text: string): string => text.slice(text.indexOf('[') + 1, -2);

for (const [list, expand] of [
  ['orders', ''],
  ['orders', EXPANDS],
  ['operations', ''],
  ['operations', 'extra,cashflow'],
] as const)
  test(`one long page of ${list} is the bytes of its short ones, both ways${expand === '' ? '' : ', with every expand'}`, async () => {
    const path = (size: number) => `/gateway/${list}/?per_page=${size}&expand=${expand}`;
    const whole = await florin.merchant('GET', path(2000));
    const rows = whole.body[list] as Rows;
    assert.equal(rows.length, list === 'orders' ? ORDERS : 2 * ORDERS);
    const short = await walked(florin.merchant, path(97), 'next');
    assert.equal(short.map(({ text }) => inner(text)).join(','), inner(whole.text));
    const back = await walked(florin.merchant, short.at(-1)?.last as string, 'prev');
    assert.equal(
      back
        .reverse()
        .map(({ text }) => inner(text))
        .join(','),
      inner(whole.text),
    );
    // A page that is walked to backwards and longer than a step.
    const middle = await walked(florin.merchant, path(350), 'next');
    const [, second] = await walked(florin.merchant, middle.at(-1)?.last as string, 'prev');
    assert.equal(second?.text, middle.at(-2)?.text);
  });

test('a page that ends where a step ends has a next one only when there are more', async () => {
  for (const size of [ORDERS, ORDERS - 1, 50, 100]) {
    const { headers, body } = await florin.merchant('GET', `/gateway/orders/?per_page=${size}&count=1`);
    assert.equal(body.orders.length, size);
    assert.equal(/rel="next"/.test(headers.get('link') ?? ''), size < ORDERS, String(size));
    assert.equal(headers.get('x-total-count'), String(ORDERS));
  }
  const none = await florin.merchant('GET', '/gateway/orders/?status=fraud&count=1');
  assert.deepEqual([none.text, none.headers.get('x-total-count')], ['{"orders":[]}', '0']);
});

test('while eight long reads of one project run, another project is answered long before they are', async () => {
  let done = 0;
  const long = Array.from({ length: 8 }, async () => {
    const { status, body } = await florin.merchant('GET', `/gateway/orders/?per_page=2000&expand=${EXPANDS}`);
    done++;
    return [status, body.orders.length];
  });
  const seen: number[] = [];
  for (let i = 0; i < 10; i++) {
    const list = await florin.stranger('GET', '/gateway/orders/?per_page=10');
    assert.equal(list.body.orders.length, 1);
    seen.push(done);
  }
  // Ten short ones, one after the other, are through while the first of the long ones are.
  assert.ok((seen.at(-1) as number) <= 2, seen.join());
  for (const result of await Promise.all(long)) assert.deepEqual(result, [200, ORDERS]);
});

test('a long page is whole while orders are inserted: none twice, none of the old ones missing', async () => {
  let stop = false;
  const inserting = (async () => {
    while (!stop) await florin.merchant('POST', '/gateway/orders/authorize', payment());
  })();
  for (let i = 0; i < 3; i++) {
    const { body } = await florin.merchant('GET', `/gateway/orders/?per_page=2000&expand=${EXPANDS}`);
    const ids = (body.orders as Rows).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const old = (body.orders as readonly { merchant_order_id: string | null }[]).filter(
      ({ merchant_order_id }) => merchant_order_id !== null,
    );
    assert.equal(old.length, ORDERS);
  }
  stop = true;
  await inserting;
});
