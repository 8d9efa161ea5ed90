// Every change of the operator API is one transaction with its audit row: where the row can't be written, nothing is changed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import type { AnyApi } from '../../src/http/index.ts';
import { KEY_FILE } from '../../src/vault/index.ts';
import { type Ask, asking, walkOperator } from '../http/description/walk-operator.ts';
import { watchAnswers } from '../support/answers.ts';
import { type TestApp, testApp } from '../support/app.ts';

let florin: TestApp;
let operations: { readonly operation: string; readonly method: string; readonly pattern: RegExp }[] = [];
before(async () => {
  florin = await testApp(
    {},
    {
      watch(server, apis) {
        watchAnswers(server, apis);
        operations = operationsOf(apis);
      },
    },
  );
  await florin.database.transaction(async (db) => {
    await db.query(`create function audit_is_full() returns trigger language plpgsql as $$
      begin raise exception 'the audit log takes no row'; end $$`);
    await db.query(
      'create trigger audit_is_full before insert on operator_audit for each statement execute function audit_is_full()',
    );
    await db.query('alter table operator_audit disable trigger audit_is_full');
  });
});

/** POST without being a change: it only shows. */
const LOOKS = new Set(['templateTry']);
/** GET that leaves a row all the same. */
const AUDITED_LOOKS = new Set(['cardNumber']);

const operationsOf = (apis: readonly AnyApi[]): typeof operations =>
  apis
    .filter(({ prefix }) => prefix === '/operator')
    .flatMap(({ endpoints }) =>
      endpoints.map(({ operation, method, path: at }) => ({
        operation,
        method: String(method),
        pattern: new RegExp(`^/operator${at.replace(/:\w+/g, '[^/?]+')}$`),
      })),
    )
    .filter(({ operation, method }) => (method === 'GET' ? AUDITED_LOOKS.has(operation) : !LOOKS.has(operation)));

/**
 * What is no business of an operator's request: signs of life, the marks of group commits, the numbers that a tenant is lent beforehand, the
 * positions that events get behind their commits.
 */
const BESIDE = new Set([
  'card_blocks',
  'commit_groups',
  'event_heads',
  'event_log',
  'event_queue',
  'range_blocks',
  'processes',
  'shared_followers',
  'operator_audit',
]);

/** Card ranges but for how much of them is lent. */
const RANGES = '(select name, brand, prefix, number_length, size from card_ranges)';

/** Each table as it stands, the key that seals, and the card ranges that are in force. */
async function everything(): Promise<Record<string, unknown>> {
  // What concerns endpoints goes on into the operator's log, behind the commit that an earlier request was answered with.
  const waiting = "select 1 from event_queue where type like 'webhook.%' limit 1";
  while ((await florin.database.query(waiting)).length > 0);
  const tables = await florin.database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const rows = await Promise.all(
    tables
      .filter(({ name }) => !BESIDE.has(name))
      .map(async ({ name }) => {
        const [found] = await florin.database.query<{ hash: string }>(
          `select md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as hash from ${name === 'card_ranges' ? RANGES : name} t`,
        );
        return [name, found?.hash] as const;
      }),
  );
  const { keks } = JSON.parse(readFileSync(path.join(florin.dataDir, KEY_FILE), 'utf8')) as { keks: { id: string }[] };
  return {
    ...Object.fromEntries(rows),
    key: keks[0]?.id,
    ranges: (await florin.operator('GET', '/operator/bins')).text,
  };
}

const auditIsFull = (full: boolean): Promise<unknown> =>
  florin.database.query(`alter table operator_audit ${full ? 'enable' : 'disable'} trigger audit_is_full`);

const tried = new Set<string>();

/** Asks first while the audit log takes nothing, and sees that nothing came of it. */
const inVain =
  (ask: Ask): Ask =>
  async (method, target, body) => {
    const found = operations.find((one) => one.method === method && one.pattern.test(target));
    if (!found) return ask(method, target, body);
    const was = await everything();
    await auditIsFull(true);
    const refused = await florin.operator(method, target, body);
    await auditIsFull(false);
    assert.equal(refused.status, 500, `${found.operation}: ${refused.text}`);
    assert.deepEqual(await everything(), was, `${found.operation} changed something that is not audited`);
    tried.add(found.operation);
    const [before] = await rows();
    const answer = await ask(method, target, body);
    const [after] = await rows();
    assert.deepEqual([after?.count, after?.result], [(before?.count ?? 0n) + 1n, 'done'], found.operation);
    return answer;
  };

const rows = (): Promise<{ count: bigint; result: string }[]> =>
  florin.database.query(
    'select (select count(*) from operator_audit) as count, result from operator_audit order by id desc limit 1',
  );

