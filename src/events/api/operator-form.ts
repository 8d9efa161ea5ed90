// Events and endpoints as operators ask for them: their own, and those of a project or tenant below its name.
// Rule: a change is told in the audit log of the owner whose it is, by names and ids, never by an address or a secret.
import Type, { type TSchema } from 'typebox';
import { Refusal } from '../../base/index.ts';
import {
  type Changes,
  Failure,
  Instant,
  listOf,
  type Operator,
  type OperatorEndpoint,
  Shape,
  Text,
} from '../../http/index.ts';
import { type Committer, type Db, NOBODY } from '../../store/index.ts';
import type { EndpointsDesk } from '../endpoints/index.ts';
import type { EventMaker, OwnerType } from '../log/index.ts';
import { everyEndpoint } from './every-endpoint.ts';
import type { Asking, EventsGround, Form } from './form.ts';
import {
  createShape,
  deliveriesShape,
  EXAMPLES,
  LISTED,
  listing,
  listShape,
  patchShape,
  plainForm,
  plainList,
  replayAskedShape,
  replayExample,
  rotateShape,
  streamShape,
  testShape,
} from './plain-form.ts';
import { endpointShape, endpointShown, eventShape, SECRET, type Style } from './shapes.ts';

export interface OperatorEvents {
  readonly ground: EventsGround;
  readonly changes: Changes;
  /** Without trailing slash. */
  readonly publicUrl: string;
  readonly ownerType: OwnerType;
  /** Of its operations in the description; the first part of their names. */
  readonly tag: string;
  readonly names: string;
  /** Below /operator: nothing, or `/projects/:login`. */
  readonly at: string;
  /** The parameter in it. */
  readonly named: Readonly<Record<string, TSchema>>;
  /** Whose it is; refuses where nobody is of that name. */
  desk(name: string): Promise<EndpointsDesk>;
}

const STYLE: Style = {
  name: (words) => words,
  created: 'created_at',
  updated: 'updated_at',
  time: Instant(),
  title: (noun) => `Operated${noun}`,
  nulls: true,
};

const Time = Type.Unsafe<string>({
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,3})?Z$',
  description: 'ISO 8601, UTC.',
});
const list = listShape(Time, 100);
const stream = streamShape(Time);
const endpoint = endpointShape(STYLE);
const newEndpoint = endpointShape({ ...STYLE, title: (noun) => `Operated${noun}` }, SECRET);

const timeOf = (name: string, text: string | undefined): Date | null => {
  if (text === undefined) return null;
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new Refusal('unfit', 'validation', 'Validation failed', [
      { path: [name], message: 'Not allowed', details: ['a moment that there is'] },
    ]);
  return at;
};

const TIMES = ['2027-01-14T06:00:00.000Z', '2027-01-14T09:00:00.000Z', '2027-01-14T09:30:00.000Z'] as const;

const shapesOf = (ownerType: OwnerType, named: OperatorEvents['named']): Form<Operator>['shapes'] => ({
  create: createShape,
  patch: patchShape,
  rotate: rotateShape,
  list,
  stream,
  ofAll: Object.keys(named).length === 0 ? null : Shape(named),
  ofOne: Shape({ ...named, id: Text({ max: 20 }) }),
  ofDelivery: Shape({ ...named, id: Text({ max: 20 }), delivery: Text({ max: 20 }) }),
  deliveries: deliveriesShape,
  replay: replayAskedShape(Time, 'OperatedWebhookReplay'),
  ofReplay: Shape({ ...named, id: Text({ max: 20 }), replay: Text({ max: 20 }) }),
  test: testShape,
  endpoint,
  newEndpoint,
  endpoints: listOf('webhooks', endpoint),
  event: eventShape(ownerType),
  events: listOf('events', eventShape(ownerType)),
  listed: LISTED,
  located: { headers: { Location: 'The endpoint' } },
  examples: {
    ...EXAMPLES,
    replay: { from: TIMES[0], to: TIMES[1], only: 'failed' },
    test: { type: 'webhook.updated' },
  },
});

