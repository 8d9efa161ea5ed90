// The audit log's chains: each owner has one of its own, nobody waits for another's, and what is taken off one is found.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import {
  type Action,
  auditAnchors,
  auditAppend,
  auditBreaks,
  auditViolations,
  createChanges,
} from '../../src/operator/index.ts';
import { createCommitter, insert, type Transaction, table } from '../../src/store/index.ts';
import { keyed, silent } from '../projects/bench.ts';
import { testApp } from '../support/app.ts';
import { type Installation, installation } from './installation.ts';

let at: Installation;
before(async () => {
  at = await installation();
});
after(() => at.stop());

const ACTION: Action = { actor: 'operator', origin: '192.0.2.1', action: 'terminal.put', target: 'shop/1' };
const [FIRST, SECOND, THIRD, NOBODY] = [101n, 102n, 103n, 104n];

const append = (owner: bigint, db: Transaction): Promise<void> =>
  auditAppend(db, keyed, { ...ACTION, owner }, 'done', at.clock.now());
const appended = (owner: bigint): Promise<void> => at.database.transaction((db) => append(owner, db));

interface Row {
  readonly owner_id: bigint;
  readonly sequence: bigint;
  readonly id: bigint;
}
const rowsOf = (owner: bigint): Promise<Row[]> =>
  at.database.query<Row>('select * from operator_audit where owner_id = $1 order by sequence', [owner]);

/** Appends to the owner's chain, and holds it until `work` is over. */
const holding = (owner: bigint, work: () => Promise<void>): Promise<void> =>
  at.database.transaction(async (db) => {
    await append(owner, db);
    await work();
  });

/** As `appended`, but whoever has to wait is refused. */
const atOnce = (owner: bigint): Promise<void> =>
  at.database.transaction(async (db) => {
    await db.query(`set local lock_timeout = '300ms'`);
    await append(owner, db);
  });

test('each owner has a chain without gaps; the list shows all in one order', async () => {
  const owners = Array.from({ length: 24 }, (_, i) => [0n, FIRST, SECOND][i % 3] as bigint);
  await Promise.all(owners.map(appended));
  for (const owner of [0n, FIRST, SECOND])
    assert.deepEqual(
      (await rowsOf(owner)).map(({ sequence }) => sequence),
      Array.from({ length: 8 }, (_, i) => BigInt(i + 1)),
    );
  const pages = [];
  for (let before = '999'; ; before = pages.at(-1).id) {
    const { audit } = (await at.call('GET', `/audit?per_page=7&before=${before}`)).body;
    if (audit.length === 0) break;
    pages.push(...audit);
  }
  assert.deepEqual(
    pages.map(({ id }) => Number(id)),
    Array.from({ length: 24 }, (_, i) => 24 - i),
  );
  assert.deepEqual(new Set(pages.map(({ owner }) => owner)), new Set(['0', '101', '102']));
  assert.deepEqual(await auditBreaks(at.database, keyed), []);
});

describe('two owners', () => {
  test('don’t wait for each other, the same one does', async () => {
    await holding(FIRST, async () => {
      await atOnce(SECOND);
      await atOnce(0n);
      await assert.rejects(atOnce(FIRST), { code: '55P03' });
    });
  });

  test('nor do what commands change', async () => {
    const notes = table<{ tenant_id: bigint; id: bigint }>('notes', { tenant_id: 'int8', id: 'int8' }, [
      'tenant_id',
      'id',
    ]);
    await at.database.query('create table notes (tenant_id int8, id int8, primary key (tenant_id, id))');
    const committer = createCommitter({
      connect: () => at.database.session(),
      clock: systemClock,
      ids: at.tools.ids,
      log: silent,
      patienceMs: 1000,
    });
    const changes = createChanges({
      database: at.database,
      committer,
      keyed,
      clock: at.clock,
      log: silent,
    });
    const asks = { principal: { name: 'operator' }, remoteAddress: '192.0.2.1' };
    const noted = (owner: bigint, id: bigint): Promise<void> =>
      changes.byCommands(asks, { owner, action: 'note', target: String(id) }, (auditing) =>
        auditing.submit({
          name: 'note',
          owner,
          needs: [],
          decide: () => ({ value: undefined, changes: [insert(notes, { tenant_id: owner, id })] }),
        }),
      );
    await holding(FIRST, () => noted(SECOND, 1n));
    // Two of one owner at once: one behind the other, each with its row.
    const was = (await rowsOf(SECOND)).length;
    await Promise.all([noted(SECOND, 2n), noted(SECOND, 3n), noted(THIRD, 4n)]);
    assert.equal((await rowsOf(SECOND)).length, was + 2);
    assert.deepEqual(await auditBreaks(at.database, keyed), []);
    await committer.drain();
  });
});

