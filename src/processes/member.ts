// One of several server processes, as it knows its parent and the others. Rule: a parent that is silent costs its own answer nothing but
// the wait for it, and one that is gone takes the process with it.
import cluster, { type Worker } from 'node:cluster';
import type { Clock } from '../base/index.ts';
import type { Connection } from '../store/index.ts';
import type { Answers, Census, Question, Serving, ToMember, ToParent } from './messages.ts';

export interface Gathered {
  readonly answers: Answers;
  readonly census: Census;
}

export interface Member {
  /** From 1. */
  readonly process: number;
  /** The embedded server; null: DATABASE_URL. */
  readonly connection: Connection | null;
  readonly deadLease: bigint | null;
  /** What every process answers, this one too; null: the parent says nothing. */
  gather(question: Question): Promise<Gathered | null>;
  /** How this one answers. */
  answers(how: Readonly<Record<Question, () => Promise<string>>>): void;
  /** Runs once, when this one has to do what one of them does for all. */
  onDuty(work: () => void): void;
  /** Runs once, when the parent ends it. */
  onStop(stop: () => void): void;
  serves(serving: Serving): void;
}

/** Longer than the parent waits for the others. */
const PARENT_MS = 3_000;

/** A process that a parent has begun? */
export const isMember = (): boolean => cluster.isWorker;

/** Once: what is told before somebody listens is told to him when he does. */
function once(): { tell(): void; on(listen: () => void): void } {
  let told = false;
  let listener: (() => void) | null = null;
  return {
    tell() {
      if (told) return;
      told = true;
      listener?.();
    },
    on(listen) {
      listener = listen;
      if (told) listen();
    },
  };
}

/** Resolves when the parent has said which one this is. */
export async function joinParent(clock: Clock): Promise<Member> {
  const parent = cluster.worker as Worker;
  const tell = (message: ToParent): void => {
    if (parent.isConnected()) parent.send(message);
  };
  const duty = once();
  const stop = once();
  const begun = Promise.withResolvers<Extract<ToMember, { kind: 'begin' }>>();
  const open = new Map<number, (gathered: Gathered) => void>();
  const how = Promise.withResolvers<Parameters<Member['answers']>[0]>();
  let ids = 0;

  const answer = async (id: number, question: Question): Promise<void> => {
    const ways = await how.promise;
    tell({ kind: 'answer', id, answer: await ways[question]() });
  };
  parent.on('message', (message: ToMember) => {
    if (message.kind === 'begin') begun.resolve(message);
    else if (message.kind === 'gathered') open.get(message.id)?.(message);
    else if (message.kind === 'ping') tell({ kind: 'pong' });
    else if (message.kind === 'duty') duty.tell();
    else if (message.kind === 'stop') stop.tell();
    // What can't be answered is answered by silence, and that is told.
    else answer(message.id, message.question).catch(() => undefined);
  });
  const { process, connection, deadLease } = await begun.promise;
  return {
    process,
    connection,
    deadLease: deadLease === null ? null : BigInt(deadLease),
    async gather(question) {
      const id = ++ids;
      const { promise, resolve } = Promise.withResolvers<Gathered | null>();
      open.set(id, resolve);
      const answered = new AbortController();
      const late = clock.sleep(PARENT_MS, answered.signal).then(
        () => null,
        () => null,
      );
      tell({ kind: 'gather', id, question });
      return Promise.race([promise, late]).finally(() => {
        open.delete(id);
        answered.abort(new Error('answered'));
      });
    },
    answers: (ways) => how.resolve(ways),
    onDuty: duty.on,
    onStop: stop.on,
    serves: (serving) => tell({ kind: 'serving', ...serving }),
  };
}
