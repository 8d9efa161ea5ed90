// The way out: what was opened is closed in reverse, each within what is left of the time.
import { type Log, systemClock } from './base/index.ts';

export type Closer = () => unknown;

/** For everything but the embedded server, which is ended behind it within a time of its own. */
const STOP_MS = 20_000;
/** Also at the end of the time each gets so long. */
const LEAST_MS = 1_000;
/** The first that was opened is the embedded server, where there is one. */
const LAST_MS = 13_000;

/** False: something did not end in time, or failed, and is left behind. */
export async function closeAll(closers: readonly Closer[], log: Log): Promise<boolean> {
  const until = systemClock.elapsed() + STOP_MS;
  let clean = true;
  for (const [i, close] of [...closers.entries()].reverse()) {
    const limitMs = i === 0 ? LAST_MS : Math.max(LEAST_MS, until - systemClock.elapsed());
    const ended = new AbortController();
    const late = systemClock.sleep(limitMs, ended.signal).then(
      () => Promise.reject(new Error('it takes too long')),
      () => undefined,
    );
    await Promise.race([Promise.resolve().then(close), late]).catch((error: unknown) => {
      clean = false;
      log.error({ err: error }, 'closing failed');
    });
    ended.abort(new Error('ended'));
  }
  return clean;
}
