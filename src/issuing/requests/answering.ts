// Commands that end a request: their effect, their answer and the record of the request's idempotency-ref are one commit.
import { jsonText } from '../../base/index.ts';
import type { Change, Command, Loaded, Need, Once, StoredAnswer, Told } from '../../store/index.ts';
import { onceCommand } from '../../store/index.ts';
import type { IssuingDeps } from './deps.ts';
import { type RefusalCode, refuse } from './refusals.ts';

export interface Ending {
  readonly status: number;
  /** null: an answer without body. */
  readonly body: object | null;
  readonly changes: readonly Change[];
  /** Why the request is rejected: the changes are committed all the same: a wrong code that counts. */
  readonly rejected?: RefusalCode;
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
});

/** What goes over the wire; `replayed` when an earlier request with the same idempotency-ref was answered so. */
export interface CommittedAnswer {
  readonly status: number;
  readonly body: string | null;
  readonly replayed: boolean;
}

/** What a handler answers with it. */
export const answered = ({ status, body, replayed }: CommittedAnswer) => ({ status, body, replayed });

/** A rejection: it is committed with what it counts. */
export const rejectedEnding = (rejected: RefusalCode, changes: Ending['changes']): Ending => ({
  status: 409,
  body: null,
  changes,
  rejected,
});

/** `rejected` is part of the decision that was committed: a decision may be made more than once until one is. */
interface Answered extends StoredAnswer {
  readonly rejected?: RefusalCode | undefined;
  readonly replayed?: true;
}

/**
 * A request whose effect is a transaction of its own. Its answer is kept behind the effect, not with it: such effects are the same when
 * they are repeated, or refuse to be. A repeat under the same idempotency-ref is answered as before without being done.
 */
export async function answeredOnce(
  deps: IssuingDeps,
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
  deps: IssuingDeps,
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
  const answer: Answered = await deps.committer.submit(
    onceCommand(
      inner,
      once,
      ({ status, body, rejected }): Answered => ({
        status,
        body: body === null ? '' : jsonText(body),
        location: null,
        rejected,
      }),
    ),
  );
  if (answer.rejected) throw refuse(answer.rejected);
  return { status: answer.status, body: answer.body === '' ? null : answer.body, replayed: answer.replayed ?? false };
}
