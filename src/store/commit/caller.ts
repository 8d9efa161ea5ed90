// Who waits for what is being done: a request, for as long as its client is waiting. It goes along by itself with everything that is
// awaited for the request, so that no use case can forget to pass it on.
// Rule: once a caller was told that the outcome is unknown, nothing that has not begun begins for him; what has begun is finished.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Caller {
  /** He was told that the outcome is unknown. */
  gone: boolean;
  /** The id, as the outside knows it, of what his request makes or may have made. */
  made: string | null;
}

const callers = new AsyncLocalStorage<Caller | undefined>();

export const forCaller = <Value>(caller: Caller, work: () => Value): Value => callers.run(caller, work);

/** For another party that we speak to in the process: it finishes what it has begun, whoever waits here. */
export const forNobody = <Value>(work: () => Value): Value => callers.run(undefined, work);

/** undefined: nobody waits, it is our own work. */
export const presentCaller = (): Caller | undefined => callers.getStore();
