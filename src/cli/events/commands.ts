// listen, events: what happens, on a terminal and at an address on the developer's machine.
// Rule: "ready" is said when the server has answered, and not before. How far events were answered is kept on this machine, by server, owner
// and address: who is killed is sent again at most the one that was on its way.
import { createHash, createHmac } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import { addMs, parseDuration, systemClock } from '../../base/index.ts';
import { type Connection, postTo } from '../client.ts';
import { at, CliError, type CommandSpec, list, type Options } from '../command.ts';
import { keptText, textKeep } from '../files.ts';
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
export function whose({ project, tenant }: Options): string {
  if (project !== undefined && tenant !== undefined) throw new CliError('Either --project or --tenant.');
  if (project !== undefined) return at`/projects/${`${project}`}`;
  return tenant === undefined ? '' : at`/tenants/${`${tenant}`}`;
}

function followingOf(options: Options, signal: AbortSignal | undefined): Omit<Following, 'place' | 'signed'> {
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
    follow(
      to,
      { ...followingOf(options, signal), place: null, signed: false },
      {
        ready: async () => write('ready\n'),
        lost: () => write('the server is away; waiting for it\n'),
        secret: () => undefined,
        unknownPlace: () => undefined,
        event: async (event) => write(options.json ? `${event.text}\n` : `${lineOf(event)}\n`),
      },
    ),
};

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
  options: [...WHOSE, ['--state <folder>', 'where it keeps how far it came; ~/.florin/listen unless told']],
  async live(to, options, write, signal) {
    const url = `${options.forwardTo}`;
    if (!URL.canParse(url) || !/^https?:/.test(url)) throw new CliError(`Not an address: ${url}`);
    const folder = options.state === undefined ? path.join(homedir(), '.florin', 'listen') : `${options.state}`;
    const following = followingOf(options, signal);
    const name = createHash('sha256').update([to.url, following.at, url].join('\n')).digest('hex').slice(0, 32);
    const kept = following.from ? null : await keptText(folder, name);
    let key: string | null = null;
    await follow(
      to,
      { ...following, place: kept, signed: true },
      {
        async ready(place) {
          await textKeep(folder, name, place);
          write(`ready   ${url}\n`);
        },
        lost: () => write('the server is away; waiting for it\n'),
        unknownPlace: () => write('what was heard last was told by another server: from now on\n'),
        secret(text) {
          if (key !== text) write(`secret  ${text}\n`);
          key = text;
        },
        async event(event, place) {
          const bytes = Buffer.from((key ?? '').replace('whsec_', ''), 'base64');
          write(`${lineOf(event)}  ${await forward(url, bytes, event)}\n`);
          await textKeep(folder, name, place);
        },
      },
    );
  },
};

export const liveCommands: readonly LiveSpec[] = [eventsTail, listen];
