// The only door to time. Everything that decides takes `now` from a Clock, so that tests and the simulator can move it.
// Rule: no other file calls Date.now, new Date() without argument, setTimeout or setInterval.

export interface Clock {
  /** The present moment, UTC, millisecond precision. */
  now(): Date;
  /** Resolves after `ms` of real time; rejects with the signal's reason when aborted. Pacing only, never a business deadline. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Monotonic milliseconds for measuring durations. */
  elapsed(): number;
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves when everything that has come in meanwhile was looked after once. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const systemClock: Clock = {
  now: () => new Date(),
  sleep,
  elapsed: () => performance.now(),
};

/** A virtual clock as JSON. */
export interface ClockState {
  /** Distance to the system's clock. */
  readonly offsetMs: number;
  /** ISO 8601; null: it runs. */
  readonly frozenAt: string | null;
}

/** A clock that runs like the system's but can be set, advanced and frozen (sandbox mode and tests). */
export class VirtualClock implements Clock {
  #offsetMs = 0;
  #frozenAt: Date | null = null;
  readonly #base: Clock;

  constructor(base: Clock = systemClock) {
    this.#base = base;
  }

  now(): Date {
    return this.#frozenAt ? new Date(this.#frozenAt) : addMs(this.#base.now(), this.#offsetMs);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#base.sleep(ms, signal);
  }

  elapsed(): number {
    return this.#base.elapsed();
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  /** Moves the clock to `now`; a frozen clock stays frozen there. */
  set(now: Date): void {
    this.#offsetMs = now.getTime() - this.#base.now().getTime();
    if (this.#frozenAt) this.#frozenAt = new Date(now);
  }

  /** What is kept over a restart, and shared. */
  get state(): ClockState {
    return { offsetMs: this.#offsetMs, frozenAt: this.#frozenAt?.toISOString() ?? null };
  }

  load({ offsetMs, frozenAt }: ClockState): void {
    this.#offsetMs = offsetMs;
    this.#frozenAt = frozenAt === null ? null : new Date(frozenAt);
  }

  /** Another that shows the same, to try something on. */
  copy(): VirtualClock {
    const copy = new VirtualClock(this.#base);
    copy.load(this.state);
    return copy;
  }

  freeze(frozen: boolean): void {
    const now = this.now();
    this.#frozenAt = frozen ? now : null;
    this.set(now);
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a duration string with a unit suffix (`30s`, `15m`, `2h`, `1d`) as milliseconds; null when it is not one, zero or over 366 days. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (!match) return null;
  const ms = Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  return ms > 0 && ms <= 366 * 86_400_000 ? ms : null;
}

/** `2026-11-21 09:30:00` in the given IANA time zone: the gateway contract's date-time form. */
export function formatDateTime(at: Date, timeZone = 'UTC'): string {
  if (timeZone === 'UTC') return at.toISOString().slice(0, 19).replace('T', ' ');
  const zoned = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  return zoned.toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ');
}

/** Reads the contract's `YYYY-MM-DD HH:MM:SS` in the given zone; null when it is not a real date-time. */
export function parseDateTime(text: string, timeZone = 'UTC'): Date | null {
  // Seconds to 59 only: Temporal would read 60, a leap second, as 59. There was no year 0, and Postgres has none.
  if (!/^(?!0000)\d{4}-\d{2}-\d{2} \d{2}:\d{2}:[0-5]\d$/.test(text)) return null;
  try {
    const plain = Temporal.PlainDateTime.from(text.replace(' ', 'T'), { overflow: 'reject' });
    return new Date(plain.toZonedDateTime(timeZone).epochMilliseconds);
  } catch {
    return null;
  }
}

/** Reads ISO 8601: a day, or a day and a time with or without its zone, else UTC; null when there is no such moment. */
export function parseInstant(text: string): Date | null {
  const [, day, time = '00:00', second = ':00', fraction = '', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?:(:\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? [];
  // Date would read 30 February as 2 March.
  if (!day || !parseDateTime(`${day} ${time}${second}`)) return null;
  const at = new Date(`${day}T${time}${second}${fraction}${zone}`);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** `YYYY-MM-DD` of the UTC day. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Midnight UTC after `at`: the end of its settlement day. */
export const nextMidnight = (at: Date): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));

export const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
export const addDays = (at: Date, days: number): Date => new Date(at.getTime() + days * 86_400_000);
