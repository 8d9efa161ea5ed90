// How endpoints do, as their owners see it, and how far behind their logs they are.
// Rule: how late something is is real time, and follows from the event's id: the clock of a sandbox makes nothing late.
import { type Clock, idMoment } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import { cursorsOf } from '../delivery/index.ts';
import { firstsBehind, headsOf, type LogPlace } from '../log/index.ts';

export interface Lag {
  /** Events of the log that were not dealt with for it, whether it wants them or not. */
  readonly behind: bigint;
  /** How old the first of them is; 0: there is none. */
  readonly seconds: number;
}

export interface EndpointStanding extends Lag {
  readonly succeededAt: Date | null;
  readonly failingSince: Date | null;
  readonly circuitOpen: boolean;
}

export const ageSeconds = (event: bigint | null, time: Pick<Clock, 'now'>): number =>
  event === null ? 0 : Math.max(0, (time.now().getTime() - idMoment(event).getTime()) / 1000);

/** Of each place, in their order. */
export async function lagsOf(db: Db, places: readonly LogPlace[], time: Pick<Clock, 'now'>): Promise<Lag[]> {
  const owners = [...new Set(places.map(({ owner_id }) => owner_id))];
  const heads = new Map((await headsOf(db, owners)).map(({ owner_id, position }) => [owner_id, position]));
  const headOf = ({ owner_id }: LogPlace): bigint => heads.get(owner_id) ?? 0n;
  const late = places.filter((place) => headOf(place) > place.position);
  const firsts = new Map((await firstsBehind(db, late)).map((first, i) => [late[i], first]));
  return places.map((place) => {
    // What is gone is nobody's any more: it is counted from the first that is left.
    const first = firsts.get(place);
    return first
      ? { behind: headOf(place) - first.position + 1n, seconds: ageSeconds(first.event_id, time) }
      : { behind: 0n, seconds: 0 };
  });
}

/** Of these endpoints of an owner, by id. */
export async function standingsOf(
  db: Db,
  owner: bigint,
  webhooks: readonly bigint[],
  time: Pick<Clock, 'now'>,
): Promise<ReadonlyMap<bigint, EndpointStanding>> {
  const cursors = await cursorsOf(db, owner, webhooks);
  const lags = await lagsOf(db, cursors, time);
  return new Map(
    cursors.map(({ webhook_id, succeeded_at, failing_since, circuit_open }, i) => [
      webhook_id,
      { ...(lags[i] as Lag), succeededAt: succeeded_at, failingSince: failing_since, circuitOpen: circuit_open },
    ]),
  );
}
