// A try goes out by the one door, and what comes back is what is kept of it.
import { type Clock, maskPansIn } from '../../base/index.ts';
import type { Egress } from '../egress/index.ts';
import type { PostOut } from './receiver.ts';
import { retryAfterOf } from './schedule.ts';

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