/** What is the same whosever it is. */
const written = {
  ...listing,
  style: STYLE,
  timeOf: () => (moment) => moment.toISOString(),
  shownOne: (_name, body) => body,
  single: (_name, schema) => schema,
  one: (body) => body,
  many: (webhooks) => ({ webhooks }),
  event: (text) => text,
  momentOf: (_asking, name, given) => timeOf(name, given as string) as Date,
  replayExample: replayExample(STYLE, TIMES),
  unknownEvent: () => new Failure('not_found', { message: 'No such event' }),
  maySign: () => true,
} satisfies Partial<Form<Operator>>;

function formOf({
  ground,
  changes,
  publicUrl,
  ownerType,
  tag,
  names,
  at,
  named,
  desk,
}: OperatorEvents): Form<Operator> {
  const [parameter] = Object.keys(named);
  const nameIn = ({ params }: Pick<Asking<Operator>, 'params'>): string =>
    parameter === undefined ? '' : String((params as Record<string, string>)[parameter]);
  const below = (asking: Asking<Operator>): string =>
    `/operator${parameter === undefined ? at : at.replace(`:${parameter}`, encodeURIComponent(nameIn(asking)))}`;
  const shown = endpointShown(STYLE, {
    keyed: ground.keyed,
    outward: ground.permutation.outward,
    time: (moment) => moment.toISOString(),
  });
  const nobody: Form<Operator>['nobody'] =
    parameter === undefined ? {} : { 404: { description: 'Nobody of that name' } };
  return {
    ...plainForm,
    ...written,
    at,
    tag,
    operation: (name) => `${names}${name[0]?.toUpperCase()}${name.slice(1)}`,
    read: null,
    write: null,
    ownerType,
    shapes: shapesOf(ownerType, named),
    nobody,
    unknown: { 404: { description: 'Nobody of that name, or nothing under this id' } },
    full: { 409: { description: 'There are as many as there may be' } },
    wrong: { 422: { description: 'Wrong fields' } },
    desk: (asking) => desk(nameIn(asking)),
    change: (asking, { action, desk: whose, of }, work) =>
      changes.byCommands(
        asking,
        {
          owner: whose.owner === NOBODY ? null : whose.owner,
          action,
          target: `${nameIn(asking) || 'operator'}${of}`,
        },
        (committer) => work({ ...whose, committer }),
      ),
    shown: (_desk, one) => shown(one),
    locationOf: (asking, id) => `${publicUrl}${below(asking)}/webhooks/${id}`,
    asked({ query }) {
      const { type = null, resource, created_from, created_to, after, since, wait = 0, per_page = 100 } = query;
      return {
        types: type,
        resource: resource === undefined ? null : (ground.permutation.inward(resource) ?? 0n),
        from: timeOf('created_from', created_from),
        to: timeOf('created_to', created_to),
        after,
        since,
        waitMs: wait * 1000,
        limit: per_page,
      };
    },
    listed: (asking, page) => plainList(asking, { publicUrl, path: `${below(asking)}/events` }, page),
  };
}

export function operatorEventEndpoints(options: OperatorEvents): OperatorEndpoint[] {
  const form = formOf(options);
  return everyEndpoint(options.ground, form);
}

/** The operator's own. */
export const operatorDesk = (
  ground: EventsGround,
  { db, committer, events }: { readonly db: Db; readonly committer: Committer; readonly events: EventMaker },
): EndpointsDesk => ({
  db,
  committer,
  events,
  owner: NOBODY,
  ownerType: 'operator',
  show: endpointShown(STYLE, {
    keyed: ground.keyed,
    outward: ground.permutation.outward,
    time: (moment) => moment.toISOString(),
  }),
  begins: ground.begins,
  refresh: ground.refresh,
});
