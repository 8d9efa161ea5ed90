// The turns of what reads much. Rule: few at once and one of an owner, for the database's connections and the moments of this process are
// for everybody; while anybody else is being answered a long read takes a quarter of them.
import { type Clock, createTurns, type Turns } from '../../base/index.ts';
import type { Server } from './server.ts';

/** What costs more is a long read: rows, times what each carries. */
export const SHORT_COST = 200;

export const longReads = (server: Pick<Server, 'underWay'>, clock: Clock): Turns =>
  createTurns({
    clock,
    shares: { atOnce: 5, perOwner: 2, perThrough: 2, perOwnerThrough: 1 },
    mostOfOwner: 256,
    longestWaitMs: 20_000,
    crowded: (own) => server.underWay() > own,
    rest: 3,
  });
