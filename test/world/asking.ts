// HTTP as merchants, cardholders and operators speak it, over a server that may die, hang or be cut off at any moment.
// Rule: what became of a request is told truly: an answer, none, or that it can't have arrived.
import type { Journal } from './journal.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
  readonly url: string;
  /** The step that it ended. */
  readonly step: number;
  readonly ms: number;
}

/** `none`: it may have arrived, and nobody answered. `unsent`: nobody was there to take it. */
export type Asked = Answer | { readonly status: 'none' | 'unsent'; readonly step: number; readonly ms: number };

export const isAnswer = (asked: Asked): asked is Answer => typeof asked.status === 'number';

export interface Question {
  readonly who: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the journal calls it. */
  readonly says?: string;
  /** Asked before with the same key: a failure that was kept is no news. */
  readonly repeats?: boolean;
  /** It isn't there for who asks. */
  readonly absent?: boolean;
  readonly form?: Readonly<Record<string, string>>;
}

export interface Asker {
  /** One try at one server. */
  ask(question: Question): Promise<Asked>;
  /** For what changes nothing: again and again until there is an answer below 500, or null when the time is over. */
  read(question: Question, forMs?: number): Promise<Answer | null>;
  /** Requests by class of answer. */
  readonly tally: ReadonlyMap<string, number>;
}

/** The contract's thirty seconds, and something for a machine with other work. */
const PATIENCE_MS = 45_000;
/** So long one waits for a server to come up before trying in vain. */
const DOWN_MS = 8000;

const UNSENT = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);

export interface AskerOptions {
  readonly journal: Journal;
  /** Addresses of the servers that take requests at the moment. */
  readonly urls: () => readonly string[];
  readonly pick: (n: number) => number;
  /** Hears of everything that was asked. */
  readonly onAsked?: (question: Question, asked: Asked) => void;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export function createAsker({ journal, urls, pick, onAsked = () => undefined }: AskerOptions): Asker {
  const tally = new Map<string, number>();
  const count = (name: string): void => void tally.set(name, (tally.get(name) ?? 0) + 1);

  async function once(question: Question): Promise<Asked> {
    const { who, method, path, body, headers = {}, form, says = `${method} ${path}` } = question;
    for (let waited = 0; urls().length === 0 && waited < DOWN_MS; waited += 50) await pause(50);
    const step = journal.begin();
    const servers = urls();
    const base = servers[pick(servers.length)];
    const started = performance.now();
    const took = (): number => performance.now() - started;
    if (base === undefined) return { status: 'unsent', step, ms: 0 };
    const tell = (what: string): void => {
      count(what.slice(0, 3) === 'no ' ? 'no answer' : what === 'unsent' ? what : what.slice(0, 3));
      journal.end(step, who, `${says} → ${what} (${Math.round(took())} ms)`);
    };
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(PATIENCE_MS),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      });
      const text = await response.text();
      const json = response.headers.get('content-type')?.includes('json') && text !== '';
      const read = json ? JSON.parse(text) : null;
      tell(
        `${response.status}${read?.failure_type ? ` ${read.failure_type}: ${read.failure_message}` : ''}${read?.errorCode ? ` ${read.errorCode}` : ''}`,
      );
      const { status, url } = response;
      return { status, headers: response.headers, text, url, body: read, step, ms: took() };
    } catch (error) {
      const code = ((error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name) || 'gone';
      const status = UNSENT.has(code) ? 'unsent' : 'none';
      tell(status === 'unsent' ? 'unsent' : `no answer (${code})`);
      if (status === 'unsent') await pause(50);
      return { status, step, ms: took() };
    }
  }

  const ask = async (question: Question): Promise<Asked> => {
    const asked = await once(question);
    onAsked(question, asked);
    return asked;
  };
  return {
    tally,
    ask,
    async read(question, forMs = 90_000) {
      const until = performance.now() + forMs;
      for (;;) {
        const asked = await ask(question);
        if (isAnswer(asked) && asked.status < 500) return asked;
        if (performance.now() > until) return null;
        await pause(100);
      }
    },
  };
}
