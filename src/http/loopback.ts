// The one request that the service makes to itself: a page as browsers get it, over a socket.
// Rule: nothing is followed and nothing waited for long; a page that doesn't come is an answer, too.

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
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = (await response.text()).slice(0, MOST_CHARACTERS);
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  } catch (error) {
    return { status: 0, headers: {}, text: error instanceof Error ? error.message : 'no answer' };
  }
}
