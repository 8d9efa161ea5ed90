// The committer: commands that arrive while the previous commit is on its way form the next group. A group locks and loads
// its state once, decides in order of arrival, writes each table with one statement, commits once. Alone, a command commits at once.
// Rule: a COMMIT without an answer is asked for until it is known; nothing is decided a second time before that.
import type { Clock, IdMaker, Log } from '../base/index.ts';
import { type Caller, presentCaller } from './caller.ts';
import { type Command, type Committer, NotWritten, OutcomeUnknown, type Session } from './command.ts';
import { type Decided, decideAll, loadStates } from './decide.ts';
import { groupMark, wasWritten } from './outcome.ts';
import { statementsFor } from './table.ts';

/** Names points where tests stop or fail the process; does nothing unless a test asks. */
export type FaultPoint = (name: string) => void;

export interface CommitterOptions {
  readonly connect: () => Promise<Session>;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly faultPoint?: FaultPoint;
  /** After each attempt: null when it was written, or nothing was to be; else why not. */
  readonly onAttempt?: (error: unknown) => void;
  readonly onGroup?: (size: number, ms: number) => void;
  /** Larger groups bring nothing more and make the first caller wait for the last decision. */
  readonly maxGroup?: number;
  /** A command that wasn't written after this long is refused with NotWritten, milliseconds. */
  readonly patienceMs?: number;
  /** False: the process may not decide now (it lost its lease). Commands wait, within their time. */
  readonly mayDecide?: () => boolean;
}