describe('the proof', () => {
  const OFF = 'alter table operator_audit disable trigger operator_audit_append_only';
  const ON = 'alter table operator_audit enable trigger operator_audit_append_only';
  const chains = ['operator_audit', 'audit_heads'];
  const anchors = (): (() => Promise<void>) => auditAnchors({ database: at.database, keyed, clock: at.clock });

  before(async () => {
    for (const owner of [0n, FIRST, SECOND, FIRST, FIRST]) await appended(owner);
    for (const table of chains) await at.database.query(`create table kept_${table} as select * from ${table}`);
  });
  /** Does what only somebody with the database's own password can. */
  const behindItsBack = (...statements: string[]): Promise<void> =>
    at.database.transaction(async (db) => {
      for (const sql of [OFF, ...statements, ON]) await db.query(sql);
    });
  /** Puts back the chains as they were kept. */
  const restored = (): Promise<void> =>
    behindItsBack(
      ...chains.flatMap((table) => [`delete from ${table}`, `insert into ${table} select * from kept_${table}`]),
    );
  afterEach(restored);

  const REWIND = `update audit_heads h set (sequence, id, hash) = (select sequence, id, hash from operator_audit a
    where a.owner_id = h.owner_id order by sequence desc limit 1)`;
  const cut = (owner: bigint): string =>
    `delete from operator_audit where owner_id = ${owner} and sequence > (select max(sequence) - 2 from operator_audit where owner_id = ${owner})`;
  const proof = async (): Promise<{ ok: boolean; violations: unknown[] }> =>
    (await at.call('GET', '/invariants')).body.checks.at(-1);

  test('names the chain and the row, and one owner’s chain is proved alone', async () => {
    const [, second, third] = await rowsOf(FIRST);
    assert.ok(second && third);
    await behindItsBack(`update operator_audit set result = 'other' where id = ${second.id}`);
    assert.deepEqual(await proof(), {
      id: 'audit_chain',
      ok: false,
      violations: [{ owner: String(FIRST), id: String(second.id) }],
    });
    assert.deepEqual(await auditViolations(at.database, keyed, FIRST), [second.id]);
    assert.deepEqual(await auditViolations(at.database, keyed, SECOND), []);
    await restored();
    await behindItsBack(`delete from operator_audit where id = ${second.id}`);
    assert.deepEqual(await auditBreaks(at.database, keyed), [{ owner: FIRST, id: third.id }]);
    await restored();
    assert.deepEqual(await proof(), { id: 'audit_chain', ok: true, violations: [] });
  });

  test('a row that is moved to another chain, or to another place of the list, is found in both', async () => {
    const last = (await rowsOf(FIRST)).at(-1) as Row;
    await behindItsBack(`update operator_audit set owner_id = ${THIRD}, sequence = 99 where id = ${last.id}`);
    const owners = (await auditBreaks(at.database, keyed)).map(({ owner }) => owner);
    assert.deepEqual(new Set(owners), new Set([FIRST, THIRD]));
    await restored();
    // All of it, and its head.
    await behindItsBack(
      ...chains.map((table) => `update ${table} set owner_id = ${NOBODY} where owner_id = ${SECOND}`),
    );
    assert.equal((await auditViolations(at.database, keyed, NOBODY)).length, (await rowsOf(NOBODY)).length);
    await restored();
    await behindItsBack(`update operator_audit set id = 900000 where id = ${last.id}`);
    assert.deepEqual(await auditViolations(at.database, keyed, FIRST), [900000n]);
  });

  test('the end that was cut off shows at the head, rows behind the head too', async () => {
    const last = (await rowsOf(FIRST)).at(-1) as Row;
    await behindItsBack(cut(FIRST));
    assert.deepEqual(await auditBreaks(at.database, keyed), [{ owner: FIRST, id: last.id }]);
    await restored();
    await behindItsBack(`delete from audit_heads where owner_id = ${FIRST}`);
    assert.deepEqual(await auditBreaks(at.database, keyed), [{ owner: FIRST, id: last.id }]);
  });

  test('where the head was set back too, or all of a chain is gone, it shows at the anchor in the installation’s chain', async () => {
    await anchors()();
    const last = (await rowsOf(FIRST)).at(-1) as Row;
    await behindItsBack(cut(FIRST), REWIND);
    assert.deepEqual(await auditBreaks(at.database, keyed), [{ owner: FIRST, id: last.id }]);
    // Going on behind the cut doesn't hide it.
    for (let i = 0; i < 2; i++) await appended(FIRST);
    assert.notDeepEqual(await auditBreaks(at.database, keyed), []);
    await restored();
    await anchors()();
    await behindItsBack(...chains.map((table) => `delete from ${table} where owner_id = ${FIRST}`));
    assert.deepEqual(await auditBreaks(at.database, keyed), [{ owner: FIRST, id: last.id }]);
  });

  test('an anchor is a row for what went on since the last, whoever made that', async () => {
    const made = (): Promise<number> => rowsOf(0n).then((rows) => rows.length);
    const was = await made();
    const server = anchors();
    await Promise.all(Array.from({ length: 60 }, (_, i) => appended(BigInt(1000 + i))));
    await server();
    assert.equal(await made(), was + 2);
    await server();
    await anchors()();
    assert.equal(await made(), was + 2);
    await appended(SECOND);
    await server();
    assert.equal(await made(), was + 3);
    assert.deepEqual(await auditBreaks(at.database, keyed), []);
  });

  test('rows that are written meanwhile are no fault', async () => {
    const writing = Promise.all(Array.from({ length: 40 }, (_, i) => appended(i % 2 === 0 ? FIRST : SECOND)));
    for (let i = 0; i < 5; i++) assert.deepEqual(await auditBreaks(at.database, keyed), []);
    await writing;
  });
});

