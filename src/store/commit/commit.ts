// The committer: commands of one owner that arrive while an earlier commit is on its way form the next group. A group locks and loads
// its state once, decides in order of arrival, writes each table with one statement, commits once. Alone, a command commits at once.
// Groups overlap: while Postgres writes one, the next is loaded and decided on another lane.
// Rules: a group has one owner. The next group of an owner begins when the one before it holds its rows and has sent its writes, so what
// is done to one row is decided in order of arrival. It begins with as many commands as are under way before it, or alone: two small groups
// cost twice the statements of one.
import { type Caller, presentCaller, presentCause } from './caller.ts';
import { type Command, type Committer, NotWritten, OutcomeUnknown } from './command.ts';
import type { Decided } from './decide.ts';
import { isGoneCode } from './gone.ts';
import { type Lane, type LaneOptions, NotNow, openLane } from './lane.ts';
import type { Change } from './table.ts';

export interface CommitterOptions extends LaneOptions {
  /** After each attempt: null when it was written, or nothing was to be; else why not. */
  readonly onAttempt?: (error: unknown) => void;
  readonly onGroup?: (size: number, ms: number) => void;
  /** What of an owner's is on disk now. */
  readonly onWritten?: (owner: bigint | null, changes: readonly Change[]) => unknown;
  /** Larger groups bring nothing more and make the first caller wait for the last decision. */
  readonly maxGroup?: number;
  /** A command that wasn't written after this long is refused with NotWritten, milliseconds. */
  readonly patienceMs?: number;
  /** Groups that may be under way at once, each on a connection of its own. */
  readonly lanes?: number;
}

