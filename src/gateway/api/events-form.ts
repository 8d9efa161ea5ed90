// Events and endpoints as merchants ask for them, and as operators do below a project's login.
// Rule: reading needs the right `read`; endpoints take data out of the house, so changing them needs one of their own.
import Type from 'typebox';
import { addMs, formatDateTime, parseDateTime } from '../../base/index.ts';
import {
  createShape,
  deliveriesShape,
  type EndpointsDesk,
  type EventMaker,
  type EventsForm,
  type EventsGround,
  EXAMPLES,
  endpointShape,
  endpointShown,
  eventShape,
  everyEndpoint,
  LISTED,
  listing,
  listShape,
  operatorEventEndpoints,
  patchShape,
  plainForm,
  plainList,
  replayAskedShape,
  replayExample,
  rotateShape,
  SECRET,
  type Style,
  streamShape,
  testShape,
} from '../../events/index.ts';
import {
  type AnyEndpoint,
  type Changes,
  DateTime,
  Failure,
  listOf,
  Matching,
  type OperatorEndpoint,
} from '../../http/index.ts';
import type { Committer, Db } from '../../store/index.ts';
import { type Credential, type Project, ProjectLogin, type Projects, projectRefusal } from '../projects/index.ts';

const time = Matching('^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$', {
  description: "UTC, or the project's time zone.",
});
const STYLE: Style = {
  name: (words) => words,
  created: 'created',
  updated: 'updated',
  time,
  title: (noun) => noun,
  nulls: true,
};

export interface ProjectEvents {
  readonly ground: EventsGround;
  readonly db: Db;
  readonly committer: Committer;
  readonly events: EventMaker;
  /** Without trailing slash. */
  readonly publicUrl: string;
}

/** The endpoints of a project, as its merchant is shown them. */
export const projectDesk = ({ ground, db, committer, events }: ProjectEvents, project: Project): EndpointsDesk => ({
  db,
  committer,
  events,
  owner: project.id,
  ownerType: 'project',
  show: endpointShown(STYLE, {
    keyed: ground.keyed,
    outward: ground.permutation.outward,
    time: (at) => formatDateTime(at, project.settings.time_zone),
  }),
  begins: ground.begins,
  refresh: ground.refresh,
});

const TIMES = ['2027-01-14 06:00:00', '2027-01-14 09:00:00', '2027-01-14 09:30:00'] as const;

/** One that can't be an id is as unknown as one that nobody has. */
const anyId = Type.String({ description: 'Digits' });
const one = endpointShape(STYLE);
const shapes: EventsForm<Credential>['shapes'] = {
  create: createShape,
  patch: patchShape,
  rotate: rotateShape,
  list: listShape(DateTime(), 100),
  stream: streamShape(DateTime()),
  ofAll: null,
  ofOne: Type.Object({ id: anyId }),
  ofDelivery: Type.Object({ id: anyId, delivery: anyId }),
  deliveries: deliveriesShape,
  replay: replayAskedShape(DateTime(), 'WebhookReplay'),
  ofReplay: Type.Object({ id: anyId, replay: anyId }),
  test: testShape,
  endpoint: listOf('webhooks', one),
  newEndpoint: listOf('webhooks', endpointShape(STYLE, SECRET)),
  endpoints: listOf('webhooks', one),
  event: listOf('events', eventShape('project')),
  events: listOf('events', eventShape('project')),
  listed: LISTED,
  located: { headers: { Location: 'The endpoint' } },
  examples: { ...EXAMPLES, replay: { from: TIMES[0], to: TIMES[1], only: 'failed' }, test: { type: 'order.charged' } },
};

const formOf = (options: ProjectEvents): EventsForm<Credential> => ({
  ...plainForm,
  at: '',
  tag: 'Events',
  operation: (name) => name,
  read: 'read',
  write: 'webhooks',
  ownerType: 'project',
  shapes,
  nobody: {},
  unknown: { 404: { description: 'Nothing of this project' } },
  full: { 409: { description: 'There are as many as there may be' } },
  wrong: { 422: { description: 'Wrong fields' } },
  desk: async ({ principal }) => projectDesk(options, principal.project),
  change: (_asking, { desk }, work) => work(desk),
  shown: (desk, endpoint) => desk.show(endpoint),
  ...listing,
  style: STYLE,
  timeOf:
    ({ principal: { project } }) =>
    (at) =>
      formatDateTime(at, project.settings.time_zone),
  // A period ends with its last second, as it does in lists.
  momentOf: ({ principal }, name, given) =>
    addMs(parseDateTime(given as string, principal.project.settings.time_zone) as Date, name === 'to' ? 999 : 0),
  replayExample: replayExample(STYLE, TIMES),
  shownOne: (name, shown) => ({ [name]: [shown] }),
  single: (name, schema) => listOf(name, schema),
  one: (shown) => ({ webhooks: [shown] }),
  many: (webhooks) => ({ webhooks }),
  locationOf: (_asking, id) => `${options.publicUrl}/gateway/webhooks/${id}`,
  asked({ principal, query }) {
    const { type = null, resource, created_from, created_to, after, since, wait = 0, per_page = 100 } = query;
    const zone = principal.project.settings.time_zone;
    const moment = (text: string | undefined): Date | null => (text === undefined ? null : parseDateTime(text, zone));
    const end = moment(created_to);
    return {
      types: type,
      resource: resource === undefined ? null : (options.ground.permutation.inward(resource) ?? 0n),
      from: moment(created_from),
      // A period ends with its last second, as it does in the list of orders.
      to: end && addMs(end, 999),
      after,
      since,
      waitMs: wait * 1000,
      limit: per_page,
    };
  },
  listed: (asking, page) => plainList(asking, { publicUrl: options.publicUrl, path: '/gateway/events' }, page),
  event: (text) => `{"events":[${text}]}`,
  unknownEvent: () => new Failure('not_found'),
  maySign: ({ rights }) => rights.includes('webhooks'),
});

export function merchantEventEndpoints(options: ProjectEvents): AnyEndpoint<Credential>[] {
  const form = formOf(options);
  return everyEndpoint(options.ground, form);
}

export const projectEventEndpoints = (
  options: ProjectEvents,
  { projects, changes }: { readonly projects: Pick<Projects, 'byLogin'>; readonly changes: Changes },
): OperatorEndpoint[] =>
  operatorEventEndpoints({
    ground: options.ground,
    changes,
    publicUrl: options.publicUrl,
    ownerType: 'project',
    tag: 'Events of projects',
    names: 'project',
    at: '/projects/:login',
    named: { login: ProjectLogin },
    async desk(login) {
      const project = await projects.byLogin(login);
      if (!project) throw projectRefusal('project_unknown');
      return projectDesk(options, project);
    },
  });