/** What the walk leaves out: what ends something, blocks it or lifts a block. */
async function ends(ask: Ask): Promise<void> {
  const shop = '/operator/projects/bookshop';
  await ask('DELETE', `${shop}/terminals/1`);
  await ask('DELETE', `${shop}/templates/blue`);
  await ask('DELETE', `${shop}/rules/big`);
  const { id: credential } = await ask('POST', `${shop}/credentials`, { label: 'spare', rights: ['read'] });
  await ask('DELETE', `${shop}/credentials/${credential}`);
  await ask('DELETE', '/operator/bins/42424242');
  const tenant = '/operator/tenants/example';
  const { id: secret } = await ask('POST', `${tenant}/secrets`, { label: 'spare' });
  await ask('DELETE', `${tenant}/secrets/${secret}`);
  const { identities } = (await florin.operator('GET', `${tenant}/identities`)).body;
  const identity = `${tenant}/identities/${identities[0].id}`;
  const { users } = (await florin.operator('GET', `${identity}/users`)).body;
  await ask('POST', `${tenant}/users/${users[0].id}/unlock`);
  const { accounts } = (await florin.operator('GET', `${identity}/accounts`)).body;
  await ask('POST', `/operator/managed-accounts/${accounts[0].id}/block`);
  await ask('POST', `/operator/managed-accounts/${accounts[0].id}/unblock`);
  const { profiles } = (await florin.operator('GET', `${tenant}/profiles`)).body;
  const cards = profiles.find(({ kind }: { kind: string }) => kind === 'card').id;
  await ask('PATCH', `${tenant}/profiles/${cards}`, {
    settings: {
      physical: { products: ['P'], carriers: ['C'], deliveryMethods: ['STANDARD_DELIVERY'] },
      physicalByDefault: true,
    },
  });
  const data = {
    profileId: cards,
    friendlyName: 'Plastic',
    nameOnCard: 'Ada Example',
    billingAddress: { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' },
    mode: 'PREPAID_MODE',
    currency: 'EUR',
  };
  const { id: plastic } = await ask('POST', `${identity}/cards`, { data });
  await ask('PUT', `/operator/cards/${plastic}/manufacturing`, { state: 'DISPATCHED' });
  const { cards: made } = (await florin.operator('GET', `${identity}/cards`)).body;
  await ask('POST', `/operator/cards/${made[0].id}/block`);
  await ask('POST', `/operator/cards/${made[0].id}/unblock`);
}

/** Endpoints, of each that may have some, and an event sent once more: to one that is there. */
async function endpoints(ask: Ask): Promise<void> {
  for (const whose of ['/operator', '/operator/projects/bookshop', '/operator/tenants/example']) {
    const url = 'https://10.0.0.7/events';
    const { id: spare } = await ask('POST', `${whose}/webhooks`, { url, events: ['webhook.*'] });
    await ask('POST', `${whose}/webhooks`, { url: `${url}/others`, events: ['webhook.*'] });
    await ask('PATCH', `${whose}/webhooks/${spare}`, { ordered: true });
    await ask('POST', `${whose}/webhooks/${spare}/rotate`, {});
    await ask('POST', `${whose}/webhooks/${spare}/test`, { type: 'webhook.updated' });
    const { id: replay } = await ask('POST', `${whose}/webhooks/${spare}/replay`, { from: '2020-01-01T00:00:00Z' });
    await ask('POST', `${whose}/webhooks/${spare}/replays/${replay}/stop`);
    const { events } = (await florin.operator('GET', `${whose}/events?resource=${spare}&since=WyIwIl0&wait=5`)).body;
    await ask('POST', `${whose}/events/${events[0].id}/resend`);
    await ask('DELETE', `${whose}/webhooks/${spare}`);
  }
}

test('where the audit row cannot be written nothing is changed, whatever was asked', async () => {
  const ask = inVain(asking(florin));
  await walkOperator(florin, ask);
  await ends(ask);
  await endpoints(ask);
  const left = operations.map(({ operation }) => operation).filter((operation) => !tried.has(operation));
  assert.deepEqual(left, [], 'operations that were not tried');
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.deepEqual(
    body.checks.filter(({ ok }: { ok: boolean }) => !ok),
    [],
  );
});

test('what issuing refuses is told by its code', async () => {
  const { identities } = (await florin.operator('GET', '/operator/tenants/example/identities')).body;
  const { cards } = (await florin.operator('GET', `/operator/tenants/example/identities/${identities[0].id}/cards`))
    .body;
  const refused = await florin.operator('POST', `/operator/cards/${cards[0].id}/unblock`);
  assert.equal(refused.status, 409, refused.text);
  const [row] = (await florin.operator('GET', '/operator/audit?per_page=1')).body.audit;
  assert.deepEqual([row.action, row.result], ['card.unblock', refused.body.errorCode]);
  assert.match(row.result, /^INSTRUMENT_/);
});
