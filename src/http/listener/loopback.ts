// The one request that the service makes to itself: a page as browsers get it, over a socket.
// Rule: nothing is followed and nothing waited for long; a page that doesn't come is an answer, too.
import { get } from 'node:https';

export interface Served {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const TIMEOUT_MS = 10_000;
const MOST_CHARACTERS = 512 * 1024;

/** Status 0: nothing came, and `text` says why. */
export async function fetchOwn(url: string): Promise<Served> {
  try {
    if (url.startsWith('https:')) return await fetchTls(url);
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = (await response.text()).slice(0, MOST_CHARACTERS);
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  } catch (error) {
    return { status: 0, headers: {}, text: error instanceof Error ? error.message : 'no answer' };
  }
}

/** The certificate is of the public name, and nobody stands between a process and itself: it isn't asked for. */
const fetchTls = (url: string): Promise<Served> =>
  new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, agent: false as const, signal: AbortSignal.timeout(TIMEOUT_MS) };
    const asked = get(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        if (text.length < MOST_CHARACTERS) text += part;
      });
      answer.once('error', reject).once('end', () => {
        const headers = Object.entries(answer.headers).map(
          ([name, value]) => [name, [value].flat().join(', ')] as const,
        );
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(headers),
          text: text.slice(0, MOST_CHARACTERS),
        });
      });
    });
    asked.once('error', reject);
  });
