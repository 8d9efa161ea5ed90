// Requests that carry an idempotency key: what is promised about them, as seen by the decisions that keep the promise.
// Rule: the record is written by the same commit as the effect it stands for, so that neither can exist without the other.
import { assert } from '../../base/index.ts';
import type { Command, Decision, Loaded, Need } from './command.ts';
import type { Change } from './table.ts';

/** What was answered, to the byte: `body` is the JSON text that went over the wire. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly location: string | null;
  /** It has had an effect, whatever its status is: a repeat gets it again. */
  readonly effective?: boolean;
}

export interface Replay extends StoredAnswer {
  readonly replayed: true;
}

/** What a request is about, where its outcome may be unknown: an order. */
export interface Subject {
  readonly type: 'order';
  readonly id: bigint;
}

/**
 * What the first decision of a request finds: an answer to repeat; an effect whose outcome nobody knows yet, and the subject it
 * belongs to; or nothing, and then the record to be written together with the effect.
 */
export type Begun =
  | { readonly replay: Replay }
  | { readonly unresolved: Subject | null }
  | { readonly changes: readonly Change[] };

export interface Once {
  /** Whose request it is: project or tenant. */
  readonly owner: bigint;
  /** The record's row, locked: belongs into the needs of the command that begins. */
  readonly need: Need;
  /** Kept on the operation's row, so that whoever recovers the operation can finish the record. */
  readonly key: string;
  /** What an earlier request with the key has left: for whoever looks before he begins. Throws as `begin` does; null: nothing to repeat. */
  replay(loaded: Loaded, now: Date): Replay | null;
  /** Throws a 409 while another request with the key runs, and a 422 when the key was used for another request. */
  begin(loaded: Loaded, now: Date, subject?: Subject | null): Begun;
  /** Keeps the answer. One that may not be kept (401, 404, 409, 422, 429 …) forgets the record instead. */
  finish(answer: StoredAnswer, now: Date): readonly Change[];
  /** The outcome is not known: from now on a repeat joins the recovery of this subject and never executes again. */
  leaveUnresolved(subject: Subject): readonly Change[];
  /** The request ended without an effect: the key is free again. */
  forget(): readonly Change[];
}

/** The same records for a worker that has nothing but the key. A record that is gone changes nothing. */
export interface OnceRecords {
  need(owner: bigint, key: string): Need;
  /** What is kept for the key; null: nothing yet, or no more. */
  answer(loaded: Loaded, owner: bigint, key: string): StoredAnswer | null;
  finish(loaded: Loaded, owner: bigint, key: string, answer: StoredAnswer): readonly Change[];
  leaveUnresolved(loaded: Loaded, owner: bigint, key: string, subject: Subject): readonly Change[];
}

/** Forms of pages as requests with a key: the same form with the same content is the same request. */
export type OnceForm = (owner: bigint, form: string, content: readonly string[]) => Once;

/**
 * A command of one phase, made safe to repeat: the record begins and ends in the decision that has the effect. What the decision
 * refuses by throwing leaves no record. A record without an answer can't be met: effect and answer are one commit.
 */
export function onceCommand<Value>(
  command: Command<Value>,
  once: Once | null,
  answerOf: (value: Value) => StoredAnswer,
): Command<StoredAnswer> {
  if (!once) return { ...command, decide: (loaded, told) => answered(command.decide(loaded, told), answerOf) };
  return {
    name: command.name,
    owner: command.owner,
    needs: [...command.needs, once.need],
    decide(loaded, told) {
      const begun = once.begin(loaded, told.now);
      if ('replay' in begun) return { value: begun.replay, changes: [] };
      assert('changes' in begun, 'a command of one phase left a record without an answer');
      const decision = answered(command.decide(loaded, told), answerOf);
      return {
        value: decision.value,
        changes: [...begun.changes, ...decision.changes, ...once.finish(decision.value, told.now)],
      };
    },
  };
}

const answered = <Value>(
  decision: Decision<Value>,
  answerOf: (value: Value) => StoredAnswer,
): Decision<StoredAnswer> => ({
  ...decision,
  value: answerOf(decision.value),
});
