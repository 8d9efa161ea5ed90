// What became of a group whose COMMIT was not answered. Owns commit_groups: each group leaves its mark in the commit that writes it,
// and who asks leaves a mark of his own where there is none, so that the group can't be written any more.
// Rule: the marks are kept by real time; moving the sandbox's clock must not make a written group look unwritten.
import type { Db } from './command.ts';
import { type Change, insert, table } from './table.ts';
import type { Touched } from './touched.ts';

interface CommitGroup {
  /** Whose rows it wrote: a mark lies with them. */
  readonly owner_id: bigint;
  readonly id: bigint;
  /** False: somebody asked before it was written, and it never will be. */
  readonly written: boolean;
  readonly made_at: Date;
  /** What it touched, until that is proved (touched.ts). */
  readonly subjects: string | null;
  readonly entries: string | null;
}

const commitGroups = table<CommitGroup>(
  'commit_groups',
  { owner_id: 'int8', id: 'int8', written: 'bool', made_at: 'timestamptz', subjects: 'text', entries: 'text' },
  ['owner_id', 'id'],
);

/** Of rows that belong to nobody: where a table has them beside those of its owners. */
export const NOBODY = 0n;

/** What a group is known by. */
export interface GroupName {
  readonly owner: bigint | null;
  readonly id: bigint;
}

/** Written with the group: whoever wrote the mark before makes the whole group fail. */
export const groupMark = ({ owner, id }: GroupName, now: Date, touched: Touched): Change =>
  insert(commitGroups, { owner_id: owner ?? NOBODY, id, written: true, made_at: now, ...touched });

/** Was the group written? Inserting its mark waits for a backend that may still be at it. The answer holds for ever. */
export async function wasWritten(db: Db, { owner, id }: GroupName, now: Date): Promise<boolean> {
  const key = [owner ?? NOBODY, id];
  await db.query(
    'insert into commit_groups (owner_id, id, written, made_at) values ($1, $2, false, $3) on conflict do nothing',
    [...key, now],
  );
  const rows = await db.query<{ written: boolean }>(
    'select written from commit_groups where owner_id = $1 and id = $2',
    key,
  );
  return rows[0]?.written === true;
}

/** Forgets groups whose outcome nobody can ask for any more, and which are proved. `before`: real time, days ago. */
export async function purgeCommitGroups(db: Db, before: Date): Promise<void> {
  await db.query('delete from commit_groups where made_at < $1 and subjects is null', [before]);
}
