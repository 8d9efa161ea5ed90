// Every statement on a table of an owner says whose rows it wants: what counts as saying so, and that a run sees what doesn't.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { EXCEPTIONS } from './exceptions.ts';
import { ownersMissing } from './judge.ts';
import { faultOf, statementsOfRun } from './statements.ts';

const RIGHT: readonly string[] = [
  'select * from orders where project_id = $1 and id = $2',
  'select o.id from orders o where (o.status = $2 or o.id = $3) and o.project_id = $1::int8',
  'select * from cards where tenant_id = any($1::int8[]) and id = $2',
  'select t.* from unnest($1::int8[], $2::int8[]) as k(tenant_id, id) join cards t using (tenant_id, id) for update of t',
  'select * from orders o left join operations p on p.project_id = o.project_id and p.order_id = o.id where o.project_id = $1',
  'select p.*, (select count(*) from terminals t where t.project_id = p.id) from projects p where p.version > $1',
  'insert into orders (project_id, id) select * from unnest($1::int8[], $2::int8[])',
  'update orders t set status = v.status from unnest($1::int8[], $2::text[]) as v(project_id, status) where t.project_id = v.project_id',
  'update users set kind = case when $2 or active then $3 end where tenant_id = $1',
  'delete from cards t using unnest($1::int8[]) as v(tenant_id) where t.tenant_id = v.tenant_id',
  'select * from authorizations where (tenant_id, id) in (select tenant_id, authorization_id from authorization_messages where tenant_id = any($1))',
  'select * from projects where id = $1',
  `select 'from orders' as text, now()`,
];

/** Statement → the tables of which it does not say whose rows it wants. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  'select * from orders where id = $1': ['orders'],
  'select project_id from orders order by project_id': ['orders'],
  'select * from orders o join operations p on p.project_id = o.project_id where o.in_flight = $1': [
    'orders',
    'operations',
  ],
  'select * from orders, operations p where p.project_id = $1': ['orders'],
  'select * from orders where ($1::int8 is null or project_id = $1)': ['orders'],
  'select * from orders where project_id = $1 or id = $2': ['orders'],
  'select * from orders where project_id <> all($1) and next_at <= $2': ['orders'],
  'select * from orders where (project_id, id) > ($1, $2)': ['orders'],
  'select * from users u where u.email = $1 and exists (select from cards where tenant_id = $2)': ['users'],
  'select * from projects p where exists (select from orders where id = $1)': ['orders'],
  'update orders set project_id = $1 where id = $2': ['orders'],
  'delete from orders where id = $1': ['orders'],
  'delete from cards r using (select tenant_id from cards where due_at < $1) x where r.tenant_id = x.tenant_id': [
    'cards',
  ],
  'insert into orders (id) values ($1)': ['orders'],
  'select id from orders where project_id = $1 union select id from cards': ['cards'],
  'with t as (select * from orders) select * from t where project_id = $1': ['orders'],
};

describe('a statement', () => {
  for (const text of RIGHT) it(`says whose rows it wants: ${text}`, () => assert.deepEqual(ownersMissing(text), []));
  for (const [text, tables] of Object.entries(WRONG))
    it(`does not: ${text}`, () => assert.deepEqual(ownersMissing(text), tables));

  it('may go over all owners where it is an exception, and in no other file', () => {
    const text = 'delete from used_reveals where used_at < $1';
    assert.equal(faultOf('src/issuing/secrets/queries.ts', text), null);
    assert.match(
      faultOf('src/vault/queries.ts', text) ?? '',
      /^src\/vault\/queries.ts: names no owner of used_reveals/,
    );
  });

  it('turns a run red, and the run tells which exceptions nobody needed', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'florin-statements-'));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, ['--test', path.join(import.meta.dirname, 'planted-child.ts')], {
      env: { ...env, FLORIN_TEST_STATEMENTS: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    const { wrong, unneeded } = statementsOfRun(folder);
    rmSync(folder, { recursive: true });
    assert.equal(code, 1, said);
    assert.deepEqual(wrong, [
      'src/store/row-kind.ts: names no owner of identities: select r.* from unnest($1::int8[]) as k(id) cross join lateral (select t.* from identities t where t.id = k.id offset 0) r',
    ]);
    assert.ok(said.includes(wrong[0] as string));
    assert.equal(unneeded.length, EXCEPTIONS.length);
  });
});
