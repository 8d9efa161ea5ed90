// Load over loopback: so many connections, each with one request under way, for so long; what came back and how long it took.
import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly connections: number;
  readonly seconds: number;
  /** Instead of the gateway's sandbox credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same for all, or made for each. */
  readonly body?: string | (() => string);
  /** One request each, in turn; ends when they are used up. */
  readonly paths?: readonly string[];
  /** The path of each request, made for it; ends with the time. */
  readonly path?: () => string;
  /** So many a second, however many could be answered; by default as many as are. */
  readonly perSecond?: number;
  /** So many requests, however long they take. */
  readonly amount?: number;
  /** Sees every body with status 2xx; false: the request failed all the same. */
  readonly answered?: (body: string) => boolean;
}

export interface Measured {
  readonly perSecond: number;
  /** null: not measured one by one. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly requests: number | null;
  readonly failed: number;
}

const HEADERS = {
  authorization: `Basic ${Buffer.from('sandbox:sandbox-secret').toString('base64')}`,
  'content-type': 'application/json',
};

export function load({ url, method, connections, seconds, headers, body, ...of }: Load): Promise<Measured> {
  const { path, answered } = of;
  const queue = of.paths && [...of.paths];
  const amount = queue?.length ?? of.amount;
  let refused = 0;
  const each = queue ? () => queue.pop() ?? '/gateway/ping' : path;
  const request: autocannon.Request = {
    method,
    ...(typeof body === 'string' ? { body } : {}),
    ...(each || typeof body === 'function'
      ? {
          setupRequest: (made) => ({
            ...made,
            ...(each ? { path: each() } : {}),
            ...(typeof body === 'function' ? { body: body() } : {}),
          }),
        }
      : {}),
    ...(answered
      ? {
          onResponse: (status, text) => {
            if (status >= 200 && status < 300 && !answered(text)) refused++;
          },
        }
      : {}),
  };
  const options: autocannon.Options = {
    url,
    method,
    // Where it looks whether it is done: by the second, a queue that took 1.1 would count as one that took 2.
    sampleInt: 100,
    // More than there are requests would be refused.
    connections: Math.min(connections, amount ?? connections),
    headers: headers ? { 'content-type': 'application/json', ...headers } : HEADERS,
    ...(typeof body === 'string' ? { body } : {}),
    ...(request.setupRequest || request.onResponse ? { requests: [request] } : {}),
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(of.perSecond === undefined ? {} : { overallRate: Math.round(of.perSecond) }),
  };
  return new Promise((resolve, reject) => {
    autocannon(options, (error, result) => {
      if (error) return reject(error as Error);
      resolve({
        perSecond: result.requests.total / result.duration,
        p50Ms: result.latency.p50,
        p99Ms: result.latency.p99,
        requests: result.requests.total,
        failed: result.non2xx + result.errors + result.timeouts + refused,
      });
    });
  });
}
