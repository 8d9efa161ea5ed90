// The proof of the invariants: what it costs to prove what has changed, whatever lies behind it.
// Rule: both sides are proved in full before they are measured, and each measurement has something new to prove.
import { systemClock } from '../src/base/index.ts';
import { SANDBOX_OPERATOR } from '../src/config.ts';
import type { Asked } from './compare.ts';
import { type Load, load } from './load.ts';
import type { Opened } from './serve.ts';

/** Orders that a measured proof has to look at. */
const CHANGED = 500;

interface Proof {
  readonly ok: boolean;
  readonly checks: readonly { readonly id: string; readonly ok: boolean }[];
  readonly covered: { readonly looked_at: number };
}

/** The proof, and how long it took. */
async function prove({ server }: Opened, full: boolean): Promise<{ readonly proof: Proof; readonly ms: number }> {
  const began = systemClock.elapsed();
  const response = await fetch(`${server.url}/operator/invariants?full=${full}`, {
    headers: { authorization: `Bearer ${SANDBOX_OPERATOR}` },
  });
  const proof = (await response.json()) as Proof;
  const violated = proof.checks.filter(({ ok }) => !ok).map(({ id }) => id);
  if (!proof.ok) throw new Error(`violated: ${violated.join(', ')}`);
  return { proof, ms: systemClock.elapsed() - began };
}

/** The whole history, seconds. */
export const provenInFull = async (opened: Opened): Promise<number> => (await prove(opened, true)).ms / 1000;

/** Subjects a second; the milliseconds are those of the one proof. */
export const proving =
  (opened: Opened, { body }: Pick<Load, 'body'>): Asked[1] =>
  async (seconds) => {
    const url = `${opened.server.url}/gateway/orders/authorize`;
    await load({ url, method: 'POST', connections: 64, seconds, ...(body ? { body } : {}), amount: CHANGED });
    const { proof, ms } = await prove(opened, false);
    return { perSecond: proof.covered.looked_at / (ms / 1000), p50Ms: ms, p99Ms: null, requests: 1, failed: 0 };
  };
