// The audit log of operators and the heads of its chains; no other file names the tables. Rows are only ever added: the table refuses
// anything else. Rule: whoever appends to a chain holds its head until commit, and nobody waits for another owner's.
import { assert } from '../base/index.ts';
import {
  type Change,
  type Db,
  follow,
  insert,
  type Kind,
  statementsFor,
  type Transaction,
  table,
  update,
} from '../store/index.ts';

export interface AuditRow {
  /** A project, a tenant, or 0: the installation. */
  readonly owner_id: bigint;
  /** 1, 2, 3 … of the owner, without gaps. */
  readonly sequence: bigint;
  /** Where it stands in the list of all rows. */
  readonly id: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly origin: string;
  readonly action: string;
  readonly target: string;
  readonly result: string;
  readonly hash: Buffer;
}

/** The last row of a chain. */
export type AuditHead = Pick<AuditRow, 'owner_id' | 'sequence' | 'id' | 'hash'>;

const operatorAudit = table<AuditRow>(
  'operator_audit',
  {
    owner_id: 'int8',
    sequence: 'int8',
    id: 'int8',
    at: 'timestamptz',
    actor: 'text',
    origin: 'text',
    action: 'text',
    target: 'text',
    result: 'text',
    hash: 'bytea',
  },
  ['owner_id', 'sequence'],
);

const auditHeads = table<AuditHead>('audit_heads', { owner_id: 'int8', sequence: 'int8', id: 'int8', hash: 'bytea' }, [
  'owner_id',
]);

/** Behind a head that is held: the row, and the chain that ends with it. */
export const auditInsert = ({ owner_id, sequence, id, hash, ...row }: AuditRow): Change[] => [
  insert(operatorAudit, { owner_id, sequence, id, hash, ...row }),
  update(auditHeads, { owner_id, sequence, id, hash }),
];

/** Where the next row goes: behind this head, at this place of the list. */
export interface AuditEnd {
  /** Its sequence is 0 where the chain has no row yet. */
  readonly head: AuditHead;
  readonly id: bigint;
}

const NEW = `insert into audit_heads (owner_id, sequence, id, hash) values ($1, 0, 0, '') on conflict do nothing`;
const HOLD = 'select * from audit_heads where owner_id = $1 for update';
const PLACE = `select nextval('operator_audit_ids') as id`;

const ended = (head: AuditHead | undefined, place: { readonly id: bigint } | undefined): AuditEnd => {
  assert(head && place, 'a chain has its head');
  return { head, id: place.id };
};

/** Where a chain ends, which nobody else can append to before this transaction ends. */
export async function auditEnd(db: Transaction, owner: bigint): Promise<AuditEnd> {
  await db.query(NEW, [owner]);
  const [head] = await db.query<AuditHead>(HOLD, [owner]);
  // Drawn behind the lock, so that places rise along each chain.
  const [place] = await db.query<{ id: bigint }>(PLACE);
  return ended(head, place);
}

const keyText = (owner: bigint): string => owner.toString();

/** The same for commands. By its name loaded behind all else but counts of cards; behind it come the locks of what the group writes. */
export const auditEndKind: Kind<bigint, AuditEnd> = {
  name: '~operator_audit',
  keyText,
  async load(db, owners) {
    const ends = owners.map(async (owner): Promise<[string, AuditEnd]> => {
      const [, [head], [place]] = await Promise.all([
        db.query(NEW, [owner]),
        db.query<AuditHead>(HOLD, [owner]),
        db.query<{ id: bigint }>(PLACE),
      ]);
      return [keyText(owner), ended(head, place)];
    });
    return new Map(await Promise.all(ends));
  },
  // One row a group: the next place has to be drawn.
  follows: [
    follow(operatorAudit, ({ owner_id }) => keyText(owner_id)),
    follow(auditHeads, ({ owner_id }) => keyText(owner_id)),
  ],
};

export async function auditAdd(db: Transaction, row: AuditRow): Promise<void> {
  for (const { text, values } of statementsFor(auditInsert(row))) await db.query(text, values);
}

/** The latest first, those before `before`. */
export const auditBefore = (db: Db, before: bigint, limit: number): Promise<AuditRow[]> =>
  db.query<AuditRow>('select * from operator_audit where id < $1 order by id desc limit $2', [before, limit]);

/** Of one chain in order, those after `after`. */
export const auditAfter = (db: Db, owner: bigint, after: bigint, limit: number): Promise<AuditRow[]> =>
  db.query<AuditRow>('select * from operator_audit where owner_id = $1 and sequence > $2 order by sequence limit $3', [
    owner,
    after,
    limit,
  ]);

/** Of one chain in order, those of one action after `after`. */
export const auditOf = (db: Db, owner: bigint, action: string, after: bigint): Promise<AuditRow[]> =>
  db.query<AuditRow>(
    'select * from operator_audit where owner_id = $1 and action = $2 and sequence > $3 order by sequence',
    [owner, action, after],
  );

export async function headGet(db: Db, owner: bigint): Promise<AuditHead | null> {
  const [head] = await db.query<AuditHead>('select * from audit_heads where owner_id = $1 and sequence > 0', [owner]);
  return head ?? null;
}

export const headsList = (db: Db): Promise<AuditHead[]> =>
  db.query<AuditHead>('select * from audit_heads where sequence > 0 order by owner_id');

/** Owners of whom there is any row: also one whose head is gone. */
export async function auditOwners(db: Db): Promise<bigint[]> {
  const rows = await db.query<{ owner_id: bigint }>('select distinct owner_id from operator_audit');
  return rows.map(({ owner_id }) => owner_id);
}
