// Anchors: now and then the installation's chain says how far each other chain goes, so that rows can't be taken off the end of one, nor all
// of it, unless the installation's own chain is cut off too.
// Rule: heads are read without a lock, and the row is the installation's alone: nobody waits for an anchor but who appends to its chain.
import type { Db, Transaction } from '../store/index.ts';
import { auditAppend, INSTALLATION, type Keyed } from './audit.ts';
import { type AuditHead, type AuditRow, auditOf, headsList } from './queries.ts';

const ACTION = 'audit.anchor';
/** Heads in one row. */
const MOST = 50;

const textOf = ({ owner_id, sequence, id, hash }: AuditHead): string =>
  `${owner_id}/${sequence}/${id}/${hash.toString('hex')}`;

/** The heads that an anchor names; of any other row none. */
export const anchoredBy = ({ action, target }: Pick<AuditRow, 'action' | 'target'>): AuditHead[] =>
  action !== ACTION
    ? []
    : [...target.matchAll(/(\d+)\/(\d+)\/(\d+)\/([0-9a-f]{64})/g)].map(
        ([, owner = '', sequence = '', id = '', hash = '']) => ({
          owner_id: BigInt(owner),
          sequence: BigInt(sequence),
          id: BigInt(id),
          hash: Buffer.from(hash, 'hex'),
        }),
      );

export interface AnchorsOptions {
  readonly database: Db & { transaction<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value> };
  readonly keyed: Keyed;
  readonly clock: { now(): Date };
}

/** To be called now and then: anchors the chains that went on since they were anchored last, by whichever server. */
export function auditAnchors({ database, keyed, clock }: AnchorsOptions): () => Promise<void> {
  const anchored = new Map<bigint, bigint>();
  let readTo = 0n;
  return async () => {
    for (const row of await auditOf(database, INSTALLATION, ACTION, readTo)) {
      for (const head of anchoredBy(row)) anchored.set(head.owner_id, head.sequence);
      readTo = row.sequence;
    }
    const heads = (await headsList(database)).filter(
      ({ owner_id, sequence }) => owner_id !== INSTALLATION && sequence > (anchored.get(owner_id) ?? 0n),
    );
    for (let from = 0; from < heads.length; from += MOST) {
      const target = heads
        .slice(from, from + MOST)
        .map(textOf)
        .join(' ');
      await database.transaction((db) =>
        auditAppend(db, keyed, { actor: 'florin', origin: 'server', action: ACTION, target }, 'done', clock.now()),
      );
    }
  };
}
