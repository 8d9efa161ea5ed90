// Events and endpoints as a tenant's server asks for them, and as operators do below the tenant's name.
// Rule: what opens them is a secret of its own kind: no cardholder and no app reads a tenant.
import Type from 'typebox';
import type { Refusal } from '../../base/index.ts';
import {
  DELIVERY_STATES,
  type EndpointsDesk,
  type EventsForm,
  type EventsGround,
  endpointShape,
  endpointShown,
  eventShape,
  everyEndpoint,
  operatorEventEndpoints,
  replayExample,
  SECRET,
  type Style,
} from '../../events/index.ts';
import {
  type AnyEndpoint,
  type Changes,
  Failure,
  listParts,
  type OperatorEndpoint,
  Shape,
  Text,
} from '../../http/index.ts';
import {
  choice,
  dateOf,
  digits,
  type FieldErrorCode,
  failureOfFields,
  failures,
  flag,
  integer,
  list,
  pathId,
  queryInteger,
  refuse,
  shape,
  text,
} from '../fields/index.ts';
import { conflict, type IssuingDeps, milliseconds } from '../requests/index.ts';
import type { Tenant } from '../tenants/index.ts';

const DAY_MS = 86_400_000;
/** The last moment of the year 9999. */
const LAST_MS = 253_402_300_799_999;
const TIMES = [1_799_906_400_000, 1_799_917_200_000, 1_799_919_000_000] as const;

const STYLE: Style = {
  name: (words) => words.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  created: 'creationTimestamp',
  updated: 'updateTimestamp',
  time: milliseconds,
  title: (noun) => `Tenant${noun}`,
  nulls: false,
};

export type TenantEvents = Pick<IssuingDeps, 'db' | 'committer' | 'events' | 'publicUrl'> & {
  readonly ground: EventsGround;
};

/** The endpoints of a tenant, as its server is shown them. */
export const tenantDesk = (
  { ground, db, committer, events }: TenantEvents,
  tenant: Pick<Tenant, 'id'>,
): EndpointsDesk => ({
  db,
  committer,
  events,
  owner: tenant.id,
  ownerType: 'tenant',
  show: endpointShown(STYLE, {
    keyed: ground.keyed,
    outward: ground.permutation.outward,
    time: (at) => at.getTime(),
  }),
  begins: ground.begins,
  refresh: ground.refresh,
});

const name = text({ required: true, max: 64, exact: true });
const more = {
  description: text({ max: 255 }),
  enabled: flag({}),
  payload: choice(['full', 'thin'], { description: 'thin: ids alone.' }),
  signature: choice(['hmac', 'ed25519', 'both'], {}),
  concurrency: integer({ min: 1, max: 64, description: 'Messages under way at once, at most; 8.' }),
  ordered: flag({ description: 'What failed holds the next of its resource.' }),
};
const address = {
  max: 2048,
  exact: true,
  description: 'https, on port 443 or from 1024; at an address that is public.',
};
const types = { max: 200, description: 'Types, `card.*`, `*`.' };

const count = Type.Integer({ minimum: 0, description: 'On this page.' });
const cursor = Type.String();
const one = endpointShape(STYLE);

const shapes: EventsForm<Tenant>['shapes'] = {
  create: shape(
    { url: text({ ...address, required: true }), events: list(name, { ...types, required: true }), ...more },
    { title: 'TenantWebhookCreate' },
  ),
  patch: shape(
    {
      url: text(address),
      events: list(name, types),
      ...more,
      resume: choice(['missed', 'now'], { description: 'What it goes on with when it is enabled again.' }),
    },
    { title: 'TenantWebhookPatch' },
  ),
  rotate: shape(
    { overlap: integer({ min: 0, max: 7 * DAY_MS, description: 'Milliseconds; a day unless told.' }) },
    { title: 'TenantWebhookRotate' },
  ),
  list: shape({
    type: text({ max: 8192, exact: true, description: 'Types, `card.*`, `*`, separated by commas.' }),
    resource: digits({ description: 'Id of what they are about.' }),
    createdFrom: queryInteger({ min: 0, description: 'Milliseconds.' }),
    createdTo: queryInteger({ min: 0, description: 'Milliseconds.' }),
    since: text({ max: 400, exact: true, description: 'A place: what came behind it, the oldest first.' }),
    wait: queryInteger({ min: 0, max: 25, description: 'Seconds, with since: so long for the first.' }),
    after: text({ max: 400, exact: true, description: 'The next page, as the one before it told.' }),
    limit: queryInteger({ min: 1, max: 100, description: '100 unless told.' }),
  }),
  stream: shape({
    type: text({ max: 8192, exact: true, description: 'Types, `card.*`, `*`, separated by commas.' }),
    resource: digits({ description: 'Id of what they are about.' }),
    since: text({
      max: 400,
      exact: true,
      description: 'A place to go on from; the field Last-Event-ID goes before it.',
    }),
    createdFrom: queryInteger({ min: 0, description: 'Milliseconds.' }),
    signed: choice(['0', '1'], { description: 'With the header fields of a webhook beside each event.' }),
  }),
  ofAll: null,
  ofOne: shape({ id: pathId('Id of the endpoint or event') }),
  ofDelivery: shape({ id: pathId('Id of the endpoint'), delivery: pathId('Id of the event') }),
  deliveries: shape({
    state: choice(DELIVERY_STATES, {}),
    after: digits({ description: 'The event that the page before ended with.' }),
    limit: queryInteger({ min: 1, max: 100, description: '100 unless told.' }),
  }),
  replay: shape(
    {
      from: integer({ required: true, min: 0, max: LAST_MS, description: 'Milliseconds.' }),
      to: integer({ min: 0, max: LAST_MS, description: 'Milliseconds; now unless told.' }),
      types: list(name, types),
      only: choice(['failed', 'all'], { description: 'failed: what did not arrive; unless told.' }),
    },
    { title: 'TenantWebhookReplay' },
  ),
  ofReplay: shape({ id: pathId('Id of the endpoint'), replay: pathId('Id of the replay') }),
  test: shape({ type: text({ max: 64, required: true, exact: true }) }, { title: 'TenantWebhookTest' }),
  endpoint: one,
  newEndpoint: endpointShape(STYLE, SECRET),
  endpoints: Shape({ webhooks: Type.Array(one), responseCount: count }),
  event: eventShape('tenant'),
  events: Shape({
    events: Type.Array(eventShape('tenant')),
    responseCount: count,
    since: Type.Optional(cursor),
    after: Type.Optional(cursor),
  }),
  listed: {},
  located: {},
  examples: {
    create: { url: 'https://bank.example/events', events: ['card.*', 'authorization.approved'] },
    rotate: { overlap: 3_600_000 },
    replay: { from: TIMES[0], to: TIMES[1], only: 'failed' },
    test: { type: 'card.created' },
  },
};

