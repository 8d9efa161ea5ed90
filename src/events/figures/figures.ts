// Figures of the installation for those who run it: how far events have come, and what tries come to.
// Rule: their number never grows with that of endpoints: totals and the worst, and outcomes from closed sets.
import { type Clock, idMoment } from '../../base/index.ts';
import type { Database, Db } from '../../store/index.ts';
import { cursorsAll, type Figures, type Posted } from '../delivery/index.ts';
import type { EndpointsInMemory } from '../endpoints/index.ts';
import { endpointsDisabled } from '../endpoints/index.ts';
import { queueFigures } from '../log/index.ts';
import { ageSeconds, lagsOf } from './standings.ts';

/** Of the database as a whole, whichever process looks. */
export interface EventFigures {
  /** Committed, and without a position: at most a hundred thousand are counted. */
  readonly unnumbered: number;
  readonly oldestSeconds: number;
  /** Of endpoints that are enabled: all of them together, and the one that is furthest. */
  readonly behind: number;
  readonly worstBehind: number;
  readonly worstSeconds: number;
  readonly enabled: number;
  readonly failing: number;
  readonly circuitsOpen: number;
  readonly disabled: number;
}

export interface FiguresOptions {
  readonly database: Pick<Database, 'query'>;
  /** Real time. */
  readonly time: Pick<Clock, 'now'>;
  readonly endpoints: Pick<EndpointsInMemory, 'all'>;
}

export async function eventFigures({ database, time, endpoints }: FiguresOptions): Promise<EventFigures> {
  const [queue, endpointFigures, disabled] = await Promise.all([
    queueFigures(database),
    figuresOfEndpoints(database, { time, endpoints }),
    endpointsDisabled(database),
  ]);
  return {
    unnumbered: Number(queue.count),
    oldestSeconds: ageSeconds(queue.first, time),
    ...endpointFigures,
    disabled,
  };
}

async function figuresOfEndpoints(db: Db, { time, endpoints }: Pick<FiguresOptions, 'time' | 'endpoints'>) {
  const enabled = new Set((await endpoints.all()).map(({ owner_id, id }) => `${owner_id}/${id}`));
  const cursors = (await cursorsAll(db)).filter(({ owner_id, webhook_id }) => enabled.has(`${owner_id}/${webhook_id}`));
  const lags = await lagsOf(db, cursors, time);
  const behinds = lags.map(({ behind }) => Number(behind));
  return {
    behind: behinds.reduce((sum, one) => sum + one, 0),
    worstBehind: behinds.reduce((most, one) => Math.max(most, one), 0),
    worstSeconds: lags.reduce((most, { seconds }) => Math.max(most, seconds), 0),
    enabled: enabled.size,
    failing: cursors.filter(({ failing_told }) => failing_told).length,
    circuitsOpen: cursors.filter(({ circuit_open }) => circuit_open).length,
  };
}

/** What a try came to, in words of a closed set: a class of statuses, or the cause that there is none. */
export function outcomeOf({ status, cause }: Pick<Posted, 'status' | 'cause'>): string {
  if (status === null) return cause ?? 'internal';
  if (status >= 200 && status <= 299) return 'delivered';
  return status === 410 ? 'gone' : `${Math.floor(status / 100)}xx`;
}

/** Tells of each try what it came to; of a first one that is delivered also how old its event was by then. */
export const triesTo = (
  count: (outcome: string, trigger: string, delaySeconds: number | null) => void,
  time: Pick<Clock, 'now'>,
): Figures => ({
  tried({ posted, trigger, attempt, event }) {
    const outcome = outcomeOf(posted);
    const isFirst = trigger === 'first' && attempt === 1 && outcome === 'delivered';
    const delayMs = time.now().getTime() - idMoment(event).getTime();
    count(outcome, trigger, isFirst ? Math.max(0, delayMs) / 1000 : null);
  },
});
