// What is sent again to endpoints, on the sandbox's clock: where the clock is moved, each try has its moment, and is waited for there.
// Rule: no receiver holds the clock for long. Who takes too long is left behind, is told of, and is sent to as usual.
import type { Clock } from '../base/index.ts';

/** An endpoint, as far as the clock is concerned. */
export interface Awaited {
  readonly owner_id: bigint;
  readonly webhook_id: bigint;
  /** Something is due again since then; null: nothing is. */
  readonly due_at: Date | null;
  /** Something will be due again then; null: nothing. */
  readonly next_at: Date | null;
  /** Events of its log were not sent yet, and nothing speaks against it. */
  readonly behind: boolean;
}

/** Those who send. */
export interface Senders {
  /** Every endpoint that is enabled, as it stands at the moment. */
  awaited(now: Date): Promise<readonly Awaited[]>;
  /** They send what is due now, whatever their pace. */
  press(): void;
}

export interface Retries {
  /** The earliest moment behind `after` at which something will be due; null: none. */
  nextDueAt(after: Date): Promise<Date | null>;
  /** Resolves when what is due now was tried, or is waited for no longer. */
  settle(): Promise<void>;
  /** Those that are waited for no longer. */
  left(): readonly Awaited[];
}

export interface RetriesOptions {
  readonly senders: Senders;
  /** The real one. */
  readonly time: Clock;
  readonly business: Clock;
  /** For one endpoint: longer than a try may take. */
  readonly endpointMs?: number;
  /** For all together: shorter than who moves the clock is willing to wait for an answer. */
  readonly allMs?: number;
}

const ENDPOINT_MS = 20_000;
const ALL_MS = 60_000;
const LOOK_MS = 20;
/** Also a process that took an endpoint meanwhile hears of it. */
const PRESS_MS = 200;

/** For one move of the clock. */
export function createRetries(options: RetriesOptions): Retries {
  const { senders, time, business, endpointMs = ENDPOINT_MS, allMs = ALL_MS } = options;
  const left = new Map<string, Awaited>();
  /** Real time that was spent on each, and in all. */
  const spent = new Map<string, number>();
  let spentMs = 0;
  const nameOf = ({ owner_id, webhook_id }: Awaited): string => `${owner_id}/${webhook_id}`;
  const awaited = async (now: Date): Promise<readonly Awaited[]> =>
    (await senders.awaited(now)).filter((one) => !left.has(nameOf(one)));

  function spend(ms: number, on: readonly Awaited[]): void {
    spentMs += ms;
    for (const one of on) {
      const name = nameOf(one);
      const sum = (spent.get(name) ?? 0) + ms;
      spent.set(name, sum);
      if (sum >= endpointMs || spentMs >= allMs) left.set(name, one);
    }
  }

  return {
    async nextDueAt(after) {
      const moments = (await awaited(after)).flatMap(({ next_at }) => (next_at ? [next_at.getTime()] : []));
      return moments.length === 0 || spentMs >= allMs ? null : new Date(Math.min(...moments));
    },
    async settle() {
      for (let pressedMs = Number.NEGATIVE_INFINITY; ; ) {
        const waiting = (await awaited(business.now())).filter(({ due_at, behind }) => due_at !== null || behind);
        if (waiting.length === 0) return;
        const nowMs = time.elapsed();
        if (nowMs - pressedMs >= PRESS_MS) {
          senders.press();
          pressedMs = nowMs;
        }
        await time.sleep(LOOK_MS);
        spend(time.elapsed() - nowMs, waiting);
      }
    },
    left: () => [...left.values()],
  };
}
