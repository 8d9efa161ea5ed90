// Bugs that a world must find. Each stands between decisions and their commits, in the children of a world that is told to; nothing of it
// is in the server's code. Rule: a plant changes what is done, never what is checked.
import type { AppOptions } from '../../../src/app.ts';
import { type Log, systemClock } from '../../../src/base/index.ts';
import { refuse } from '../../../src/issuing/fields/index.ts';
import {
  type Change,
  type Command,
  type Connection,
  createCommitter,
  type Decision,
  type Loaded,
  openDatabase,
  type Session,
} from '../../../src/store/index.ts';

type Row = Readonly<Record<string, unknown>>;
type Plant = NonNullable<AppOptions['plant']>;

/** Every decision as `rewrite` leaves it. */
const rewriting =
  (rewrite: (decision: Decision<unknown>, command: string) => Decision<unknown>): Plant =>
  (committer) => ({
    ...committer,
    submit: <Value>(command: Command<Value>) =>
      committer.submit<Value>({
        ...command,
        decide: (loaded, told) => rewrite(command.decide(loaded, told), command.name) as Decision<Value>,
      }),
  });

const rowsOf = (changes: readonly Change[], table: string): Row[] =>
  changes.flatMap((change) => (change.table.name === table ? [change.row] : []));
const withRows = (changes: readonly Change[], table: string, edit: (row: Row) => Row): Change[] =>
  changes.map((change): Change => (change.table.name === table ? { ...change, row: edit(change.row) } : change));

/** What a decision sees, remembered; `forget` says when it is looked up anew. */
function remembering(loaded: Loaded, seen: Map<string, unknown>, kinds: (name: string) => boolean): Loaded {
  return {
    get(kind, key) {
      if (!kinds(kind.name)) return loaded.get(kind, key);
      const name = `${kind.name} ${kind.keyText(key)}`;
      if (!seen.has(name)) seen.set(name, loaded.get(kind, key));
      return seen.get(name) as never;
    },
  };
}

const reversalOwedIsDropped = rewriting((decision, command) => {
  const owed = rowsOf(decision.changes, 'operations').find(
    ({ system, status }) => system === true && status === 'sent',
  );
  if (command !== 'authorize.result' || !owed) return decision;
  const changes = decision.changes.filter(({ table, row }) => table.name !== 'operations' || row.id !== owed.id);
  const free = withRows(changes, 'orders', (row) => ({ ...row, in_flight: null, due: {}, next_at: null }));
  return { ...decision, value: { ...(decision.value as object), next: null }, changes: free };
});

const lateApprovalRevives = rewriting((decision, command) => {
  const settled = rowsOf(decision.changes, 'operations').some(
    ({ system, status }) => system === true && status !== 'sent',
  );
  if (command !== 'reverse.result' || !settled) return decision;
  const revived = (row: Row): Row => ({
    ...row,
    status: 'authorized',
    held: row.amount,
    failure_type: null,
    failure_message: null,
  });
  return { ...decision, changes: withRows(decision.changes, 'orders', revived) };
});

/** A cent too much goes back with the refund that should take the exact rest. */
const lastRefundIsRounded = rewriting((decision, command) => {
  const [order] = rowsOf(decision.changes, 'orders');
  if (command !== 'refund.result' || order?.status !== 'refunded' || order.currency === 'EUR') return decision;
  const moved = (row: Row): Row => {
    if (row.currency !== 'EUR') return row;
    const by = row.account === 'merchant_payable' ? 1n : String(row.account).startsWith('fx') ? -1n : 0n;
    return { ...row, amount: (row.amount as bigint) + by };
  };
  return { ...decision, changes: withRows(withRows(decision.changes, 'postings', moved), 'balances', moved) };
});

const livingIsTakenForDead = rewriting((decision, command) => {
  if (!command.endsWith('.intent')) return decision;
  return { ...decision, changes: withRows(decision.changes, 'operations', (row) => ({ ...row, process: 0n })) };
});

const holdIsReleasedTwice = rewriting((decision, command) => {
  if (command !== 'card.reverse' && command !== 'card.expire_hold') return decision;
  const given = rowsOf(decision.changes, 'statement_entries').reduce(
    (sum, row) => sum + (row.available_change as bigint),
    0n,
  );
  const less = (row: Row): Row => ({ ...row, held: (row.held as bigint) > given ? (row.held as bigint) - given : 0n });
  return { ...decision, changes: withRows(decision.changes, 'funds', less) };
});

