// The acquirer in the process: answers like a card network, fails like one when asked to, and keeps books of its own.
// Rule: an effect is in the record before its answer leaves, so whatever becomes of the answer, an inquiry tells the truth.
import type { Clock, Log, Random } from '../../base/index.ts';
import { type Committer, type Db, forNobody } from '../../store/index.ts';
import { lookupBin } from '../bins.ts';
import { type IssuerHost, type Link, type NetworkAnswer, type NetworkRequest, NoAnswer } from '../message.ts';
import { booksSelect, type OrderBook } from '../queries.ts';
import { outcomeOf } from './cards.ts';
import { createFaultPlay, type FaultTimes } from './fault-play.ts';
import { createFaults, type FaultCount, type Faults } from './faults.ts';
import { simulatorRecord } from './record.ts';

export interface SimulatorOptions extends FaultTimes {
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
}

export type LateAnswerListener = (answer: NetworkAnswer, request: NetworkRequest) => void;

export interface Simulator extends Link {
  readonly faults: Faults;
  /** The acquirer's sums of every order of a project, or of all. */
  books(owner?: bigint): Promise<OrderBook[]>;
  /** Who is told of answers that come after their deadline (one listener). */
  onLateAnswer(listener: LateAnswerListener): void;
  counts(): Readonly<Record<'answered' | 'unanswered' | 'duplicatesDropped' | 'late', number>>;
  /** Gives up every wait; the committer is its owner's to drain. */
  close(): void;
}

export function createSimulator(options: SimulatorOptions): Simulator {
  const { clock, log, issuer = null } = options;
  const faults = createFaults(options.countFault);
  const stopped = new AbortController();
  const counts = { answered: 0, unanswered: 0, duplicatesDropped: 0, late: 0 };
  const record = simulatorRecord(options.committer, options.random);
  const play = createFaultPlay({ clock, times: options, stopped: stopped.signal, counts });
  let lateListener: LateAnswerListener = () => undefined;

  async function perform(request: NetworkRequest): Promise<NetworkAnswer> {
    const planned = await faults.forRequest(request);
    const host = issuer !== null && lookupBin(request.pan).own ? issuer : null;
    const byCard = host ? null : outcomeOf(request);
    const outcome = planned ?? byCard;
    const code = outcome && 'code' in outcome ? outcome.code : byCard && 'code' in byCard ? byCard.code : '00';
    const work = (): Promise<NetworkAnswer> =>
      host && !(planned && 'code' in planned) ? record.byIssuer(host, request) : record.byCode(request, code);
    if (!outcome || 'code' in outcome) return work();
    log.debug({ fault: outcome.fault, operation: request.operation, reference: request.reference }, 'fault injected');
    return play(outcome.fault, work, (answer) => lateListener(answer, request));
  }

  async function inquire(owner: bigint, reference: string): Promise<NetworkAnswer | null> {
    const planned = await faults.forInquiry();
    const work = (): Promise<NetworkAnswer | null> => record.look(owner, reference);
    return planned && 'fault' in planned ? play(planned.fault, work, () => undefined) : work();
  }

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
    inquire: (owner, reference) => counted(() => inquire(owner, reference)),
    books: (owner) => booksSelect(options.database, owner ?? null),
    onLateAnswer(listener) {
      lateListener = listener;
    },
    counts: () => ({ ...counts }),
    close: () => stopped.abort(),
  };
}
