// The acquirer in the process: answers like a card network, fails like one when asked to, and keeps books of its own.
// Rule: an effect is in the record before its answer leaves, so whatever becomes of the answer, an inquiry tells the truth.
import type { Clock, Log, Random } from '../base/index.ts';
import type { Committer, Db } from '../store/index.ts';
import { forNobody, insert } from '../store/index.ts';
import { lookupBin } from './bins.ts';
import { exchange } from './exchange.ts';
import { createFaults, type FaultCount, type Faults } from './faults.ts';
import { authCodeFrom, networkTransactionId, rrnOf } from './identifiers.ts';
import { type IssuerHost, type Link, type NetworkAnswer, type NetworkRequest, NoAnswer } from './message.ts';
import {
  booksSelect,
  type Entry,
  entriesOfOrder,
  entryOfReference,
  type OrderBook,
  simulatorTransactions,
} from './queries.ts';
import { answerFrom, entryFor, entryFromIssuer } from './simulate.ts';
import { type Fault, outcomeOf } from './simulator-cards.ts';

export interface SimulatorOptions {
  /** A committer of its own, on a session with synchronous_commit off. */
  readonly committer: Committer;
  readonly database: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Counts for the plan of faults, where processes share one; by default this one counts alone. */
  readonly countFault?: FaultCount;
  /** Our own issuing side; without it its cards are answered 15. */
  readonly issuer?: IssuerHost | null;
  /** How long a caller waits for an answer that is on its way. */
  readonly answerTimeoutMs?: number;
  /** How long a caller waits for an answer that will not come: a deadline cut short, as the simulator knows. */
  readonly lostAfterMs?: number;
  /** Outcome 912. */
  readonly slowMs?: number;
  /** Outcome 916: how long after the deadline the answer comes. */
  readonly lateAfterMs?: number;
}

export type LateAnswerListener = (answer: NetworkAnswer, request: NetworkRequest) => void;

export interface Simulator extends Link {
  readonly faults: Faults;
  /** The acquirer's sums of every order of a project, or of all. */
  books(projectId?: bigint): Promise<OrderBook[]>;
  /** Who is told of answers that come after their deadline (one listener). */
  onLateAnswer(listener: LateAnswerListener): void;
  counts(): Readonly<Record<'answered' | 'unanswered' | 'duplicatesDropped' | 'late', number>>;
  /** Gives up every wait; the committer is its owner's to drain. */
  close(): void;
}

interface Play {
  readonly effect: boolean;
  /** Milliseconds after the effect at which an answer arrives, one each. */
  readonly answersAfterMs: readonly number[];
  readonly deadlineMs: number;
  /** The caller learns at once that nothing usable comes. */
  readonly breaks?: 'reset' | 'malformed';
}

