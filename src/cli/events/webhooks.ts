// webhook, delivery: where events are sent, and what became of them on their way; of a project, a tenant or the operator.
// Rule: a secret is printed by what makes it, never again.
import { at, type CommandSpec, given, list, type Options } from '../command.ts';
import { whose } from './commands.ts';

const WHOSE = [
  ['--project <login>', "a project's"],
  ['--tenant <name>', "a tenant's; the operator's own, unless told"],
] as const;

const FIELDS = [
  ['--description <text>', 'what it is for'],
  ['--payload <word>', 'full, or thin: ids alone'],
  ['--signature <word>', 'hmac, ed25519 or both'],
  ['--concurrency <number>', 'messages under way at once, at most'],
] as const;

const fieldsOf = ({ url, types, description, payload, signature, concurrency }: Options) =>
  given({
    url,
    events: types === undefined ? undefined : list(types),
    description,
    payload,
    signature,
    concurrency: concurrency === undefined ? undefined : Number(concurrency),
  });

/** Not `--url`: that is the server's. */
const ADDRESS = ['--to <address>', 'https://shop.example/events'] as const;
const TYPES = ['--events <types>', 'types with commas between, order.*, *'] as const;
const named = ({ to, events, ...rest }: Options): Options => ({ ...rest, url: to, types: events });

export const webhookCommands: readonly CommandSpec[] = [
  {
    usage: 'webhook create',
    summary: 'make an endpoint that events are sent to, and show its secret, once',
    required: [ADDRESS, TYPES],
    options: [...FIELDS, ...WHOSE],
    run: (call, _names, options) => call('POST', `${whose(options)}/webhooks`, fieldsOf(named(options))),
  },
  {
    usage: 'webhook list',
    summary: 'list endpoints',
    options: WHOSE,
    run: (call, _names, options) => call('GET', `${whose(options)}/webhooks`),
    table: ['webhooks', 'id', 'url', 'description', 'events', 'enabled', 'disabled_reason'],
  },
  {
    usage: 'webhook update <id>',
    summary: 'change an endpoint, or disable and enable it',
    options: [
      ADDRESS,
      TYPES,
      ...FIELDS,
      ['--enabled <flag>', 'true or false'],
      ['--resume <word>', 'enabled again: missed, what it was not told meanwhile, or now'],
      ...WHOSE,
    ],
    run: (call, [id], options) =>
      call(
        'PATCH',
        whose(options) + at`/webhooks/${id}`,
        given({ ...fieldsOf(named(options)), enabled: options.enabled, resume: options.resume }),
      ),
  },
  {
    usage: 'webhook rotate <id>',
    summary: 'make a new key and show its secret, once; the old one signs beside it for the overlap',
    options: [['--overlap <duration>', '0 to 7d', '1d'], ...WHOSE],
    run: (call, [id], options) =>
      call('POST', whose(options) + at`/webhooks/${id}/rotate`, { overlap: options.overlap }),
  },
  {
    usage: 'webhook remove <id>',
    summary: 'remove an endpoint; what waits for it is never sent',
    options: WHOSE,
    run: (call, [id], options) => call('DELETE', whose(options) + at`/webhooks/${id}`),
  },
  {
    usage: 'delivery list <webhook>',
    summary: 'list what became of events on their way to an endpoint, the newest first',
    options: [['--state <word>', 'waiting, retrying, delivered, given_up or skipped'], ...WHOSE],
    run: (call, [id], options) =>
      call(
        'GET',
        whose(options) +
          at`/webhooks/${id}/deliveries` +
          (options.state === undefined ? '' : at`?state=${`${options.state}`}`),
      ),
    table: ['deliveries', 'event', 'type', 'state', 'trigger', 'tries', 'next_try_at'],
  },
  {
    usage: 'delivery show <webhook> <event>',
    summary: 'show one event on its way to an endpoint, with all its tries',
    options: WHOSE,
    run: (call, [id, event], options) => call('GET', whose(options) + at`/webhooks/${id}/deliveries/${event}`),
  },
  {
    usage: 'delivery resend <event>',
    summary: 'have an event sent again, to every endpoint that wants it',
    options: WHOSE,
    run: (call, [event], options) => call('POST', whose(options) + at`/events/${event}/resend`),
  },
];
