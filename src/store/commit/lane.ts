// One connection of a committer, and a group's transaction on it: locked and loaded, decided, written with one statement a table, committed.
// Rule: a COMMIT without an answer is asked for until it is known; nothing of the group is decided a second time before that.
import { type Clock, type IdMaker, type Log, type Random, systemRandom } from '../../base/index.ts';
import { type Command, OutcomeUnknown, type Session } from './command.ts';
import { type Decided, decideAll, loadStates } from './decide.ts';
import { type GroupName, groupMark, wasWritten } from './outcome.ts';
import { type Statement, statementsFor } from './table.ts';
import { touchedBy } from './touched.ts';

/** Names points where tests stop or fail the process; does nothing unless a test asks. */
export type FaultPoint = (name: string) => void;

export interface LaneOptions {
  readonly connect: () => Promise<Session>;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: IdMaker;
  /** What decisions are told of time and chance; by default real time and the system's chance. */
  readonly business?: Clock;
  readonly random?: Random;
  readonly log: Log;
  readonly faultPoint?: FaultPoint;
  /** The number that decisions are told as that of this process; absent: nobody asks for it. */
  readonly process?: () => bigint;
  /** False: the process may not decide now (it lost its lease). Commands wait, within their time. */
  readonly mayDecide?: () => boolean;
}

/** Certainly not written, and nobody's fault: the same commands are decided again a little later. */
export class NotNow extends Error {}

export interface Lane {
  /**
   * One transaction, of commands of that owner. `sent` is told what was decided as soon as all of it is on its way, or there is nothing
   * to write. Resolves when it is written; throws when it certainly isn't, or, when the process ends, that nobody knows.
   */
  attempt(
    owner: bigint | null,
    commands: readonly Command<unknown>[],
    sent: (decided: Decided) => void,
  ): Promise<Decided>;
  /** A little later with every try. */
  pause(tries: number): Promise<void>;
  disconnect(): void;
}

/**
 * Sessions plan each statement for the rows at hand (database.ts). What only writes has one plan, and making it anew for each group costs
 * a third of what running it does: it is kept, for the rest of the transaction.
 */
const ONE_PLAN: Statement = { text: 'set local plan_cache_mode = force_generic_plan', plain: true, values: [] };

/** `ending`: what isn't known by then stays unknown. Long: one session and the steps of one group on it, in their order. */
export function openLane(options: LaneOptions, ending: AbortSignal): Lane {
  const { clock, ids, log, business = clock, random: chance = systemRandom, process = () => 0n } = options;
  let session: Session | null = null;

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
  const pause = (tries: number): Promise<void> =>
    clock.sleep(Math.min(20 * 2 ** tries, 1000), ending).catch(() => undefined);

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
  async function foundOut(group: GroupName, cause: unknown): Promise<boolean> {
    log.warn({ err: cause, group: group.id.toString() }, 'a commit was not answered; asking what became of it');
    for (let tries = 1; ; tries++) {
      if (ending.aborted) throw new OutcomeUnknown(cause);
      try {
        // A session whose COMMIT failed is in a state that nobody knows either.
        if (tries === 1) disconnect();
        return await wasWritten(await connected(), group, clock.now());
      } catch {
        disconnect();
        await pause(tries);
      }
    }
  }

  async function attempt(
    owner: bigint | null,
    commands: readonly Command<unknown>[],
    sent: (decided: Decided) => void,
  ): Promise<Decided> {
    const group = { owner, id: ids.next() };
    if (options.mayDecide?.() === false) throw new NotNow('paused');
    const db = await connected();
    let decided: Decided;
    try {
      const [, states] = await Promise.all([db.query('begin'), loadStates(db, commands)]);
      decided = decideAll(commands, states, { now: business.now(), ids, chance, process: process() });
    } catch (error) {
      throw await rolledBack(db, error);
    }
    const empty = decided.changes.length === 0;
    if (empty || options.mayDecide?.() === false) {
      if (empty) sent(decided);
      const error = await rolledBack(db, new NotNow('paused'));
      if (!empty) throw error;
      return decided;
    }
    options.faultPoint?.('commit.before');
    const mark = groupMark(group, clock.now(), touchedBy(decided.changes));
    const statements = statementsFor([...decided.changes, mark]);
    const plain = statements.findIndex((statement) => statement.plain);
    const sending = db.spread ? statements : statements.toSpliced(plain, 0, ONE_PLAN);
    const writes = sending.map(({ text, values }) => db.query(text, values));
    const committing = db.commit();
    sent(decided);
    // All are awaited, also after a failure: the connection is only ours again when the last answer is in.
    const [ended, ...written] = await Promise.allSettled([committing, ...writes]);
    if (ended.status === 'rejected') {
      if (!(await foundOut(group, ended.reason))) throw new NotNow('not written', { cause: ended.reason });
    } else if (!ended.value) {
      throw written.find((result) => result.status === 'rejected')?.reason ?? new NotNow('rolled back');
    }
    options.faultPoint?.('commit.after');
    return decided;
  }

  return { attempt, pause, disconnect };
}
