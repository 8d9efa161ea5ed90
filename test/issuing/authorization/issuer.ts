// A whole issuer on a real database, without HTTP: tenants, cards and money put in directly, and a network message for any of its cards.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  idMaker,
  idPermutation,
  luhnDigit,
  Pan,
  systemClock,
  systemRandom,
  VirtualClock,
} from '../../../src/base/index.ts';
import { eventMaker } from '../../../src/events/index.ts';
import { emptyFunds, moveFunds } from '../../../src/issuing/accounts/index.ts';
import { accountInsert, fundsInsert } from '../../../src/issuing/accounts/queries.ts';
import {
  type AuthorizationPorts,
  type Authorizer,
  createAuthorizer,
} from '../../../src/issuing/authorization/index.ts';
import type { Card } from '../../../src/issuing/cards/index.ts';
import { cardInsert, cardNumberInsert } from '../../../src/issuing/cards/queries.ts';
import { authorizationAuditor } from '../../../src/issuing/payments/index.ts';
import { createPasswords, defaultIdentity } from '../../../src/issuing/people/index.ts';
import { identityUpsert } from '../../../src/issuing/people/queries.ts';
import type { IssuingDeps } from '../../../src/issuing/requests/index.ts';
import type { KycLevel } from '../../../src/issuing/tenants/index.ts';
import {
  createTenants,
  defaultProfile,
  defaultProgramme,
  defaultTenant,
  type InstallationSettings,
  type ProfileSettings,
  type ProgrammeSettings,
  type TenantSettings,
  type TenantsRoom,
} from '../../../src/issuing/tenants/index.ts';
import { installationPut, profileUpsert, programmeUpsert, tenantUpsert } from '../../../src/issuing/tenants/queries.ts';
import { createProver, ledgerAuditor } from '../../../src/ledger/index.ts';
import type { NetworkRequest } from '../../../src/network/index.ts';
import { type Change, createCommitter, type Db, rowReader, type Timeline } from '../../../src/store/index.ts';
import { openVault } from '../../../src/vault/index.ts';
import { silent, type TestDatabase, testDatabase } from '../../support/database.ts';
import { noneDecides } from '../../support/decisions.ts';
import { atEnd } from '../../support/ends.ts';
import { aCard } from './world.ts';

export const NOW = '2026-11-21T10:00:00.000Z';
const TENANT = 1n;
const PARTS = { identity: 5n, programme: 6n, profile: 7n };

export interface Settings {
  readonly tenant?: Partial<TenantSettings>;
  readonly programme?: Partial<ProgrammeSettings>;
  readonly profile?: Partial<ProfileSettings>;
  readonly installation?: Partial<InstallationSettings>;
  readonly kycLevel?: KycLevel;
}

export interface IssuerWorld {
  readonly database: TestDatabase;
  readonly issuer: IssuingDeps;
  readonly tenants: TenantsRoom;
  readonly clock: VirtualClock;
  readonly authorizer: Authorizer;
  /** As of another process: its own committer, ids and connections, the same database. */
  readonly authorizerWith: (ports: Partial<AuthorizationPorts>) => Authorizer;
  readonly cardNumbers: ReadonlyMap<bigint, Pan>;
  set(settings: Settings): Promise<void>;
  /** A card with that much on it; with a parent it spends the parent's. */
  card(funds?: bigint, fields?: Partial<Card>): Promise<Card>;
  account(funds: bigint): Promise<bigint>;
  request(card: Card, minor: bigint, different?: Partial<NetworkRequest>): NetworkRequest;
  funds(instrumentId: bigint): Promise<{ actual: bigint; held: bigint }>;
  /** Ids of the invariants that are violated. */
  violated(): Promise<string[]>;
}

const RATES: Readonly<Record<string, bigint>> = { USDEUR: 900_000n, GBPEUR: 1_150_000n, JPYEUR: 6_000n };

let references = 0;

