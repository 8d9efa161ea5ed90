// Who waits for what is being done, and who caused it: a request, for as long as its client is waiting. It goes along by itself with
// everything that is awaited for the request, so that no use case can forget to pass it on.
// Rule: once a caller was told that the outcome is unknown, nothing that has not begun begins for him; what has begun is finished.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Caller {
  /** He was told that the outcome is unknown. */
  gone: boolean;
  /** The id, as the outside knows it, of what his request makes or may have made. */
  made: string | null;
}

/** By whose doing something changes (docs/contract/events.md#events). */
export type Cause = 'api' | 'payer' | 'network' | 'schedule' | 'operator' | 'simulator';

interface Present {
  readonly caller: Caller | undefined;
  readonly cause: Cause;
}

const present = new AsyncLocalStorage<Present>();

export const forCaller = <Value>(caller: Caller, cause: Cause, work: () => Value): Value =>
  present.run({ caller, cause }, work);

/** The same caller waits, if one does; what is done is somebody else's doing. */
export const causedBy = <Value>(cause: Cause, work: () => Value): Value =>
  present.run({ caller: presentCaller(), cause }, work);

/** For the network, whose other parties we speak to in the process: they finish what they have begun, whoever waits here. */
export const forNobody = <Value>(work: () => Value): Value =>
  present.run({ caller: undefined, cause: presentCause() === 'simulator' ? 'simulator' : 'network' }, work);

/** undefined: nobody waits, it is our own work. */
export const presentCaller = (): Caller | undefined => present.getStore()?.caller;

/** Our own work is done because its time has come. */
export const presentCause = (): Cause => present.getStore()?.cause ?? 'schedule';
