// The client of the operator API: one request, as any other program would send it.
// Rule: what the server refuses is thrown with its problem details; what is no answer of this server is said so.
import { type Call, CliError, type Json, parsed, Refused } from './command.ts';

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

/** One answer with its header; for who keeps asking, nobody there is a value. */
export interface Asked {
  readonly answer: Json;
  readonly headers: Headers;
}

/** GET below /operator. null: nobody answers, or not now. */
export async function askedOf(
  { url, secret }: Connection,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Asked | null> {
  const base = url.replace(/\/+$/, '');
  let response: Response;
  let text: string;
  try {
    const headers = { authorization: `Bearer ${secret}` };
    response = await fetch(`${base}/operator${path}`, { headers, ...(signal ? { signal } : {}) });
    text = await response.text();
  } catch {
    return null;
  }
  if (response.status >= 500 || response.status === 429) return null;
  const answer = parsed(text);
  if (answer === null) throw new CliError(`${base} does not answer like a Florin server (status ${response.status}).`);
  if (!response.ok) throw new Refused(response.status, answer);
  return { answer, headers: response.headers };
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
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'no answer' : 'not reached';
  }
}
