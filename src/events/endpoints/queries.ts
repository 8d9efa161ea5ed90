// Statements on webhooks. Rule: an owner's endpoints are locked and changed together, for they have a number of places among them.
import {
  type Change,
  type Db,
  follow,
  insert,
  type Kind,
  type Need,
  oneOwner,
  remove,
  table,
  update,
} from '../../store/index.ts';
import type { Endpoint } from './model.ts';

const webhooks = table<Endpoint>(
  'webhooks',
  {
    owner_id: 'int8',
    id: 'int8',
    slot: 'int4',
    owner_type: 'text',
    url: 'text',
    description: 'text',
    types: 'jsonb',
    enabled: 'bool',
    disabled_reason: 'text',
    payload: 'text',
    signature: 'text',
    version: 'text',
    concurrency: 'int4',
    ordered: 'bool',
    keys: 'jsonb',
    events: 'int4',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['owner_id', 'id'],
);

export const endpointInsert = (row: Endpoint): Change => insert(webhooks, row);
export const endpointUpdate = (row: Endpoint): Change => update(webhooks, row);
export const endpointRemove = ({ owner_id, id }: Pick<Endpoint, 'owner_id' | 'id'>): Change =>
  remove(webhooks, { owner_id, id });

const bySlot = (a: Endpoint, b: Endpoint): number => a.slot - b.slot;

/** The endpoints of an owner, locked, by their places. Of two who take one place at once the index lets one through. */
export const endpointsKind: Kind<bigint, readonly Endpoint[]> = {
  name: 'webhooks',
  keyText: String,
  follows: [
    follow<Endpoint, readonly Endpoint[]>(
      webhooks,
      ({ owner_id }) => String(owner_id),
      (before = [], row, op) => {
        const others = before.filter(({ id }) => id !== row.id);
        return op === 'remove' ? others : [...others, row].sort(bySlot);
      },
    ),
  ],
  async load(db, owners) {
    const owner = oneOwner(owners);
    const rows = await db.query<Endpoint>('select * from webhooks where owner_id = $1 order by id for update', [owner]);
    return rows.length === 0 ? new Map() : new Map([[String(owner), rows.sort(bySlot)]]);
  },
};
export const needEndpoints = (owner: bigint): Need => ({ kind: endpointsKind, key: owner });

/** By their places. */
export const endpointsOf = (db: Db, owner: bigint): Promise<Endpoint[]> =>
  db.query<Endpoint>('select * from webhooks where owner_id = $1 order by slot', [owner]);

export async function endpointOf(db: Db, owner: bigint, id: bigint): Promise<Endpoint | null> {
  const rows = await db.query<Endpoint>('select * from webhooks where owner_id = $1 and id = $2', [owner, id]);
  return rows[0] ?? null;
}

/** How many are not sent to, of all owners. */
export async function endpointsDisabled(db: Db): Promise<number> {
  const [row] = await db.query<{ count: bigint }>('select count(*) as count from webhooks where not enabled');
  return Number(row?.count ?? 0n);
}

/** Those of all owners that are sent to. */
export const endpointsEnabled = (db: Db): Promise<Endpoint[]> =>
  db.query<Endpoint>('select * from webhooks where enabled order by owner_id, id');
