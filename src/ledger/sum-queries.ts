// Every statement on proved_sums: what postings add up to by account, of those that are looked at. Kept by run, so that a full proof adds up
// anew beside the sums that are in force. Rule: written under the lock of the owner's row in proofs.
import { type Db, type Transaction, unprovedEntries } from '../store/index.ts';

const ADDED =
  'on conflict (owner_id, run, account, currency) do update set amount = proved_sums.amount + excluded.amount';

/** Posting groups that are proved now, of subjects up to `upto`. */
export async function sumsAdd(
  db: Transaction,
  owner: bigint,
  { run, upto, entries }: { readonly run: number; readonly upto: bigint; readonly entries: readonly bigint[] },
): Promise<void> {
  await db.query(
    `insert into proved_sums (owner_id, run, account, currency, amount)
     select $1::int8, $2::int4, p.account, p.currency, sum(p.amount) from postings p
     where p.owner_id = $1 and p.entry_id = any($3::int8[]) and p.subject_id <= $4
     group by p.account, p.currency order by p.account, p.currency ${ADDED}`,
    [owner, run, entries, upto],
  );
}

/**
 * All postings of the subjects of a slice, but for those of groups that are not proved: they are added when they are. Which these are is
 * read once: where nothing is known of a table's size a plan may ask for it again with every posting.
 */
export async function sumsOfSlice(
  db: Transaction,
  owner: bigint,
  { run, after, upto }: { readonly run: number; readonly after: bigint; readonly upto: bigint },
): Promise<void> {
  await db.query(
    `insert into proved_sums (owner_id, run, account, currency, amount)
     with unproved as materialized (${unprovedEntries('$1')})
     select $1::int8, $2::int4, p.account, p.currency, sum(p.amount) from postings p left join unproved u on u.entry_id = p.entry_id
     where p.owner_id = $1 and p.subject_id > $3 and p.subject_id <= $4 and u.entry_id is null group by p.account, p.currency order by p.account, p.currency
     ${ADDED}`,
    [owner, run, after, upto],
  );
}

/** Those of the runs before. */
export async function sumsForget(db: Db, owner: bigint, run: number): Promise<void> {
  await db.query('delete from proved_sums where owner_id = $1 and run < $2', [owner, run]);
}