/** Every decision sees the states that `isOf` names as they were first seen; `forget` says until when. */
const outdated =
  (isOf: (name: string) => boolean, forget: (forgetting: () => void) => unknown): Plant =>
  (committer) => {
    let seen = new Map<string, unknown>();
    return {
      ...committer,
      submit: <Value>(command: Command<Value>) =>
        committer.submit<Value>({
          ...command,
          decide(loaded, told) {
            if (seen.size === 0) forget(() => (seen = new Map()));
            return command.decide(remembering(loaded, seen, isOf), told);
          },
        }),
    };
  };

/** Two commands of one group on one row: the second doesn't see what the first did. */
const groupIsNotTold = outdated((name) => name === 'order', queueMicrotask);

/** The bound is looked at where it stood a moment ago. */
const boundIsNotLocked = outdated(
  (name) => name === 'payout_sum',
  (forgetting) => setTimeout(forgetting, 1000),
);

/** The record of a key is written behind what it is about. */
const answerIsStoredApart: Plant = (committer) => ({
  ...committer,
  async submit<Value>(command: Command<Value>) {
    let apart: Change[] = [];
    const value = await committer.submit<Value>({
      ...command,
      decide(loaded, told) {
        const decision = command.decide(loaded, told);
        apart = decision.changes.filter(({ table }) => table.name === 'idempotency_records');
        return { ...decision, changes: decision.changes.filter((change) => !apart.includes(change)) };
      },
    });
    if (apart.length > 0)
      await committer.submit({
        name: 'apart',
        owner: command.owner,
        needs: [],
        decide: () => ({ value: null, changes: apart }),
      });
    return value;
  },
});

/** The books take twice the amount that was due; the order says what it was. */
const dueIsPostedDouble = rewriting((decision, command) => {
  if (!/^due\.(clear|reserve)$/.test(command)) return decision;
  const doubled = (row: Row): Row => ({ ...row, amount: (row.amount as bigint) * 2n });
  return { ...decision, changes: withRows(withRows(decision.changes, 'postings', doubled), 'balances', doubled) };
});

const effectIsCalledRefused: Plant = (committer) => {
  let count = 0;
  return {
    ...committer,
    async submit<Value>(command: Command<Value>) {
      const value = await committer.submit(command);
      if (command.name === 'transfer' && ++count % 4 === 0) throw refuse('FUNDS_INSUFFICIENT');
      return value;
    },
  };
};

/** Says of every group whose COMMIT was not answered that it was not written, so that it is decided again. */
const lying = (session: Session): Session =>
  new Proxy(session, {
    get(of, name) {
      if (name !== 'query') {
        const value = Reflect.get(of, name, of) as unknown;
        return typeof value === 'function' ? value.bind(of) : value;
      }
      return async (text: string, values?: readonly unknown[]) => {
        const rows = await of.query<Row>(text, values);
        return /select written from commit_groups/.test(text) ? [{ written: false }] : rows;
      };
    },
  });

/** Needs a committer of its own. */
function unknownIsDecidedAgain(connection: Connection, log: Log): Plant {
  const database = openDatabase(connection, { log });
  const connect = async () => lying(await database.session());
  return (_, told) => createCommitter({ connect, clock: systemClock, ...told, log });
}

const PLANTS = {
  'an unknown commit is decided again': null,
  'a committed effect is answered as a refusal': effectIsCalledRefused,
  'a living process is taken for dead': livingIsTakenForDead,
  'a reversal that is owed is dropped': reversalOwedIsDropped,
  'a late approval revives its order': lateApprovalRevives,
  'the last refund is rounded': lastRefundIsRounded,
  'a group is not told of a change': groupIsNotTold,
  'an answer is stored apart from its effect': answerIsStoredApart,
  'what is due is posted at twice its amount': dueIsPostedDouble,
  'a bound is not looked at under its lock': boundIsNotLocked,
  'a hold is released twice': holdIsReleasedTwice,
} as const satisfies Record<string, Plant | null>;

export type PlantName = keyof typeof PLANTS;

export const plantOf = (name: PlantName, connection: Connection, log: Log): Plant =>
  PLANTS[name] ?? unknownIsDecidedAgain(connection, log);
