// A receiver of webhooks in a process of its own: it takes everything at once, or hangs, and says what came. Rule: it does nothing else, since
// it takes its time from the same machine.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What came since it was asked last. */
export interface Came {
  readonly count: number;
  /** From the event's timestamp to its arrival, of the slowest hundredth, milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const TIMESTAMP = '"timestamp":"';
let delays: number[] = [];

/** The envelope begins with it; the rest is not parsed. */
function delayOf(text: string): number {
  const from = text.indexOf(TIMESTAMP) + TIMESTAMP.length;
  return Date.now() - Date.parse(text.slice(from, text.indexOf('"', from)));
}

const server = createServer((request, response) => {
  // Below /hang nobody answers.
  if (request.url?.startsWith('/hang')) return void request.resume();
  let text = '';
  request.setEncoding('latin1');
  request.on('data', (part: string) => {
    if (text.length < 1_000) text += part;
  });
  request.once('end', () => {
    delays.push(delayOf(text));
    response.writeHead(204).end();
  });
});

process.on('message', (asked) => {
  if (asked === 'end') process.exit(0);
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  if (asked === 'reset') delays = [];
  process.send?.({ count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) } satisfies Came);
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
