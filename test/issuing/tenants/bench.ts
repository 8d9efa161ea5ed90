// A database for the tests of the tenants room: real Postgres, a clock that tests move, any number of processes on it.
import { createHmac } from 'node:crypto';
import { idMaker, idPermutation, type Permutation, systemRandom } from '../../../src/base/index.ts';
import { eventMaker } from '../../../src/events/index.ts';
import { identityCreate, type PeopleDeps, userCreate } from '../../../src/issuing/people/index.ts';
import { createTenants, type TenantsRoom, type Tools as TenantTools } from '../../../src/issuing/tenants/index.ts';
import { secretCreate, tenantCreate } from '../../../src/issuing/tenants/manage.ts';
import { programmeUpsert } from '../../../src/issuing/tenants/queries.ts';
import type { Keyed } from '../../../src/issuing/tenants/tenants.ts';
import type { Db, Transaction } from '../../../src/store/index.ts';
import { type HandClock, handClock } from '../../projects/bench.ts';
import { silent, type TestDatabase, testDatabase } from '../../support/database.ts';

export const keyed: Keyed = (purpose, data) => createHmac('sha256', `test ${purpose}`).update(data).digest();

/** What tenants and their people are made with. */
export type Tools = TenantTools & PeopleDeps;

export interface TenantsBench {
  readonly database: TestDatabase;
  readonly clock: HandClock;
  readonly tools: Tools;
  readonly permutation: Permutation;
  readonly tenants: TenantsRoom;
  /** One transaction of changes; once it resolves `tenants` knows of them. */
  change<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value>;
  /** What another process on the same database sees, through a database of its own if one is given. */
  other(database?: Db): TenantsRoom;
}

export async function tenantsBench(): Promise<TenantsBench> {
  const database = await testDatabase();
  const clock = handClock();
  const other = (own: Db = database): TenantsRoom => createTenants({ database: own, keyed, clock, log: silent });
  const tenants = other();
  const permutation = idPermutation(Buffer.alloc(16, 5));
  const { nameOf, nameIn } = tenants;
  const events = eventMaker({ permutation, mode: 'sandbox', ownerType: 'tenant', nameOf, nameIn });
  const tools: Tools = { clock, ids: idMaker(clock, 1), random: systemRandom, keyed, events, permutation };
  const change: TenantsBench['change'] = async (work) => {
    try {
      return await database.transaction(work);
    } finally {
      await tenants.refresh();
    }
  };
  return { database, clock, tools, permutation, tenants, change, other };
}

/** A tenant with one programme and one secret. */
export async function aTenant(
  { change, tools }: TenantsBench,
  name: string,
): Promise<{ readonly id: bigint; readonly programme: bigint; readonly secret: string; readonly secretId: bigint }> {
  const id = tools.ids.next();
  const programme = tools.ids.next();
  const made = await change(async (db) => {
    await tenantCreate(db, tools, { id, name, settings: {} });
    await programmeUpsert(db, {
      tenant_id: id,
      id: programme,
      name: `${name} cards`,
      settings: {},
      created_at: tools.clock.now(),
    });
    return secretCreate(db, tools, id, { label: 'server' });
  });
  return { id, programme, secret: made.secret, secretId: made.id };
}

/** A consumer of a programme; his id. */
export async function aConsumer(db: Db, tools: Tools, tenantId: bigint, programmeId: bigint): Promise<bigint> {
  const identity = await identityCreate(db, tools, {
    id: tools.ids.next(),
    tenantId,
    programmeId,
    type: 'consumer',
    name: 'Ada Example',
    kycState: 'APPROVED',
    kycLevel: 'KYC_LEVEL_2',
  });
  return identity.id;
}

/** His user; null: the address is taken. */
export async function aUser(
  db: Db,
  tools: Tools,
  of: { readonly tenantId: bigint; readonly identityId: bigint; readonly email: string; readonly mobile?: string },
): Promise<bigint | null> {
  const user = await userCreate(db, tools, {
    id: tools.ids.next(),
    tenantId: of.tenantId,
    identityId: of.identityId,
    kind: 'root',
    name: 'Ada',
    surname: 'Example',
    email: of.email,
    mobile: of.mobile ?? null,
    password: null,
  });
  return user?.id ?? null;
}
