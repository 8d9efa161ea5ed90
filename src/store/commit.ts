// The committer: commands that arrive while the previous commit is on its way form the next group. A group locks and loads
// its state once, decides in order of arrival, writes each table with one statement, commits once. Alone, a command commits at once.
// Rule: a decision is pure; whatever it throws is its own caller's, and its neighbours go on as if it had not come.
import { assert, type Clock, type IdMaker, type Log } from '../base/index.ts';
import { type Change, insert, statementsFor, table } from './table.ts';

/** Anything that runs one SQL statement. Rows come back as objects: int8 as bigint, timestamptz as Date, jsonb parsed. */
export interface Db {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/**
 * A kind of state that commands need. `load` locks what it reads (`for update`, in key order) and answers by `keyText`;
 * a key with nothing behind it is left out. Kinds are loaded in the order of their names, so that groups can't deadlock.
 */
export interface Kind<Key, State> {
  readonly name: string;
  keyText(key: Key): string;
  load(db: Db, keys: readonly Key[]): Promise<ReadonlyMap<string, State>>;
}

export interface Need {
  // biome-ignore lint/suspicious/noExplicitAny: a command's needs are of many kinds
  readonly kind: Kind<any, any>;
  readonly key: unknown;
}

export interface Loaded {
  /** The state as the commands before this one in the group left it; undefined when there is none. Only for what `needs` names. */
  get<Key, State>(kind: Kind<Key, State>, key: Key): State | undefined;
}

/** State after the decision, for the commands behind it in the same group. */
export interface Next {
  readonly need: Need;
  readonly state: unknown;
}

export interface Decision<Value> {
  readonly value: Value;
  readonly changes: readonly Change[];
  readonly next?: readonly Next[];
}

export interface Command<Value> {
  /** For traces and fault points: `authorize.intent`. */
  readonly name: string;
  readonly needs: readonly Need[];
  decide(state: Loaded): Decision<Value>;
}

/** One connection, reserved for a committer. Statements may be sent without waiting for one another; they run in order. */
export interface Session extends Db {
  readonly broken: boolean;
  close(): void;
}

export interface Committer {
  /** Resolves once the command's changes are durable; rejects with what its decision threw, or when nothing was written. */
  submit<Value>(command: Command<Value>): Promise<Value>;
  /** Resolves when everything submitted so far is answered. */
  drain(): Promise<void>;
}

interface Waiting {
  readonly command: Command<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Decided {
  readonly waiting: Waiting;
  readonly value: unknown;
}

const commitGroups = table<{ id: bigint; committed_at: Date }>(
  'commit_groups',
  { id: 'int8', committed_at: 'timestamptz' },
  ['id'],
);

/** Forgets groups whose outcome nobody can ask for any more. */
export async function purgeCommitGroups(db: Db, before: Date): Promise<void> {
  await db.query('delete from commit_groups where committed_at < $1', [before]);
}

/** Names points where tests stop or fail the process; does nothing unless a test asks. */
export type FaultPoint = (name: string) => void;

export interface CommitterOptions {
  readonly connect: () => Promise<Session>;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly faultPoint?: FaultPoint;
  readonly onGroup?: (size: number, ms: number) => void;
  /** Larger groups bring nothing more and make the first caller wait for the last decision. */
  readonly maxGroup?: number;
}

export function createCommitter(options: CommitterOptions): Committer {
  const { clock, log, maxGroup = 256 } = options;
  const queue: Waiting[] = [];
  let running: Promise<void> | null = null;
  let session: Session | null = null;

  const connected = async (): Promise<Session> => {
    if (session?.broken) session = null;
    session ??= await options.connect();
    return session;
  };

  async function run(): Promise<void> {
    // One turn of the event loop: requests that were parsed from the same read join the first group.
    await Promise.resolve();
    while (queue.length > 0) {
      const group = queue.splice(0, maxGroup);
      const started = clock.elapsed();
      await commitGroup(group);
      options.onGroup?.(group.length, clock.elapsed() - started);
    }
    running = null;
  }

  /** A statement that fails makes the group run again one by one, so that only its own command is refused. */
  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await attempt(group);
    } catch (error) {
      if (group.length === 1) return (group[0] as Waiting).reject(error);
      log.warn({ err: error, size: group.length }, 'group failed, running its commands one by one');
      for (const waiting of group) await attempt([waiting]).catch(waiting.reject);
    }
  }

