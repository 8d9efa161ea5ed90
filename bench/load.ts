// Load over loopback: so many connections, each with one request under way, for so long; what came back and how long it took.
import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly connections: number;
  readonly seconds: number;
  readonly body?: string;
  /** One request each, in turn; ends when they are used up. */
  readonly paths?: readonly string[];
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requests: number;
  readonly failed: number;
}

const HEADERS = {
  authorization: `Basic ${Buffer.from('sandbox:sandbox-secret').toString('base64')}`,
  'content-type': 'application/json',
};

export function load({ url, method, connections, seconds, body, paths }: Load): Promise<Measured> {
  const queue = paths && [...paths];
  const options: autocannon.Options = {
    url,
    method,
    connections,
    headers: HEADERS,
    ...(body === undefined ? {} : { body }),
    ...(queue
      ? {
          amount: queue.length,
          requests: [
            {
              method,
              ...(body === undefined ? {} : { body }),
              setupRequest: (request) => ({ ...request, path: queue.pop() ?? '/gateway/ping' }),
            },
          ],
        }
      : { duration: seconds }),
  };
  return new Promise((resolve, reject) => {
    autocannon(options, (error, result) => {
      if (error) return reject(error as Error);
      resolve({
        perSecond: result.requests.total / result.duration,
        p50Ms: result.latency.p50,
        p99Ms: result.latency.p99,
        requests: result.requests.total,
        failed: result.non2xx + result.errors + result.timeouts,
      });
    });
  });
}
