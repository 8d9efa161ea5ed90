// Whether the processes that serve still listen to their parent. One that doesn't (its event loop stands, or the process was stopped)
// is killed, and replaced like any other that ends.
// Rule: only the processes' own silence counts. It says nothing of the database, which has its own check, and a parent that stood still
// itself, with the whole machine, counts nothing for that time.
import type { Worker } from 'node:cluster';
import type { Clock, Log } from '../base/index.ts';
import type { Serving, ToMember } from './messages.ts';

export interface Watched {
  readonly process: number;
  readonly worker: Worker | null;
  readonly serving: Serving | null;
  /** Questions in a row without a word from it. */
  unheard: number;
}

export interface LivenessOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Who says nothing for so long is killed. */
  readonly silentMs: number;
}

/** Asked so often before one is given up. */
const QUESTIONS = 10;

export const tell = (worker: Worker, message: ToMember): void => {
  if (worker.isConnected()) worker.send(message);
};

/** Until the signal. */
export async function watchOver(
  places: readonly Watched[],
  { clock, log, silentMs }: LivenessOptions,
  signal: AbortSignal,
): Promise<void> {
  const pause = (): Promise<void> => clock.sleep(silentMs / QUESTIONS, signal).catch(() => undefined);
  for (await pause(); !signal.aborted; await pause())
    for (const place of places) {
      const { worker, serving, process, unheard } = place;
      if (!worker || !serving) continue;
      place.unheard++;
      if (unheard < QUESTIONS) tell(worker, { kind: 'ping' });
      else if (unheard === QUESTIONS) {
        log.error({ process, silentMs }, 'a server process does not answer its parent any more; it is killed');
        worker.process.kill('SIGKILL');
      }
    }
}
