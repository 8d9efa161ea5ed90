// What /metrics tells of requests, and that it stays short when every route was used.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../src/http/index.ts';

test('requests are counted by route and status, and spread in buckets by part: six hundred series are no flood', async () => {
  const metrics = createMetrics({ process: false });
  for (let route = 0; route < 150; route++)
    for (const status of [200, 401, 404, 429]) {
      metrics.started();
      metrics.finished('GET', `/${route % 2 ? 'gateway' : 'issuing'}/things/:id/of/${route}`, status, 0.004);
    }
  const text = await metrics.registry.metrics();
  assert.match(text, /^florin_request_seconds_bucket\{le="0\.005",part="gateway",http_request_method="GET"\} 300$/m);
  assert.match(text, /^http_server_request_duration_seconds_sum\{.*of\/7".*"404"\} 0\.004$/m);
  assert.equal([...text.matchAll(/^http_server_request_duration_seconds_count\{.*\} 1$/gm)].length, 600);
  assert.ok(text.length < 250_000, `${text.length} bytes`);
});
