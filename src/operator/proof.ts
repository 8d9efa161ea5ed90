// The proof of the audit log: each chain from its first row to its head, and the ends against the anchors in the installation's chain.
// Rule: rows that are appended meanwhile are no fault.
import type { Db } from '../store/index.ts';
import { anchoredBy } from './anchors.ts';
import { hashOf, INSTALLATION, type Keyed } from './audit.ts';
import { type AuditHead, type AuditRow, auditAfter, auditOwners, headGet, headsList } from './queries.ts';

const PAGE = 1000;

/** All rows of a chain, in order. */
async function* chainOf(db: Db, owner: bigint): AsyncGenerator<AuditRow> {
  let after = 0n;
  for (;;) {
    const rows = await auditAfter(db, owner, after, PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.sequence;
  }
}

interface Proved {
  /** Ids of rows, in the order of the chain. */
  readonly violations: bigint[];
  /** What its anchors say of other chains, by owner: the latest. */
  readonly anchors: ReadonlyMap<bigint, AuditHead>;
}

/** `anchor`: how far the chain went at least, and with which hash there. */
async function proved(db: Db, keyed: Keyed, owner: bigint, anchor: AuditHead | null): Promise<Proved> {
  const violations = new Set<bigint>();
  const anchors = new Map<bigint, AuditHead>();
  const begun = await headGet(db, owner);
  const marks = [begun, anchor].filter((mark) => mark !== null);
  let before: AuditRow | null = null;
  for await (const row of chainOf(db, owner)) {
    const follows =
      row.sequence === (before?.sequence ?? 0n) + 1n &&
      row.id > (before?.id ?? 0n) &&
      row.hash.equals(hashOf(keyed, row, before?.hash ?? null));
    if (!follows) violations.add(row.id);
    for (const { sequence, hash } of marks)
      if (sequence === row.sequence && !hash.equals(row.hash)) violations.add(row.id);
    for (const head of anchoredBy(row)) anchors.set(head.owner_id, head);
    before = row;
  }
  const last = before?.sequence ?? 0n;
  // Cut off at its end: the row that is known to have been there.
  for (const { sequence, id } of marks) if (sequence > last) violations.add(id);
  const ended = await headGet(db, owner);
  if (before && (ended?.sequence ?? 0n) < last) violations.add(before.id);
  return { violations: [...violations], anchors };
}

/**
 * Ids of rows of one owner's chain that don't follow from the row before them (changed, put in, or behind one that is missing), and of the
 * last row where the end was cut off.
 */
export const auditViolations = async (db: Db, keyed: Keyed, owner: bigint = INSTALLATION): Promise<bigint[]> =>
  (await proved(db, keyed, owner, null)).violations;

/** Where a chain is broken: whose, and at which row. */
export interface ChainBreak {
  readonly owner: bigint;
  readonly id: bigint;
}

/** Proves every chain; also one of which nothing is left but what an anchor says. */
export async function auditBreaks(db: Db, keyed: Keyed): Promise<ChainBreak[]> {
  const { violations, anchors } = await proved(db, keyed, INSTALLATION, null);
  const breaks: ChainBreak[] = violations.map((id) => ({ owner: INSTALLATION, id }));
  const heads = (await headsList(db)).map(({ owner_id }) => owner_id);
  const owners = new Set([...anchors.keys(), ...heads, ...(await auditOwners(db))]);
  owners.delete(INSTALLATION);
  for (const owner of owners) {
    const found = await proved(db, keyed, owner, anchors.get(owner) ?? null);
    breaks.push(...found.violations.map((id) => ({ owner, id })));
  }
  return breaks;
}
