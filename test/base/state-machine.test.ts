// Lifecycles: what stands in no row does not happen.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvariantError, lifecycle } from '../../src/base/index.ts';

type Door = 'open' | 'closed' | 'locked';
type Hand = 'push' | 'pull' | 'turn';

const door = lifecycle<Door, Hand>([
  ['closed', 'push', 'open'],
  ['open', 'pull', 'closed'],
  ['closed', 'turn', 'locked'],
  ['locked', 'turn', 'closed'],
]);

describe('a lifecycle', () => {
  it('moves by its rows', () => {
    for (const [from, trigger, to] of door.rows) {
      assert.equal(door.next(from, trigger), to);
      assert.equal(door.move(from, trigger), to);
    }
  });

  it('knows no other move', () => {
    for (const from of ['open', 'closed', 'locked'] as const)
      for (const trigger of ['push', 'pull', 'turn'] as const) {
        if (door.rows.some(([state, by]) => state === from && by === trigger)) continue;
        assert.equal(door.next(from, trigger), null);
        assert.throws(() => door.move(from, trigger), InvariantError);
      }
  });

  it('has one answer for each question', () => {
    const rows = [
      ['open', 'pull', 'closed'],
      ['open', 'pull', 'locked'],
    ] as const;
    assert.throws(() => lifecycle<Door, Hand>(rows), InvariantError);
  });
});