  async function attempt(group: readonly Waiting[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      const id = options.ids.next();
      try {
        const db = await connected();
        const decided = await transact(db, group, id);
        for (const { waiting, value } of decided) waiting.resolve(value);
        return;
      } catch (error) {
        if (error instanceof CommitUnknown) {
          if (await settled(id)) {
            for (const { waiting, value } of error.decided) waiting.resolve(value);
            return;
          }
        } else if (!isTransient(error) && !session?.broken) throw error;
        if (tries >= 5) throw error instanceof CommitUnknown ? error.cause : error;
        await clock.sleep(20 * 4 ** tries);
      }
    }
  }

  async function transact(db: Session, group: readonly Waiting[], id: bigint): Promise<Decided[]> {
    const began = db.query('begin');
    let decided: Decided[];
    let changes: Change[];
    try {
      const [, states] = await Promise.all([began, load(db, group)]);
      ({ decided, changes } = decideAll(group, states));
    } catch (error) {
      await db.query('rollback').catch(() => undefined);
      throw error;
    }
    if (changes.length === 0) {
      await db.query('rollback');
      return decided;
    }
    options.faultPoint?.('commit.before');
    const marker = insert(commitGroups, { id, committed_at: clock.now() });
    const writes = statementsFor([...changes, marker]).map(({ text, values }) => db.query(text, values));
    const committed = db.query<{ ok: boolean }>('commit');
    // All are awaited, also after a failure: the connection is only ours again when the last answer is in.
    const results = await Promise.allSettled([...writes, committed]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) {
      if (db.broken) throw new CommitUnknown(failed.reason, decided);
      throw failed.reason;
    }
    options.faultPoint?.('commit.after');
    return decided;
  }

  /** Did the group whose COMMIT was not answered commit? Inserting its marker waits for a backend that may still be at it. */
  async function settled(id: bigint): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const db = await connected();
        const rows = await db.query(
          'insert into commit_groups (id, committed_at) values ($1, $2) on conflict do nothing returning id',
          [id, clock.now()],
        );
        return rows.length === 0;
      } catch (error) {
        if (tries >= 10) throw error;
        await clock.sleep(100 * tries);
      }
    }
  }

  return {
    submit<Value>(command: Command<Value>): Promise<Value> {
      return new Promise<Value>((resolve, reject) => {
        queue.push({ command, resolve: resolve, reject });
        running ??= run();
      });
    },
    async drain() {
      while (running) await running;
      session?.close();
      session = null;
    },
  };
}

class CommitUnknown extends Error {
  readonly decided: readonly Decided[];
  constructor(cause: unknown, decided: readonly Decided[]) {
    super('commit outcome unknown', { cause });
    this.decided = decided;
  }
}

/** Serialization failure, deadlock, and the server going away or coming up: the same decision may be tried again. */
const TRANSIENT = new Set([
  '40001',
  '40P01',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
]);
const isTransient = (error: unknown): boolean => TRANSIENT.has((error as { code?: string } | null)?.code ?? '');

type States = Map<string, Map<string, unknown>>;

/** Loads every need of the group: one call a kind, kinds by name; the calls are sent one behind the other without waiting. */
async function load(db: Db, group: readonly Waiting[]): Promise<States> {
  const byKind = new Map<string, { kind: Need['kind']; keys: Map<string, unknown> }>();
  for (const { command } of group) {
    for (const { kind, key } of command.needs) {
      let wanted = byKind.get(kind.name);
      if (!wanted) byKind.set(kind.name, (wanted = { kind, keys: new Map() }));
      wanted.keys.set(kind.keyText(key), key);
    }
  }
  const states: States = new Map();
  const kinds = [...byKind.values()].sort((a, b) => (a.kind.name < b.kind.name ? -1 : 1));
  await Promise.all(
    kinds.map(async ({ kind, keys }) => {
      const ordered = [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
      states.set(kind.name, new Map(await kind.load(db, ordered)));
    }),
  );
  return states;
}

function decideAll(group: readonly Waiting[], states: States): { decided: Decided[]; changes: Change[] } {
  const decided: Decided[] = [];
  const changes: Change[] = [];
  const loaded: Loaded = {
    get: (kind, key) => {
      const ofKind = states.get(kind.name);
      assert(ofKind, `${kind.name} was not among the command's needs`);
      return ofKind.get(kind.keyText(key)) as never;
    },
  };
  for (const waiting of group) {
    let decision: Decision<unknown>;
    try {
      decision = waiting.command.decide(loaded);
    } catch (error) {
      waiting.reject(error);
      continue;
    }
    changes.push(...decision.changes);
    for (const { need, state } of decision.next ?? [])
      states.get(need.kind.name)?.set(need.kind.keyText(need.key), state);
    decided.push({ waiting, value: decision.value });
  }
  return { decided, changes };
}
