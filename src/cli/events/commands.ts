// listen, events: what happens, on a terminal and at an address on the developer's machine.
// Rule: "ready" is said when the server has answered, and not before.
import { createHmac } from 'node:crypto';
import { addMs, parseDuration, systemClock } from '../../base/index.ts';
import { type Connection, postTo } from '../client.ts';
import { at, CliError, type CommandSpec, list, type Options } from '../command.ts';
import { type Following, follow, type ToldEvent } from './follow.ts';

/** A command that goes on until it is stopped, and prints as it goes. */
export interface LiveSpec extends Pick<CommandSpec, 'usage' | 'summary' | 'options' | 'required'> {
  readonly live: (
    to: Connection,
    options: Options,
    write: (text: string) => void,
    signal?: AbortSignal,
  ) => Promise<void>;
}

const WHOSE = [
  ['--project <login>', "a project's events"],
  ['--tenant <name>', "a tenant's events"],
  ['--events <types>', 'types with commas between, order.*, card.created; all unless told'],
  ['--since <time>', 'begin with what was told so long ago, 10m, 1h'],
] as const;

/** Below /operator; nothing: the operator's own. */
function whose({ project, tenant }: Options): string {
  if (project !== undefined && tenant !== undefined) throw new CliError('Either --project or --tenant.');
  if (project !== undefined) return at`/projects/${`${project}`}`;
  return tenant === undefined ? '' : at`/tenants/${`${tenant}`}`;
}

function followingOf(options: Options, signal: AbortSignal | undefined): Following {
  const back = options.since === undefined ? null : parseDuration(`${options.since}`);
  if (options.since !== undefined && back === null) throw new CliError(`Not a time like 10m or 1h: ${options.since}`);
  return {
    at: whose(options),
    types: options.events === undefined ? [] : list(options.events),
    from: back === null ? null : addMs(systemClock.now(), -back),
    ...(signal ? { signal } : {}),
  };
}

const lineOf = ({ timestamp, type, resource }: ToldEvent): string =>
  `${timestamp.slice(11, 19)}  ${type.padEnd(28)} ${resource.type} ${resource.id} #${resource.sequence}`;

export const eventsTail: LiveSpec = {
  usage: 'events tail',
  summary: 'print events as they come',
  options: WHOSE,
  live: (to, options, write, signal) =>
    follow(to, followingOf(options, signal), {
      ready: () => write('ready\n'),
      lost: () => write('the server is away; waiting for it\n'),
      event: async (event) => write(options.json ? `${event.text}\n` : `${lineOf(event)}\n`),
    }),
};

/** The same for the same server and owner, so that a receiver keeps it in its settings. */
const secretOf = ({ secret }: Connection, owner: string): Buffer =>
  createHmac('sha256', secret).update(`florin listen ${owner}`).digest();

/** Sends one event on; what is printed of it. Signed after Standard Webhooks 1.0.0, as an endpoint would get it. */
async function forward(url: string, key: Buffer, event: ToldEvent): Promise<string> {
  const timestamp = Math.floor(systemClock.now().getTime() / 1000).toString();
  const signature = createHmac('sha256', key).update(`${event.id}.${timestamp}.${event.text}`).digest('base64');
  const started = systemClock.elapsed();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'florin-trigger': 'listen',
  };
  const answer = await postTo(url, headers, event.text);
  return `${answer}  ${Math.round(systemClock.elapsed() - started)} ms`;
}

export const listen: LiveSpec = {
  usage: 'listen',
  summary: 'send events on to an address on this machine, as they come',
  required: [['--forward-to <url>', 'http://localhost:3000/hooks']],
  options: WHOSE,
  async live(to, options, write, signal) {
    const url = `${options.forwardTo}`;
    if (!URL.canParse(url) || !/^https?:/.test(url)) throw new CliError(`Not an address: ${url}`);
    const key = secretOf(to, whose(options));
    write(`secret  whsec_${key.toString('base64')}\n`);
    await follow(to, followingOf(options, signal), {
      ready: () => write(`ready   ${url}\n`),
      lost: () => write('the server is away; waiting for it\n'),
      event: async (event) => write(`${lineOf(event)}  ${await forward(url, key, event)}\n`),
    });
  },
};

export const liveCommands: readonly LiveSpec[] = [eventsTail, listen];