interface Waiting {
  readonly command: Command<unknown>;
  readonly caller: Caller | undefined;
  readonly since: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Owner = Command<unknown>['owner'];

/** A group's time on a lane. */
interface Turn {
  readonly lane: Lane;
  readonly owner: Owner;
  readonly group: readonly Waiting[];
}

/** How often one row that others change at once is decided again before its caller is told. */
const MOST_TRIES = 8;
/** One group is written while the next one is decided. */
const LANES = 2;
/** A group that takes longer than this is followed by any other. */
const FOLLOW_MS = 100;

/** Long: queues, lanes and groups are one state, and nothing outside may touch a part of it. */
export function createCommitter(options: CommitterOptions): Committer {
  const { clock, log, maxGroup = 256, patienceMs = 20_000, lanes: most = LANES } = options;
  const ending = new AbortController();
  const lanes = Array.from({ length: most }, () => openLane(options, ending.signal));
  const running = new Map<Lane, Promise<void>>();
  /** Who waits, by owner; owners take turns. */
  const queues = new Map<Owner, Waiting[]>();
  /** By owner: the group that doesn't hold its rows yet. */
  const locking = new Map<Owner, Turn>();
  const underWay = new Set<Turn>();
  /** Of these, whom a smaller group doesn't follow yet. */
  const ahead = new Set<Turn>();

  const mayBegin = (owner: Owner, { length }: readonly Waiting[]): boolean =>
    !locking.has(owner) && [...ahead].every((turn) => turn.owner !== owner || turn.group.length <= length);

  /** The next group, of the owner whose turn it is. */
  function nextTurn(lane: Lane): Turn | null {
    for (const [owner, queue] of queues) {
      if (!mayBegin(owner, queue)) continue;
      const group = queue.splice(0, maxGroup);
      queues.delete(owner);
      if (queue.length > 0) queues.set(owner, queue);
      return { lane, owner, group };
    }
    return null;
  }

  function enqueue(owner: Owner, commands: readonly Waiting[], where: 'first' | 'last'): void {
    if (commands.length === 0) return;
    const queue = queues.get(owner);
    if (!queue) queues.set(owner, [...commands]);
    else if (where === 'first') queue.unshift(...commands);
    else queue.push(...commands);
  }

  /** An idle lane begins, if there is something to begin. */
  function wake(): void {
    const idle = lanes.find((lane) => !running.has(lane));
    if (idle && [...queues].some(([owner, queue]) => mayBegin(owner, queue))) running.set(idle, run(idle));
  }

  async function run(lane: Lane): Promise<void> {
    // One turn of the event loop: requests that were parsed from the same read join the first group.
    await Promise.resolve();
    for (let turn = nextTurn(lane); turn; turn = nextTurn(lane)) {
      const started = clock.elapsed();
      locking.set(turn.owner, turn);
      underWay.add(turn);
      ahead.add(turn);
      const size = await commitGroup(turn, turn.group);
      underWay.delete(turn);
      ahead.delete(turn);
      letNext(turn);
      options.onGroup?.(size, clock.elapsed() - started);
    }
    running.delete(lane);
  }

  /** The next group of the owner may begin. */
  function letNext(turn: Turn): void {
    if (locking.get(turn.owner) === turn) locking.delete(turn.owner);
    wake();
  }

  const isLate = ({ since, caller }: Waiting): boolean =>
    caller?.gone === true || clock.elapsed() - since > patienceMs || ending.signal.aborted;

  /** Answers the group's callers; how many it answered. Whoever has to wait for the next group stands in the queue again. */
  async function commitGroup(turn: Turn, members: readonly Waiting[]): Promise<number> {
    const { lane, owner } = turn;
    let group = members;
    let cause: unknown;
    for (let tries = 1; ; tries++) {
      // Asked once: time goes on, and whoever became late between two looks would never be answered.
      const late = new Set(group.filter(isLate));
      for (const waiting of late) waiting.reject(new NotWritten(cause));
      group = group.filter((waiting) => !late.has(waiting));
      if (group.length === 0) return members.length;
      const asked = group;
      const sent = (decided: Decided): void => {
        const later = new Set(asked.filter((_, i) => isLater(decided, i)));
        group = asked.filter((waiting) => !later.has(waiting));
        enqueue(owner, [...later], 'first');
        letNext(turn);
        clock.sleep(FOLLOW_MS, ending.signal).then(
          () => {
            ahead.delete(turn);
            wake();
          },
          () => undefined,
        );
      };
      try {
        const commands = asked.map(({ command }) => command);
        const decided = await lane.attempt(owner, commands, sent);
        options.onAttempt?.(null);
        if (decided.changes.length > 0) options.onWritten?.(owner, decided.changes);
        answer(asked, decided);
        return group.length;
      } catch (error) {
        cause = error;
        options.onAttempt?.(error);
        if (error instanceof OutcomeUnknown) return refuse(group, error);
        const reaction = reactionTo(error);
        if (reaction === 'wait') await lane.pause(tries);
        else if (reaction === 'again' && tries < (group.length > 1 ? 2 : MOST_TRIES)) continue;
        else if (group.length > 1) return halves(turn, group, error);
        else if (reaction === 'behind') return behind(turn, group);
        else return refuse(group, error);
      }
    }
  }

  function answer(group: readonly Waiting[], { verdicts }: Decided): void {
    group.forEach((waiting, i) => {
      const verdict = verdicts[i];
      if (!verdict || 'later' in verdict) return;
      if ('thrown' in verdict) waiting.reject(verdict.thrown);
      else waiting.resolve(verdict.value);
    });
  }

  function refuse(group: readonly Waiting[], error: unknown): number {
    for (const waiting of group) waiting.reject(error);
    return group.length;
  }

  /** A command that Postgres refuses costs its group one more commit for each halving, and is refused alone in the end. */
  async function halves(turn: Turn, group: readonly Waiting[], error: unknown): Promise<number> {
    log.warn({ err: error, size: group.length }, 'a group failed and is tried in halves');
    const middle = Math.ceil(group.length / 2);
    const first = await commitGroup(turn, group.slice(0, middle));
    return first + (await commitGroup(turn, group.slice(middle)));
  }

  /** Somebody holds its rows: the others go first. */
  async function behind({ lane, owner }: Turn, group: readonly Waiting[]): Promise<number> {
    enqueue(owner, group, 'last');
    await lane.pause(1);
    return 0;
  }

  const giveUp = (): void => {
    ending.abort(new Error('ending'));
    for (const lane of lanes) lane.disconnect();
  };

  return {
    submit<Value>(command: Command<Value>): Promise<Value> {
      return new Promise<Value>((resolve, reject) => {
        const caller = command.finishes ? undefined : presentCaller();
        const caused = { ...command, cause: presentCause() };
        enqueue(command.owner, [{ command: caused, caller, since: clock.elapsed(), resolve, reject }], 'last');
        wake();
      });
    },
    waitingMs() {
      const groups = [...[...underWay].map(({ group }) => group), ...queues.values()];
      const since = groups.flatMap(([first]) => first?.since ?? []);
      return since.length > 0 ? clock.elapsed() - Math.min(...since) : 0;
    },
    async drain(withinMs) {
      const done = new AbortController();
      if (withinMs !== undefined) clock.sleep(withinMs, done.signal).then(giveUp, () => undefined);
      while (running.size > 0) await Promise.all(running.values());
      done.abort(new Error('drained'));
      for (const lane of lanes) lane.disconnect();
    },
  };
}

const isLater = ({ verdicts }: Decided, i: number): boolean => {
  const verdict = verdicts[i];
  return !verdict || 'later' in verdict;
};

type Reaction = 'wait' | 'again' | 'behind';

/** What a failure of a statement says about trying again; codes of Postgres (Appendix A). */
const REACTIONS: Readonly<Record<string, Reaction>> = {
  // Serialization failure, deadlock, a key that another process was quicker with: decided again on what is there now.
  '40001': 'again',
  '40P01': 'again',
  '23505': 'again',
  // Rows that others hold for longer than they should: lock timeout, statement timeout.
  '55P03': 'behind',
  '57014': 'behind',
};

/** Rows travel to a node of Citus as a copy, and whatever the node says of it comes under one code: a key that was taken, before all. */
const isCopyRefused = (error: unknown): boolean => {
  const { code, routine } = (error ?? {}) as { readonly code?: string; readonly routine?: string };
  return code === 'XX000' && routine === 'ReportCopyError';
};

function reactionTo(error: unknown): Reaction | 'refuse' {
  if (error instanceof NotNow || isGoneCode(error)) return 'wait';
  if (isCopyRefused(error)) return 'again';
  return REACTIONS[(error as { code?: string } | null)?.code ?? ''] ?? 'refuse';
}
