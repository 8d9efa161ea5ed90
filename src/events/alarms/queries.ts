// Statements on alarms. Rule: of two who find the same at once one has it told.
import { jsonText } from '../../base/index.ts';
import type { Db, Transaction } from '../../store/index.ts';

export interface AlarmRow {
  readonly noun: string;
  readonly name: string;
  readonly id: bigint;
  readonly state: string;
  readonly object: object;
  readonly updated_at: Date;
}

export interface Raised {
  readonly id: bigint;
  readonly events: number;
  /** What its event before said; null: there was none. */
  readonly before: object | null;
}

/** null: it was told so already. */
export async function alarmRaise(
  inside: Transaction,
  { noun, name, id, state, object, updated_at }: AlarmRow,
): Promise<Raised | null> {
  const [known] = await inside.query<{ object: object }>(
    'select object from alarms where noun = $1 and name = $2 for update',
    [noun, name],
  );
  const [row] = await inside.query<Omit<Raised, 'before'>>(
    `insert into alarms as a (noun, name, id, state, object, events, updated_at) values ($1, $2, $3, $4, $5, 1, $6)
     on conflict (noun, name) do update
       set state = excluded.state, object = excluded.object, events = a.events + 1, updated_at = excluded.updated_at
       where a.state is distinct from excluded.state
     returning id, events`,
    [noun, name, id, state, jsonText(object), updated_at],
  );
  return row ? { ...row, before: known?.object ?? null } : null;
}

/** Those that aren't over. */
export const alarmsRaised = (db: Db, noun: string): Promise<{ readonly name: string; readonly state: string }[]> =>
  db.query('select name, state from alarms where noun = $1 and state is not null', [noun]);

export const alarmOver = (
  db: Db,
  { noun, name, at }: { readonly noun: string; readonly name: string; readonly at: Date },
): Promise<unknown> =>
  db.query('update alarms set state = null, updated_at = $3 where noun = $1 and name = $2', [noun, name, at]);
