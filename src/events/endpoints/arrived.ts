// Judges what arrives at a sandbox's inbox as a receiver would who knows the endpoint's key.
// Rule: what it says of a message is what its signature says, never what its sender claims.
import type { Clock, Permutation } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import { endpointKey, type Keyed, signatureProblem } from '../egress/index.ts';
import { endpointsTo } from './inbox-queries.ts';
import { type Endpoint, signing } from './model.ts';

export interface Arrival {
  /** Where it arrived: `/simulator/inbox/shop`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** `unknown_endpoint`: no endpoint leads here, or not the one that it says it is from. */
export type ArrivalProblem = 'unknown_endpoint' | NonNullable<ReturnType<typeof signatureProblem>>;

export interface Judged {
  /** null: it is signed by the endpoint, within the time that receivers allow. */
  readonly problem: ArrivalProblem | null;
  /** Whose signature it was compared with, as its owner knows it; null: none was found, or several were tried. */
  readonly webhook: string | null;
}

export interface JudgeOptions {
  readonly database: Db;
  readonly keyed: Keyed;
  readonly permutation: Permutation;
  /** Real time, which is what is signed. */
  readonly time: Clock;
  /** By which keys end. */
  readonly business: Clock;
}

export const judgeArrivals =
  ({ database, keyed, permutation, time, business }: JudgeOptions) =>
  async ({ path, headers, body }: Arrival): Promise<Judged> => {
    const claimed = claimedBy(headers['florin-delivery'], permutation);
    const all = await endpointsTo(database, path, claimed);
    const candidates = claimed === null ? all : all.filter(({ id }) => id === claimed);
    const problems = candidates.map((endpoint) =>
      signatureProblem(headers, body, {
        now: time.now(),
        keys: keysOf(keyed, endpoint, business.now()),
      }),
    );
    const right = problems.indexOf(null);
    const known = candidates[right] ?? (candidates.length === 1 ? candidates[0] : undefined);
    return {
      problem: right >= 0 ? null : (problems[0] ?? 'unknown_endpoint'),
      webhook: known ? permutation.outward(known.id) : null,
    };
  };

const keysOf = (keyed: Keyed, endpoint: Endpoint, now: Date) =>
  signing(endpoint, now).map(({ generation }) => endpointKey(keyed, endpoint.owner_id, endpoint.id, generation));

/** `8041.7`: which endpoint's delivery it is. null: it doesn't say. */
function claimedBy(field: Arrival['headers'][string], permutation: Permutation): bigint | null {
  const [, id] = (typeof field === 'string' && /^(\d{1,20})\.\d{1,20}$/.exec(field)) || [];
  return id === undefined ? null : permutation.inward(id);
}
