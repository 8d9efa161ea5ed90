// The inbox of a sandbox: keeps what arrives, says whether a receiver should believe it, and answers as its script says.
// Rule: it stands in the database, so that any process receives and shows; the script is used up in the order of arrival.
import { isUtf8 } from 'node:buffer';
import { type Clock, maskPansIn } from '../base/index.ts';
import type { Database } from '../store/index.ts';
import {
  type Bounds,
  inboxEmpty,
  messageAdd,
  messagesOf,
  messagesTrim,
  scriptLocked,
  scriptOf,
  scriptPut,
} from './inbox-queries.ts';

/** How a message is answered. At most one of hang, reset, redirect and huge. */
export interface ScriptedAnswer {
  /** 200 unless told; 302 of a redirect. */
  readonly status?: number | undefined;
  /** Before the answer. */
  readonly delay_ms?: number | undefined;
  /** No answer; the connection is cut in the end. */
  readonly hang?: boolean | undefined;
  /** The connection is cut at once. */
  readonly reset?: boolean | undefined;
  /** The address that the answer leads to. */
  readonly redirect?: string | undefined;
  /** Far more of a body than anybody should read. */
  readonly huge?: boolean | undefined;
}

export interface Script {
  readonly next: readonly ScriptedAnswer[];
  readonly default: ScriptedAnswer;
}

export const NO_SCRIPT: Script = { next: [], default: { status: 200 } };

/** Those that say what becomes of the answer as a whole: at most one stands. */
const ENDS = ['hang', 'reset', 'redirect', 'huge'] as const;

/** The name of what contradicts another in it; null: nothing does. */
export function contradiction(answer: ScriptedAnswer): keyof ScriptedAnswer | null {
  const ends = ENDS.filter((name) => answer[name]);
  if (ends.length > 1) return ends[1] ?? null;
  const { status } = answer;
  if (status !== undefined && (answer.hang || answer.reset)) return 'status';
  if (answer.delay_ms !== undefined && answer.hang) return 'delay_ms';
  return status !== undefined && answer.redirect !== undefined && (status < 300 || status > 399) ? 'status' : null;
}

export interface Arriving {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Port: what a receiver who knows the endpoint's key thinks of it. */
export type Judge = (
  arrival: Arriving & { readonly path: string },
) => Promise<{ readonly problem: string | null; readonly webhook: string | null }>;

/** A message as it is kept and shown. */
export interface InboxMessage {
  readonly at: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Card numbers masked, unless it is one of ours: those hold none, but ids that look like some. */
  readonly body: string;
  readonly body_encoding: 'utf8' | 'base64';
  readonly bytes: number;
  readonly valid: boolean;
  readonly problem: string | null;
  readonly webhook_id: string | null;
  readonly answer: ScriptedAnswer;
}

export interface Inbox {
  /** Keeps it; how it is to be answered. */
  receive(name: string, arriving: Arriving, busy: () => boolean): Promise<ScriptedAnswer>;
  show(
    name: string,
  ): Promise<{ readonly script: Script; readonly messages: readonly (InboxMessage & { id: string })[] }>;
  /** False: too many inboxes have one. */
  setScript(name: string, script: Script): Promise<boolean>;
  /** Its script goes, too. */
  empty(name: string): Promise<void>;
}

const MOST_SCRIPTS = 100;
const OF_ONE: Bounds = { messages: 100, bytes: 2 * 1024 * 1024 };
const OF_ALL: Bounds = { messages: 1_000, bytes: 16 * 1024 * 1024 };

export interface InboxOptions {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly judge: Judge;
  /** The real one. */
  readonly time: Clock;
  /** The path before a name. */
  readonly prefix: string;
  readonly bounds?: { readonly one: Bounds; readonly all: Bounds };
}

export function createInbox({ database, judge, time, prefix, bounds }: InboxOptions): Inbox {
  const { one, all } = bounds ?? { one: OF_ONE, all: OF_ALL };
  return {
    async receive(name, arriving, busy) {
      const { problem, webhook } = await judge({ ...arriving, path: prefix + name });
      const shown = shownOf(arriving, problem === null ? (text) => text : maskPansIn);
      const at = time.now().toISOString();
      const answer = await database.transaction(async (inside) => {
        const script = scriptFrom(await scriptLocked(inside, name));
        const [first, ...rest] = script.next;
        const given = first ?? script.default;
        const waits = given.hang || given.delay_ms !== undefined;
        // What can't be given is not used up.
        const answer = waits && busy() ? { status: 503 } : given;
        if (first && answer === first)
          await scriptPut(inside, { name, script: { ...script, next: rest }, at: time.now(), most: MOST_SCRIPTS });
        const message: InboxMessage = { at, ...shown, valid: problem === null, problem, webhook_id: webhook, answer };
        await messageAdd(inside, name, message);
        return answer;
      });
      await messagesTrim(database, name, one);
      await messagesTrim(database, null, all);
      return answer;
    },
    async show(name) {
      const rows = await messagesOf(database, name);
      return {
        script: scriptFrom(await scriptOf(database, name)),
        messages: rows.map(({ id, message }) => ({ id: id.toString(), ...(message as InboxMessage) })),
      };
    },
    setScript: (name, script) => scriptPut(database, { name, script, at: time.now(), most: MOST_SCRIPTS }),
    empty: (name) => database.transaction((inside) => inboxEmpty(inside, name)),
  };
}

const scriptFrom = (kept: unknown): Script => (kept as Script | null) ?? NO_SCRIPT;

/** Whoever sends such a field here shows it to nobody who looks. */
const SECRETS: ReadonlySet<string> = new Set(['authorization', 'authorization-key', 'cookie', 'x-secret']);

function shownOf(
  { headers, body }: Arriving,
  masked: (text: string) => string,
): Pick<InboxMessage, 'headers' | 'body' | 'body_encoding' | 'bytes'> {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, SECRETS.has(name) ? '(hidden)' : masked([value].flat().join(', '))] as const],
  );
  const isText = isUtf8(body);
  return {
    headers: Object.fromEntries(fields),
    body: isText ? masked(body.toString('utf8')) : body.toString('base64'),
    body_encoding: isText ? 'utf8' : 'base64',
    bytes: body.length,
  };
}
