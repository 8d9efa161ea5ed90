// Passwords are compared in turns: what one tenant has compared neither keeps another tenant waiting nor grows without bound, and nothing of
// the wait tells a known address from an unknown one.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Reply } from '../../support/app.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { testDatabase } from '../../support/database.ts';
import { issuingClient } from '../../support/issuing.ts';

let florin: TestApp;
before(async () => {
  // On a database of its own: its passwords cost what they cost.
  florin = await testApp({}, { connection: (await testDatabase()).connection });
});

const login = (secret: string, email: string): Promise<Reply> =>
  issuingClient(florin, secret)('POST', '/auth/login', { email, password: { value: 'Sandbox-12345' } });

test('more than a tenant may have compared at once is 429 with Retry-After; the others of it are answered', async () => {
  const known = 'consumer@sandbox.test';
  const emails = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? known : `nobody-${i}@sandbox.test`));
  let left = emails.length;
  const many = emails.map((email) => login('sandbox-secret', email).finally(() => left--));
  // Once some are refused the queue is full.
  const first = await Promise.race(
    many.map(async (reply) => ((await reply).status === 429 ? reply : new Promise<Reply>(() => {}))),
  );
  assert.match(first.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(first.body.code, 'TOO_MANY_REQUESTS');
  // Another tenant's login is next, not last.
  assert.equal((await login('sandbox-two-secret', 'nobody@sandbox.test')).status, 401);
  assert.ok(left > 20, `${left} of the first tenant still waited`);
  const replies = await Promise.all(many);
  const refused = replies.map((reply, i) => ({ reply, email: emails[i] })).filter(({ reply }) => reply.status === 429);
  assert.ok(refused.length >= 30 && refused.length < 100, String(refused.length));
  assert.equal(new Set(refused.map(({ reply }) => reply.text)).size, 1);
  assert.ok(refused.some(({ email }) => email === known) && refused.some(({ email }) => email !== known));
  for (const [i, { status }] of replies.entries())
    assert.ok(status === 429 || status === (emails[i] === known ? 200 : 401), `${emails[i]} ${status}`);
});

test('an unknown address takes as long as a known one', async () => {
  const took = async (email: string): Promise<number> => {
    const from = performance.now();
    assert.equal(
      (await issuingClient(florin)('POST', '/auth/login', { email, password: { value: 'wrong' } })).status,
      401,
    );
    return performance.now() - from;
  };
  const known: number[] = [];
  const unknown: number[] = [];
  // Four wrong ones are not locked yet; in turn, so that what else the machine does falls on both.
  for (const email of ['consumer@sandbox.test', 'level1@sandbox.test', 'corporate@sandbox.test'])
    for (let i = 0; i < 4; i++) {
      known.push(await took(email));
      unknown.push(await took(`nobody-${email}`));
    }
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] as number;
  const ratio = median(unknown) / median(known);
  assert.ok(ratio > 1 / 3 && ratio < 3, String(ratio));
});