/** Long: a whole issuer, and the table of what tests may do with it. */
export async function issuerWorld(ports: Partial<AuthorizationPorts> = {}): Promise<IssuerWorld> {
  const database = await testDatabase();
  const clock = new VirtualClock(systemClock);
  clock.freeze(true);
  clock.set(new Date(NOW));
  const made = idMaker(clock, 1, { clock, node: 3 });
  const ids = noneDecides(made);
  const asked = { clock: noneDecides(clock), random: noneDecides(systemRandom) };
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'florin-issuer-'));
  const vault = await openVault({ dataDir, database, ...asked, log: silent, allowCreate: true });
  const committer = createCommitter({ connect: () => database.session(), clock, ids: made, log: silent });
  atEnd(async () => {
    await committer.drain();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const prover = createProver({
    database,
    clock,
    time: systemClock,
    log: silent,
    auditors: [ledgerAuditor, authorizationAuditor],
  });
  const tenants = createTenants({ database, keyed: vault.keyed, clock: asked.clock, log: silent });
  const permutation = idPermutation(vault.ids);
  const issuer: IssuingDeps = {
    ...asked,
    ids,
    log: silent,
    db: database,
    readRow: rowReader(database.prepared),
    committer,
    vault,
    permutation,
    events: eventMaker({ permutation, mode: 'sandbox', ownerType: 'tenant', nameOf: tenants.nameOf }),
    tenants,
    passwords: createPasswords(asked),
    publicUrl: 'http://127.0.0.1',
    sandbox: true,
    rates: () => (from, to) => {
      const micro = RATES[from + to];
      return micro === undefined ? null : { micro, day: '2026-11-21', source: 'test' };
    },
  };
  const besideIds = idMaker(clock, 2, { clock, node: 4 });
  const besideCommitter = createCommitter({ connect: () => database.session(), clock, ids: besideIds, log: silent });
  atEnd(() => besideCommitter.drain());
  const beside: IssuingDeps = { ...issuer, ids: noneDecides(besideIds), committer: besideCommitter };
  const created_at = new Date(NOW);
  const set = async (settings: Settings): Promise<void> => {
    await database.transaction(async (db) => {
      await tenantUpsert(db, {
        id: TENANT,
        name: 'tenant',
        active: true,
        settings: { ...defaultTenant, ...settings.tenant },
        created_at,
      });
      const of = { tenant_id: TENANT, created_at };
      await programmeUpsert(db, {
        ...of,
        id: PARTS.programme,
        name: 'p',
        settings: { ...defaultProgramme, ...settings.programme },
      });
      await profileUpsert(db, {
        ...of,
        id: PARTS.profile,
        programme_id: PARTS.programme,
        name: 'c',
        kind: 'card',
        active: true,
        settings: { ...defaultProfile, ...settings.profile },
      });
      await installationPut(db, settings.installation ?? {});
      await identityUpsert(db, {
        ...of,
        id: PARTS.identity,
        programme_id: PARTS.programme,
        type: 'consumer',
        name: 'Ada Example',
        kyc_state: 'APPROVED',
        kyc_level: settings.kycLevel ?? 'KYC_LEVEL_2',
        active: true,
        settings: defaultIdentity,
        updated_at: created_at,
      });
      // Put in directly: nothing is told of it.
      await db.query('update identities set events = 0 where tenant_id = $1', [TENANT]);
    });
    await tenants.refresh();
  };
  await set({});

  const commit = (changes: readonly Change[]): Promise<null> =>
    committer.submit({ name: 'test', owner: TENANT, needs: [], decide: () => ({ value: null, changes }) });
  const money = (instrumentId: bigint, amount: bigint): Change[] => {
    const empty = emptyFunds(TENANT, instrumentId, 'EUR');
    const deposit = {
      type: 'DEPOSIT',
      actual: amount,
      held: 0n,
      counter: 'issuer_bank',
      subject: { type: 'deposit', id: instrumentId },
    } as const;
    return [fundsInsert(empty), ...(amount === 0n ? [] : moveFunds({ now: created_at, ids }, empty, deposit).changes)];
  };
  const cardNumbers = new Map<bigint, Pan>();
  const authorizerOf = (process: IssuingDeps, own: Partial<AuthorizationPorts>): Authorizer =>
    createAuthorizer(process, {
      verifyCavv: () => true,
      forward: () => Promise.resolve({ decision: 'APPROVE', cause: 'test' }),
      ...ports,
      ...own,
    });

  return {
    database,
    issuer,
    tenants,
    clock,
    authorizer: authorizerOf(issuer, {}),
    authorizerWith: (own) => authorizerOf(beside, own),
    cardNumbers,
    set,
    async card(funds = 0n, fields = {}) {
      const id = ids.next();
      const payload = `559999${String(cardNumbers.size + 1).padStart(9, '0')}`;
      const pan = Pan.parse(payload + luhnDigit(payload)) as Pan;
      cardNumbers.set(id, pan);
      const card = aCard({ tenantId: TENANT, id, last_four: pan.lastFour, ...fields });
      await commit([
        cardInsert(card),
        cardNumberInsert({ fingerprint: vault.fingerprint(pan), tenant_id: TENANT, card_id: id }),
        vault.seal(TENANT, id, { pan, expiry: '', holder: null }).change,
        ...(card.parent_account_id === null ? money(id, funds) : []),
      ]);
      return card;
    },
    async account(funds) {
      const id = ids.next();
      await commit([
        accountInsert({
          tenant_id: TENANT,
          id,
          identity_id: PARTS.identity,
          profile_id: PARTS.profile,
          friendly_name: 'account',
          tag: null,
          currency: 'EUR',
          state: 'ACTIVE',
          blocks: [],
          destroyed_reason: null,
          events: 0,
          created_at,
          updated_at: created_at,
        }),
        ...money(id, funds),
      ]);
      return id;
    },
    request: (card, minor, different = {}) => ({
      operation: 'authorize',
      owner: 1n,
      orderId: 10n,
      reference: String(++references),
      attempt: 1,
      original: null,
      pan: cardNumbers.get(card.id) as Pan,
      expiry: card.expires,
      cvv: null,
      holder: null,
      amount: { minor, currency: 'EUR' },
      stan: '000042',
      transmittedAt: clock.now(),
      terminal: {
        id: '1',
        merchantId: 'SHOP1',
        mcc: '5411',
        descriptor: 'A SHOP',
        country: 'LTU',
        cvvMustMatch: false,
      },
      channel: 'contactless',
      final: true,
      pin: null,
      entryMode: 'ecommerce',
      initiator: 'customer',
      indicator: null,
      originalTraceId: null,
      exemption: null,
      authentication: null,
      ...different,
    }),
    async funds(instrumentId) {
      const rows = await database.query<{ actual: bigint; held: bigint }>(
        'select actual, held from funds where instrument_id = $1',
        [instrumentId],
      );
      return rows[0] ?? { actual: 0n, held: 0n };
    },
    async violated() {
      const { checks } = await prover.full();
      return checks.filter(({ ok }) => !ok).map(({ id }) => id);
    },
  };
}

/** A later message of a payment. */
export const later = (
  world: IssuerWorld,
  first: NetworkRequest,
  operation: NetworkRequest['operation'],
  minor: bigint,
  different: Partial<NetworkRequest> = {},
): NetworkRequest => ({
  ...first,
  cvv: null,
  pin: null,
  operation,
  original: first.reference,
  reference: String(++references),
  amount: { minor, currency: first.amount.currency },
  transmittedAt: world.clock.now(),
  ...different,
});

/** Runs what a timeline has due at `now`; how much it found. */
export async function runDue(timeline: Timeline | undefined, db: Db, now: Date): Promise<number> {
  assert.ok(timeline);
  const items = await timeline.due(db, now, 1000, []);
  await Promise.all(items.map((item) => timeline.run(item)));
  return items.length;
}