/** Long: one acquirer, and the handful of ways in which its answer comes, comes late or is lost. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { committer, clock, random, log, issuer = null } = options;
  const { answerTimeoutMs = 20_000, lostAfterMs = 1000, slowMs = 15_000, lateAfterMs = 2000 } = options;
  const faults = createFaults(options.countFault);
  const stopped = new AbortController();
  const counts = { answered: 0, unanswered: 0, duplicatesDropped: 0, late: 0 };
  let lateListener: LateAnswerListener = () => undefined;

  const plays: Readonly<Record<Fault, Play>> = {
    lost_before: { effect: false, answersAfterMs: [], deadlineMs: lostAfterMs },
    lost_after: { effect: true, answersAfterMs: [], deadlineMs: lostAfterMs },
    slow: { effect: true, answersAfterMs: [slowMs], deadlineMs: answerTimeoutMs },
    twice: { effect: true, answersAfterMs: [0, 0], deadlineMs: answerTimeoutMs },
    malformed: { effect: true, answersAfterMs: [], deadlineMs: 0, breaks: 'malformed' },
    reset: { effect: false, answersAfterMs: [], deadlineMs: 0, breaks: 'reset' },
    late: { effect: true, answersAfterMs: [lostAfterMs + lateAfterMs], deadlineMs: lostAfterMs },
  };

  /** Plays a fault around the work that has the effect and gives the answer. */
  async function play<Answer>(
    fault: Fault,
    work: () => Promise<Answer>,
    onLate: (answer: Answer) => void,
  ): Promise<Answer> {
    const { effect, answersAfterMs, deadlineMs, breaks } = plays[fault];
    const result = effect ? { answer: await work() } : null;
    if (breaks) throw new NoAnswer(breaks);
    const pending = exchange<Answer>({
      clock,
      deadlineMs,
      onLate: (answer) => {
        counts.late++;
        onLate(answer);
      },
      onDuplicate: () => {
        counts.duplicatesDropped++;
      },
    });
    const onStop = (): void => pending.fail(new NoAnswer('reset'));
    stopped.signal.addEventListener('abort', onStop, { once: true });
    for (const ms of answersAfterMs) {
      if (!result) break;
      if (ms === 0) pending.deliver(result.answer);
      else clock.sleep(ms, stopped.signal).then(() => pending.deliver(result.answer), onStop);
    }
    try {
      return await pending.answer;
    } finally {
      stopped.signal.removeEventListener('abort', onStop);
    }
  }

  /** The one write: a new reference gets its entry, a known one its old answer. */
  async function record(
    request: NetworkRequest,
    make: (book: readonly Entry[], now: Date) => Entry,
  ): Promise<NetworkAnswer> {
    const order = { kind: entriesOfOrder, key: { owner: request.owner, orderId: request.orderId } };
    return committer.submit({
      name: `simulator.${request.operation}`,
      owner: request.owner,
      needs: [order],
      decide: (state, told) => {
        const book = state.get(order.kind, order.key) ?? [];
        const known = book.find((entry) => entry.reference === request.reference);
        if (known) return { value: answerFrom(known), changes: [] };
        const entry = make(book, told.now);
        return { value: answerFrom(entry), changes: [insert(simulatorTransactions, entry)] };
      },
    });
  }

  async function answerByCode(request: NetworkRequest, code: string): Promise<NetworkAnswer> {
    const fresh = {
      authCode: authCodeFrom(random),
      rrn: rrnOf(request.transmittedAt, request.stan),
      networkTransactionId: networkTransactionId(lookupBin(request.pan).brand, request.transmittedAt, random),
    };
    return record(request, (book, now) => entryFor(request, book, code, fresh, now));
  }

  async function answerByIssuer(host: IssuerHost, request: NetworkRequest): Promise<NetworkAnswer> {
    const answer = await host.handle(request);
    return record(request, (book, now) => entryFromIssuer(request, book, answer, now));
  }

  async function perform(request: NetworkRequest): Promise<NetworkAnswer> {
    const planned = await faults.forRequest(request);
    const host = issuer !== null && lookupBin(request.pan).own ? issuer : null;
    const byCard = host ? null : outcomeOf(request);
    const outcome = planned ?? byCard;
    const code = outcome && 'code' in outcome ? outcome.code : byCard && 'code' in byCard ? byCard.code : '00';
    const work = (): Promise<NetworkAnswer> =>
      host && !(planned && 'code' in planned) ? answerByIssuer(host, request) : answerByCode(request, code);
    if (!outcome || 'code' in outcome) return work();
    log.debug({ fault: outcome.fault, operation: request.operation, reference: request.reference }, 'fault injected');
    return play(outcome.fault, work, (answer) => lateListener(answer, request));
  }

  /** Behind everything sent before it: what is still waiting to be recorded is recorded first. */
  const look = (owner: bigint, reference: string): Promise<NetworkAnswer | null> =>
    committer.submit({
      name: 'simulator.inquire',
      owner,
      needs: [{ kind: entryOfReference, key: { owner, reference } }],
      decide: (state) => {
        const entry = state.get(entryOfReference, { owner, reference });
        return { value: entry ? answerFrom(entry) : null, changes: [] };
      },
    });

  /** A link knows two results only: whatever else went wrong, the outcome is unknown. */
  async function counted<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      if (stopped.signal.aborted) throw new NoAnswer('reset');
      const answer = await forNobody(work);
      counts.answered++;
      return answer;
    } catch (error) {
      counts.unanswered++;
      if (error instanceof NoAnswer) throw error;
      log.warn({ err: error }, 'the simulated acquirer failed');
      throw new NoAnswer('reset', { cause: error });
    }
  }

  return {
    name: 'simulator',
    faults,
    send: (request) => counted(() => perform(request)),
    inquire: (owner, reference) =>
      counted(async () => {
        const planned = await faults.forInquiry();
        const work = (): Promise<NetworkAnswer | null> => look(owner, reference);
        return planned && 'fault' in planned ? play(planned.fault, work, () => undefined) : work();
      }),
    books: (projectId) => booksSelect(options.database, projectId ?? null),
    onLateAnswer(listener) {
      lateListener = listener;
    },
    counts: () => ({ ...counts }),
    close: () => stopped.abort(),
  };
}
