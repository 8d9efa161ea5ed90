// A try goes out by the one door, and what comes back is what is kept of it.
import { type Clock, maskPansIn, type Permutation } from '../../base/index.ts';
import type { Egress } from '../egress/index.ts';
import { thinOf } from '../log/index.ts';
import type { Trigger } from './queries.ts';
import type { Post, PostOut, Receiver } from './receiver.ts';
import { retryAfterOf } from './schedule.ts';

/** One try, as it goes out. */
export interface Try {
  readonly event: bigint;
  readonly text: string;
  readonly trigger: Trigger;
  /** The first is 1. */
  readonly attempt: number;
  /** Real time: it is signed at this moment. */
  readonly at: Date;
}

/** What names the messages of this server. */
export interface Naming {
  readonly permutation: Pick<Permutation, 'outward'>;
  readonly agent: string;
}

/** The event for this receiver, with its signatures and what tells tries apart. */
export function messageOf(
  { permutation, agent }: Naming,
  { id: webhook, url, payload, sign }: Pick<Receiver, 'id' | 'payload' | 'sign' | 'url'>,
  { event, text, trigger, attempt, at }: Try,
): Omit<Post, 'signal'> {
  const id = permutation.outward(event);
  const body = payload === 'thin' ? thinOf(text) : text;
  const headers = {
    'content-type': 'application/json',
    'user-agent': agent,
    ...sign(id, at, body),
    'florin-delivery': `${permutation.outward(webhook)}.${id}`,
    'florin-trigger': trigger,
    'florin-attempt': attempt.toString(),
  };
  return { url, headers, body };
}

const TIMEOUT_MS = 15_000;
/** Of an answer, for whoever looks why a try failed. */
const KEPT_BYTES = 1_024;

/** `clock`: the real one. */
export const postBy =
  (egress: Pick<Egress, 'post'>, clock: Clock): PostOut =>
  async ({ url, headers, body, signal }) => {
    const answer = await egress.post(url, { headers, body, timeoutMs: TIMEOUT_MS, keepAlive: true, signal });
    const { address, ms } = answer;
    if (answer.cause !== null)
      return { status: null, cause: answer.cause, retryAfterMs: null, ms, address, response: '' };
    return {
      status: answer.status,
      cause: null,
      retryAfterMs: retryAfterOf(answer.headers.retryAfter, clock.now()),
      ms,
      address,
      response: maskPansIn(textOf(answer.body.subarray(0, KEPT_BYTES))),
    };
  };

/** As text that a database takes. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '�');
