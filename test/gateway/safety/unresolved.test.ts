// A repeat that finds its outcome unknown, and in the moment after it the outcome is known: what was kept is told, whatever state the order
// has come out of it with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unresolvedAnswer } from '../../../src/gateway/flight/unresolved.ts';
import type { Command, Once, Replay } from '../../../src/store/index.ts';
import { toldAt } from '../../support/decisions.ts';

const failed: Replay = { status: 402, body: '{"failure_type":"declined"}', location: null, replayed: true };

/** An authorized order whose charge has just come to nothing. */
const gateway = {
  orderOf: async () => ({ order: { id: 7n, status: 'authorized', in_flight: null, due: {} }, operations: [] }),
  permutation: { outward: String },
  committer: {
    submit: async <Value>({ needs, decide }: Command<Value>) => {
      assert.equal(needs.length, 1);
      return decide({ get: () => undefined }, toldAt(new Date(0))).value;
    },
  },
} as never;
const once = { need: {}, replay: () => failed } as unknown as Once;

for (const isNew of [true, false])
  test(`a charge that failed meanwhile is told as failed${isNew ? ', of an order that was made too' : ''}`, async () => {
    assert.deepEqual(
      await unresolvedAnswer(gateway, { id: 1n } as never, { type: 'order', id: 7n }, { isNew, once }),
      failed,
    );
  });
