// Commands that end a request: their effect, their answer and the record of the request's idempotency-ref are one commit.
import { jsonText } from '../../base/index.ts';
import type { Change, Command, Loaded, Need, Once, StoredAnswer, Told } from '../../store/index.ts';
import { onceCommand, presentCause } from '../../store/index.ts';
import { type RejectionCode, rejections } from '../fields/index.ts';
import type { IssuingDeps } from './deps.ts';

export interface Ending {
  readonly status: number;
  /** null: an answer without body. */
  readonly body: object | null;
  readonly changes: readonly Change[];
  /** It counts something: a repeat is answered by it and counts nothing more. */
  readonly rejected?: true;
}

export interface EndingCommand {
  readonly name: string;
  /** The tenant whose rows it changes. */
  readonly owner: bigint | null;
  readonly needs: readonly Need[];
  /** Pure. Refuses by throwing a Refusal; then nothing is written, and the idempotency-ref stays free. */
  decide(loaded: Loaded, told: Told): Ending;
}

/** What a decision would be told at this moment: for whoever makes outside of one what decisions make too. */
export const toldNow = ({ clock, ids, random }: Pick<IssuingDeps, 'clock' | 'ids' | 'random'>): Told => ({
  now: clock.now(),
  ids,
  chance: random,
  // Nothing that is made here carries one.
  process: 0n,
  cause: presentCause(),
});

/** What goes over the wire; `replayed` when an earlier request with the same idempotency-ref was answered so. */
export interface CommittedAnswer {
  readonly status: number;
  readonly body: string | null;
  readonly replayed: boolean;
}

/** What a handler answers with it. */
export const answered = ({ status, body, replayed }: CommittedAnswer) => ({ status, body, replayed });

/** What a rejection answers: the shape of any other 409. */
export const rejection = (rejected: RejectionCode) => ({
  status: 409,
  body: { errorCode: rejected, message: rejections[rejected][1] },
});

/** A rejection, and what it counts. */
export const rejectedEnding = (rejected: RejectionCode, changes: Ending['changes']): Ending => ({
  ...rejection(rejected),
  changes,
  rejected: true,
});

/**
 * A request whose effect is a transaction of its own. Its answer is kept behind the effect, not with it: such effects are the same when
 * they are repeated, or refuse to be. A repeat under the same idempotency-ref is answered as before without being done.
 */
export async function answeredOnce(
  deps: Pick<IssuingDeps, 'committer'>,
  once: Once | null,
  name: string,
  work: () => Promise<Pick<Ending, 'status' | 'body'>>,
): Promise<CommittedAnswer> {
  const known = once && (await deps.committer.submit<StoredAnswer | null>(knownAnswer(once)));
  if (known) return { status: known.status, body: known.body === '' ? null : known.body, replayed: true };
  const { status, body } = await work();
  return commitAnswer(deps, once, {
    name,
    owner: once?.owner ?? null,
    needs: [],
    decide: () => ({ status, body, changes: [] }),
  });
}

/** What was answered to this reference before; refuses one that was used for another request. */
const knownAnswer = (once: Once): Command<StoredAnswer | null> => ({
  name: 'once.known',
  owner: once.owner,
  needs: [once.need],
  decide(loaded, told) {
    const begun = once.begin(loaded, told.now);
    return { value: 'replay' in begun ? begun.replay : null, changes: [] };
  },
});

/** Runs the command in the group commit. A repeat of the request under the same idempotency-ref gets the same bytes and changes nothing. */
export async function commitAnswer(
  deps: Pick<IssuingDeps, 'committer'>,
  once: Once | null,
  command: EndingCommand,
): Promise<CommittedAnswer> {
  const inner: Command<Ending> = {
    name: command.name,
    owner: command.owner,
    needs: command.needs,
    decide(loaded, told) {
      const ending = command.decide(loaded, told);
      return { value: ending, changes: ending.changes };
    },
  };
  const answer: StoredAnswer & { readonly replayed?: true } = await deps.committer.submit(
    onceCommand(
      inner,
      once,
      ({ status, body, rejected }): StoredAnswer => ({
        status,
        body: body === null ? '' : jsonText(body),
        location: null,
        effective: rejected === true,
      }),
    ),
  );
  return { status: answer.status, body: answer.body === '' ? null : answer.body, replayed: answer.replayed ?? false };
}
