// The client of the operator API: one request, as any other program would send it.
// Rule: what the server refuses is thrown with its problem details; what is no answer of this server is said so.
import { systemClock } from '../base/index.ts';
import { type Call, CliError, parsed, Refused } from './command.ts';

/** Where a server answers, and what opens its operator API. */
export interface Connection {
  readonly url: string;
  readonly secret: string;
}

/** Calls of the server's operator API; paths are below /operator. */
export function callsOf({ url, secret }: Connection): Call {
  const base = url.replace(/\/+$/, '');
  const authorization = `Bearer ${secret}`;
  return async (method, where, body) => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${base}/operator${where}`, {
        method,
        headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      text = await response.text();
    } catch {
      throw new CliError(`No server answers at ${base}: start one with "florin serve", or name another with --url.`);
    }
    if (response.ok && text === '') return {};
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html')) return { html: text };
    const answer = parsed(text);
    if (answer === null)
      throw new CliError(`${base} does not answer like a Florin server (status ${response.status}).`);
    if (!response.ok) throw new Refused(response.status, answer);
    return answer;
  };
}

/** A stream of the server says something every 15 seconds; one that doesn't is dead. */
const SILENCE_MS = 45_000;

/** The text of a stream below /operator, as it comes. null: nobody answers, or not now. */
export async function streamOf(
  { url, secret }: Connection,
  path: string,
  { place, signal }: { readonly place: string | null; readonly signal?: AbortSignal | undefined },
): Promise<AsyncGenerator<string> | null> {
  const base = url.replace(/\/+$/, '');
  const ending = new AbortController();
  const end = (): void => ending.abort(new Error('the end'));
  signal?.addEventListener('abort', end, { once: true });
  let response: Response;
  try {
    const headers = { authorization: `Bearer ${secret}`, accept: 'text/event-stream, application/problem+json' };
    const at = place === null ? {} : { 'last-event-id': place };
    response = await fetch(`${base}/operator${path}`, { headers: { ...headers, ...at }, signal: ending.signal });
  } catch {
    return null;
  }
  if (response.status >= 500 || response.status === 429) return null;
  if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream'))
    return textsOf(response, end);
  const answer = parsed(await response.text());
  if (answer === null || response.ok)
    throw new CliError(`${base} does not answer like a Florin server (status ${response.status}).`);
  throw new Refused(response.status, answer);
}

/** Ends with the connection, or when nothing comes any more. */
async function* textsOf({ body }: Response, end: () => void): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const heard = new AbortController();
      systemClock.sleep(SILENCE_MS, heard.signal).then(end, () => undefined);
      const read = await reader?.read().catch(() => undefined);
      heard.abort(new Error('heard'));
      if (!read || read.done) return;
      yield read.value;
    }
  } finally {
    end();
  }
}

const FORWARD_MS = 15_000;

/** POST to an address of whoever asks for it; the status, or why there is none. */
export async function postTo(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number | 'no answer' | 'not reached'> {
  try {
    const signal = AbortSignal.timeout(FORWARD_MS);
    const response = await fetch(url, { method: 'POST', redirect: 'manual', signal, headers, body });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'no answer' : 'not reached';
  }
}
