// The client of the operator API: one request, as any other program would send it.
// Rule: what the server refuses is thrown with its problem details; what is no answer of this server is said so.
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