interface Waiting {
  readonly command: Command<unknown>;
  readonly caller: Caller | undefined;
  readonly since: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** How often one row that others change at once is decided again before its caller is told. */
const MOST_TRIES = 8;

export function createCommitter(options: CommitterOptions): Committer {
  const { clock, log, maxGroup = 256, patienceMs = 20_000 } = options;
  const queue: Waiting[] = [];
  let deciding: readonly Waiting[] = [];
  let running: Promise<void> | null = null;
  let session: Session | null = null;
  const ending = new AbortController();

  const connected = async (): Promise<Session> => {
    if (session?.broken) session = null;
    try {
      session ??= await options.connect();
    } catch (error) {
      throw new NotNow('no connection', { cause: error });
    }
    return session;
  };
  const disconnect = (): void => {
    session?.close();
    session = null;
  };

  async function run(): Promise<void> {
    // One turn of the event loop: requests that were parsed from the same read join the first group.
    await Promise.resolve();
    while (queue.length > 0) {
      deciding = queue.splice(0, maxGroup);
      const started = clock.elapsed();
      const later = await commitGroup(deciding);
      options.onGroup?.(deciding.length - later.length, clock.elapsed() - started);
      queue.unshift(...later);
      deciding = [];
    }
    running = null;
  }

  const isLate = ({ since, caller }: Waiting): boolean =>
    caller?.gone === true || clock.elapsed() - since > patienceMs || ending.signal.aborted;

  /** Answers the group's callers, and returns those whose turn is in the next one. */
  async function commitGroup(group: readonly Waiting[]): Promise<Waiting[]> {
    let cause: unknown;
    for (let tries = 1; ; tries++) {
      for (const waiting of group.filter(isLate)) waiting.reject(new NotWritten(cause));
      const present = group.filter((waiting) => !isLate(waiting));
      if (present.length === 0) return [];
      group = present;
      try {
        const decided = await attempt(group.map(({ command }) => command));
        options.onAttempt?.(null);
        return answer(group, decided);
      } catch (error) {
        cause = error;
        options.onAttempt?.(error);
        if (error instanceof OutcomeUnknown) return refuse(group, error);
        const reaction = reactionTo(error);
        if (reaction === 'wait') await pause(tries);
        else if (reaction === 'again' && tries < (group.length > 1 ? 2 : MOST_TRIES)) continue;
        else if (group.length > 1) return halves(group, error);
        else if (reaction === 'behind') return behind(group);
        else return refuse(group, error);
      }
    }
  }

  function answer(group: readonly Waiting[], { verdicts }: Decided): Waiting[] {
    return group.filter((waiting, i) => {
      const verdict = verdicts[i];
      if (!verdict || 'later' in verdict) return true;
      if ('thrown' in verdict) waiting.reject(verdict.thrown);
      else waiting.resolve(verdict.value);
      return false;
    });
  }

  function refuse(group: readonly Waiting[], error: unknown): Waiting[] {
    for (const waiting of group) waiting.reject(error);
    return [];
  }

  /** A command that Postgres refuses costs its group one more commit for each halving, and is refused alone in the end. */
  async function halves(group: readonly Waiting[], error: unknown): Promise<Waiting[]> {
    log.warn({ err: error, size: group.length }, 'a group failed and is tried in halves');
    const middle = Math.ceil(group.length / 2);
    const first = await commitGroup(group.slice(0, middle));
    return [...first, ...(await commitGroup(group.slice(middle)))];
  }

  /** Somebody holds its rows: the others go first. */
  async function behind(group: readonly Waiting[]): Promise<Waiting[]> {
    queue.push(...group);
    await pause(1);
    return [];
  }

  const pause = (tries: number): Promise<void> =>
    clock.sleep(Math.min(20 * 2 ** tries, 1000), ending.signal).catch(() => undefined);

  /** One transaction. Resolves when it is written, or when there was nothing to write; throws when it certainly isn't. */
  async function attempt(commands: readonly Command<unknown>[]): Promise<Decided> {
    const id = options.ids.next();
    if (options.mayDecide?.() === false) throw new NotNow('paused');
    const db = await connected();
    let decided: Decided;
    try {
      const [, states] = await Promise.all([db.query('begin'), loadStates(db, commands)]);
      decided = decideAll(commands, states);
    } catch (error) {
      throw await rolledBack(db, error);
    }
    if (decided.changes.length === 0 || options.mayDecide?.() === false) {
      const paused = new NotNow('paused');
      const error = await rolledBack(db, paused);
      if (decided.changes.length > 0) throw error;
      return decided;
    }
    options.faultPoint?.('commit.before');
    const statements = statementsFor([...decided.changes, groupMark(id, clock.now())]);
    const writes = statements.map(({ text, values }) => db.query(text, values));
    // All are awaited, also after a failure: the connection is only ours again when the last answer is in.
    const [ended, ...written] = await Promise.allSettled([db.commit(), ...writes]);
    if (ended.status === 'rejected') {
      if (!(await foundOut(id, ended.reason))) throw new NotNow('not written', { cause: ended.reason });
    } else if (!ended.value) {
      throw written.find((result) => result.status === 'rejected')?.reason ?? new NotNow('rolled back');
    }
    options.faultPoint?.('commit.after');
    return decided;
  }

  /** The error to go on with: one that came with the connection is nobody's fault. */
  async function rolledBack<Failure>(db: Session, error: Failure): Promise<Failure | NotNow> {
    try {
      await db.query('rollback');
      return error;
    } catch (cause) {
      disconnect();
      return new NotNow('connection lost', { cause });
    }
  }

  /** Asks what became of a group until somebody knows. Throws OutcomeUnknown only when the process ends. */
  async function foundOut(id: bigint, cause: unknown): Promise<boolean> {
    log.warn({ err: cause, group: id.toString() }, 'a commit was not answered; asking what became of it');
    for (let tries = 1; ; tries++) {
      if (ending.signal.aborted) throw new OutcomeUnknown(cause);
      try {
        // A session whose COMMIT failed is in a state that nobody knows either.
        if (tries === 1) disconnect();
        return await wasWritten(await connected(), id, clock.now());
      } catch {
        disconnect();
        await pause(tries);
      }
    }
  }

  const giveUp = (): void => {
    ending.abort(new Error('ending'));
    disconnect();
  };

  return {
    submit<Value>(command: Command<Value>): Promise<Value> {
      return new Promise<Value>((resolve, reject) => {
        const caller = command.finishes ? undefined : presentCaller();
        queue.push({ command, caller, since: clock.elapsed(), resolve, reject });
        running ??= run();
      });
    },
    waitingMs() {
      const oldest = deciding[0] ?? queue[0];
      return oldest ? clock.elapsed() - oldest.since : 0;
    },
    async drain(withinMs) {
      const done = new AbortController();
      if (withinMs !== undefined) clock.sleep(withinMs, done.signal).then(giveUp, () => undefined);
      while (running) await running;
      done.abort(new Error('drained'));
      disconnect();
    },
  };
}

/** Certainly not written, and nobody's fault: the same commands are decided again a little later. */
class NotNow extends Error {}

type Reaction = 'wait' | 'again' | 'behind';

/** What a failure says about trying again; codes of Postgres (Appendix A) and of sockets. */
const REACTIONS: Readonly<Record<string, Reaction>> = {
  // Serialization failure, deadlock, a key that another process was quicker with: decided again on what is there now.
  '40001': 'again',
  '40P01': 'again',
  '23505': 'again',
  // Rows that others hold for longer than they should: lock timeout, statement timeout.
  '55P03': 'behind',
  '57014': 'behind',
  // The server going away, coming up, or full.
  '53100': 'wait',
  '53200': 'wait',
  '53300': 'wait',
  '57P01': 'wait',
  '57P02': 'wait',
  '57P03': 'wait',
  '08000': 'wait',
  '08003': 'wait',
  '08006': 'wait',
  '25P03': 'wait',
  ECONNREFUSED: 'wait',
  ECONNRESET: 'wait',
  ENOENT: 'wait',
  EPIPE: 'wait',
  ETIMEDOUT: 'wait',
};

function reactionTo(error: unknown): Reaction | 'refuse' {
  if (error instanceof NotNow) return 'wait';
  return REACTIONS[(error as { code?: string } | null)?.code ?? ''] ?? 'refuse';
}
