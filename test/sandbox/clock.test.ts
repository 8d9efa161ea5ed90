// The sandbox's clock is set to moments that there are, and to no others.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Reply, type TestApp, testApp } from '../support/app.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const set = (now: string): Promise<Reply> => florin.operator('PUT', '/simulator/clock', { now, frozen: true });

test('a day, a time in any zone: the clock shows that moment', async () => {
  for (const [now, shown] of [
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2028-02-29T12:30', '2028-02-29T12:30:00.000Z'],
    ['2028-03-01T01:00:00.250+01:00', '2028-03-01T00:00:00.250Z'],
    ['2028-03-01T10:00:00Z', '2028-03-01T10:00:00.000Z'],
  ] as const) {
    const { status, body } = await set(now);
    assert.deepEqual([status, body.now, body.frozen], [200, shown, true], now);
  }
});

test('a day that the month does not have, an hour that the day does not have, words, a year beyond ours: 422, and nothing moves', async () => {
  const { now: before } = (await florin.operator('GET', '/simulator/clock')).body;
  // biome-ignore format: a list to be read across
  for (const now of [
    '2027-02-30T00:00:00Z', '2027-02-29', '2027-04-31T12:00:00+02:00', '2027-13-01T00:00:00Z', '2027-01-01T24:00:00Z', '2027-01-01T23:59:60Z',
    '2027-01-01T00:00:00+99:00', '2027-01-01T00:00:00Z ', '1 January 2027', 'tomorrow', '', '1999-12-31T23:59:59Z', '2090-01-01T00:00:00Z',
  ]) {
    const { status, body } = await set(now);
    assert.equal(status, 422, now);
    assert.equal(body.errors[0].uri, '#/now', now);
  }
  assert.equal((await florin.operator('GET', '/simulator/clock')).body.now, before);
});
