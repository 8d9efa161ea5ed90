// How an endpoint does, as its API shows it beside how it is set up: at the lists and GETs of endpoints alone, for no event tells of it.
import Type, { type TSchema } from 'typebox';
import type { Clock } from '../../base/index.ts';
import { Choice, Nullable, Optional, Shape } from '../../http/index.ts';
import type { Endpoint, EndpointsDesk } from '../endpoints/index.ts';
import { type EndpointStanding, standingsOf } from '../figures/index.ts';
import type { Style } from './style.ts';

export function standingShape({ name, time, title, nulls }: Style): TSchema {
  const moment = nulls ? Nullable(time) : Optional(time);
  return Shape(
    {
      behind: Type.Integer({ minimum: 0, description: 'Events that were not dealt with for it yet.' }),
      [name('seconds_behind')]: Type.Integer({ minimum: 0, description: 'How old the first of them is, real time.' }),
      [name('last_success')]: moment,
      [name('failing_since')]: moment,
      circuit: Choice(['closed', 'open'], { description: 'open: nothing is sent but a probe now and then.' }),
    },
    { title: title('WebhookStanding'), description: 'How it does. In lists and GETs.' },
  );
}

interface Showing {
  readonly style: Style;
  /** Real time. */
  readonly time: Pick<Clock, 'now'>;
  shown(endpoint: Endpoint): object;
  timeOf(at: Date): unknown;
}

/** These endpoints of one owner in the API's words, each with how it does. */
export async function shownWithStanding(
  { db, owner }: EndpointsDesk,
  endpoints: readonly Endpoint[],
  { style, time, shown, timeOf }: Showing,
): Promise<object[]> {
  const ids = endpoints.map(({ id }) => id);
  const standings = await standingsOf(db, owner, ids, time);
  return endpoints.map((endpoint) => {
    const standing = standings.get(endpoint.id);
    return standing ? { ...shown(endpoint), standing: standingShown(style, standing, timeOf) } : shown(endpoint);
  });
}

function standingShown({ name, nulls }: Style, of: EndpointStanding, timeOf: (at: Date) => unknown): object {
  const moment = (words: string, at: Date | null): object =>
    at === null && !nulls ? {} : { [name(words)]: at && timeOf(at) };
  return {
    behind: Number(of.behind),
    [name('seconds_behind')]: Math.floor(of.seconds),
    ...moment('last_success', of.succeededAt),
    ...moment('failing_since', of.failingSince),
    circuit: of.circuitOpen ? 'open' : 'closed',
  };
}