const CODES: Readonly<Record<'empty' | 'unknown' | 'twice' | 'address' | 'range', FieldErrorCode>> = {
  empty: 'SIZE',
  unknown: 'NOT_IN',
  twice: 'NOT_IN',
  address: 'NOT_IN',
  range: 'RANGE',
};

const refusedBy: EventsForm<Tenant>['bad'] = (faults) =>
  failureOfFields(faults.map(({ path, fault }) => ({ path, error: CODES[fault] })));

const formOf = (options: TenantEvents): EventsForm<Tenant> => ({
  at: '',
  tag: 'Events',
  operation: (operation) => `tenant${operation[0]?.toUpperCase()}${operation.slice(1)}`,
  read: null,
  write: null,
  ownerType: 'tenant',
  shapes,
  nobody: {},
  unknown: { 404: { description: 'Nothing of this tenant' } },
  full: conflict('WEBHOOKS_LIMIT_EXCEEDED'),
  wrong: {},
  desk: async ({ principal }) => tenantDesk(options, principal),
  change: (_asking, { desk }, work) => work(desk),
  shown: (desk, endpoint) => desk.show(endpoint),
  style: STYLE,
  timeOf: () => (at) => at.getTime(),
  list: (named, shown) => ({ [named]: shown, responseCount: shown.length }),
  shownOne: (_named, shown) => shown,
  listOf: (named, schema) => Shape({ [named]: Type.Array(schema), responseCount: count }),
  single: (_named, schema) => schema,
  one: (shown) => shown,
  many: (webhooks) => ({ webhooks, responseCount: webhooks.length }),
  locationOf: () => null,
  refused: refusedBy,
  overlapMs: ({ overlap = DAY_MS }) => overlap as number,
  bad: refusedBy,
  momentOf: (_asking, _name, given) => new Date(given as number),
  replayExample: replayExample(STYLE, TIMES),
  badCursor: (field) => failureOfFields([{ path: [field], error: 'NOT_IN' }]),
  badTypes: () => failureOfFields([{ path: ['type'], error: 'NOT_IN' }]),
  asked({ query }) {
    const { type, resource, createdFrom, createdTo, after, since, wait = 0, limit = 100 } = query;
    return {
      types: type === undefined ? null : listParts(type),
      resource: resource === undefined ? null : (options.ground.permutation.inward(resource) ?? 0n),
      from: dateOf(createdFrom),
      to: dateOf(createdTo),
      after,
      since,
      waitMs: wait * 1000,
      limit,
    };
  },
  listed(_asking, { rows, since, next }) {
    const rest = { responseCount: rows.length, ...(since ? { since } : {}), ...(next ? { after: next } : {}) };
    return { status: 200, body: `{"events":[${rows.join()}],${JSON.stringify(rest).slice(1)}` };
  },
  event: (told) => told,
  unknownEvent: () => refuse('RESOURCE_NOT_FOUND'),
  maySign: () => true,
});

export function tenantEventEndpoints(options: TenantEvents): AnyEndpoint<Tenant>[] {
  const form = formOf(options);
  return everyEndpoint(options.ground, form);
}

/** What the room of events refuses, in this API's codes. */
const REFUSED = { webhooks_full: 'WEBHOOKS_LIMIT_EXCEEDED', webhook_unknown: 'RESOURCE_NOT_FOUND' } as const;

export function eventsFailure({ kind, code, message }: Refusal): Failure {
  const known = code in REFUSED ? REFUSED[code as keyof typeof REFUSED] : null;
  return new Failure(kind, known ? { code: known, message: failures[known][1] } : { code, message });
}

export const operatedTenantEvents = (
  options: TenantEvents,
  { changes, tenants }: { readonly changes: Changes; readonly tenants: { all(): Promise<readonly Tenant[]> } },
): OperatorEndpoint[] =>
  operatorEventEndpoints({
    ground: options.ground,
    changes,
    publicUrl: options.publicUrl,
    ownerType: 'tenant',
    tag: 'Events of tenants',
    names: 'operatedTenant',
    at: '/tenants/:tenant',
    named: { tenant: Text({ max: 64, description: 'Name of the tenant.' }) },
    async desk(named) {
      const tenant = (await tenants.all()).find((found) => found.name === named);
      if (!tenant) throw new Failure('not_found', { message: 'No such tenant' });
      return tenantDesk(options, tenant);
    },
  });