test('what is changed of a project or a tenant stands in its chain, what belongs to neither in the installation’s', async () => {
  const florin = await testApp();
  const [project] = await florin.database.query<{ id: bigint }>(`select id from projects where login = 'sandbox'`);
  const [tenant] = await florin.database.query<{ id: bigint }>(`select id from tenants where name = 'sandbox'`);
  assert.ok(project && tenant);
  const last = async (method: string, path: string, body?: unknown): Promise<string[]> => {
    await florin.operator(method, `/operator${path}`, body);
    const [row] = (await florin.operator('GET', '/operator/audit?per_page=1')).body.audit;
    return [row.action, row.result, row.owner];
  };
  const [ours, theirs] = [String(project.id), String(tenant.id)];
  const of = '/projects/sandbox';
  const link = { amount: 1, currency: 'EUR', description: 'x' };
  assert.deepEqual(await last('PATCH', `${of}/settings`, { trace_id: true }), ['settings.patch', 'done', ours]);
  assert.deepEqual(await last('DELETE', `${of}/terminals/none`), ['terminal.remove', 'terminal_unknown', ours]);
  assert.deepEqual(await last('DELETE', `${of}/rules/none`), ['rule.remove', 'rule_unknown', ours]);
  assert.deepEqual(await last('PUT', `${of}/templates/blue`, {}), ['template.put', 'done', ours]);
  assert.deepEqual(await last('POST', `${of}/links`, link), ['link.create', 'done', ours]);
  assert.deepEqual(await last('PATCH', '/projects/nobody', {}), ['project.patch', 'project_unknown', '0']);
  const at = '/tenants/sandbox';
  assert.deepEqual(await last('PATCH', at, {}), ['tenant.patch', 'done', theirs]);
  assert.deepEqual(await last('POST', `${at}/secrets`, { label: 'x' }), ['tenant.secret.create', 'done', theirs]);
  assert.deepEqual(await last('POST', `${at}/users/1/unlock`), ['user.unlock', 'not_found', theirs]);
  const { programmes } = (await florin.operator('GET', `/operator${at}/programmes`)).body;
  const programmeId = programmes[0].id;
  const verified = { programmeId, type: 'consumer', name: 'Ada', kycState: 'APPROVED', kycLevel: 'KYC_LEVEL_2' };
  const { id: consumer } = (await florin.operator('POST', `/operator${at}/identities`, verified)).body;
  const profile = { programmeId, name: 'accounts', kind: 'account' };
  const { id: profileId } = (await florin.operator('POST', `/operator${at}/profiles`, profile)).body;
  const account = { profileId, friendlyName: 'Travel', currency: 'EUR' };
  const made = await last('POST', `${at}/identities/${consumer}/accounts`, account);
  assert.deepEqual(made, ['account.create', 'done', theirs]);
  assert.deepEqual(await last('POST', '/keys/rotate'), ['keys.rotate', 'done', '0']);
});
