// Moments at which something is due, in whichever room: found and run in their order when a clock is moved.
import type { Clock } from '../base/index.ts';
import type { Db } from './commit.ts';

/** What a room has due by itself. */
export interface Timeline {
  /** The earliest moment; null: nothing is due ever. */
  nextDueAt(db: Db): Promise<Date | null>;
  /** Runs everything that is due at the clock's now, until nothing is; how much it touched. */
  runDue(signal?: AbortSignal): Promise<number>;
}

const earliest = (moments: readonly (Date | null)[]): Date | null =>
  moments.reduce((first, at) => (at !== null && (first === null || at < first) ? at : first), null);

async function runAll(timelines: readonly Timeline[]): Promise<number> {
  let touched = 0;
  for (const timeline of timelines) touched += await timeline.runDue();
  return touched;
}

/** Moves the clock to `target` by `move`, stopping at each moment at which something is due and running it there, in order. */
export async function advanceTo(
  db: Db,
  timelines: readonly Timeline[],
  clock: Clock,
  move: (to: Date) => Promise<void>,
  target: Date,
): Promise<void> {
  for (;;) {
    const next = earliest(await Promise.all(timelines.map((timeline) => timeline.nextDueAt(db))));
    if (next === null || next > target) break;
    // Never back: what is overdue runs now.
    if (next > clock.now()) await move(next);
    if ((await runAll(timelines)) === 0) break;
  }
  if (target > clock.now()) await move(target);
  await runAll(timelines);
}
