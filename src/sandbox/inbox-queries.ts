// Statements on inbox_scripts and inbox_messages. Rule: what is kept is bounded by the statement that adds to it.
import type { Db, Transaction } from '../store/index.ts';

/** How many bytes of how many messages are kept. */
export interface Bounds {
  readonly messages: number;
  readonly bytes: number;
}

/** The script, locked until the transaction's end; null: there is none. */
export async function scriptLocked(inside: Transaction, name: string): Promise<unknown> {
  const [row] = await inside.query<{ script: unknown }>('select script from inbox_scripts where name = $1 for update', [
    name,
  ]);
  return row?.script ?? null;
}

export async function scriptOf(db: Db, name: string): Promise<unknown> {
  const [row] = await db.query<{ script: unknown }>('select script from inbox_scripts where name = $1', [name]);
  return row?.script ?? null;
}

/** False: there are too many others. Two at once may pass the bound by one. */
export async function scriptPut(
  db: Db,
  {
    name,
    script,
    at,
    most,
  }: { readonly name: string; readonly script: object; readonly at: Date; readonly most: number },
): Promise<boolean> {
  const rows = await db.query(
    `insert into inbox_scripts (name, script, updated_at)
     select $1, $2::json, $3 where (select count(*) from inbox_scripts where name <> $1) < $4
     on conflict (name) do update set script = excluded.script, updated_at = excluded.updated_at returning name`,
    [name, JSON.stringify(script), at, most],
  );
  return rows.length > 0;
}

export async function messageAdd(inside: Transaction, name: string, message: object): Promise<void> {
  const text = JSON.stringify(message);
  await inside.query('insert into inbox_messages (name, bytes, message) values ($1, $2, $3::json)', [
    name,
    Buffer.byteLength(text),
    text,
  ]);
}

/** The oldest go. What another one is just dropping is left to him. `name` null: of all inboxes together. */
export async function messagesTrim(db: Db, name: string | null, { messages, bytes }: Bounds): Promise<void> {
  await db.query(
    `delete from inbox_messages where id in (
       select id from inbox_messages where id in (
         select id from (
           select id, row_number() over (order by id desc) as place, sum(bytes) over (order by id desc) as total
           from inbox_messages where $1::text is null or name = $1
         ) counted where place > $2 or total > $3
       ) for update skip locked
     )`,
    [name, messages, bytes],
  );
}

/** The newest first. */
export const messagesOf = (db: Db, name: string): Promise<{ id: bigint; message: object }[]> =>
  db.query('select id, message from inbox_messages where name = $1 order by id desc', [name]);

/** The inbox is as if it had never been used. */
export async function inboxEmpty(inside: Transaction, name: string): Promise<void> {
  await inside.query('delete from inbox_scripts where name = $1', [name]);
  await inside.query('delete from inbox_messages where name = $1', [name]);
}
