// Ids are drawn once, whatever the clock shows: processes that start one after the other make theirs with different nodes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ID_NODES, idMaker, VirtualClock } from '../../src/base/index.ts';
import { nextIdNode } from '../../src/store/index.ts';
import { testDatabase } from '../support/database.ts';

test('a thousand starts in one frozen millisecond make no id twice, also eight at once', async () => {
  const database = await testDatabase();
  const clock = new VirtualClock();
  clock.set(new Date('2026-11-21T09:30:00Z'));
  clock.freeze(true);
  const seen = new Set<bigint>();
  for (let start = 0; start < ID_NODES; start += 8) {
    const nodes = await Promise.all(Array.from({ length: 8 }, () => nextIdNode(database)));
    for (const node of nodes) {
      const ids = idMaker(clock, node);
      for (let i = 0; i < 5; i++) seen.add(ids.next());
    }
  }
  assert.equal(seen.size, ID_NODES * 5);
  assert.ok((await nextIdNode(database)) < ID_NODES, 'and goes round');
});

test('a node is a whole number from 0 to 1023', () => {
  const clock = new VirtualClock();
  for (const node of [-1, ID_NODES, 1.5, Number.NaN]) assert.throws(() => idMaker(clock, node), /node of the id maker/);
});
