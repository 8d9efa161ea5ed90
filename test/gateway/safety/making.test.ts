// Which order an unknown outcome names: the one that the request makes, or that an earlier one with its key has made, and never one that
// nobody will find.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { making } from '../../../src/gateway/intake/making.ts';
import { orderInsert } from '../../../src/gateway/orders/queries/orders.ts';
import {
  type Caller,
  type Change,
  type Committer,
  forCaller,
  type Loaded,
  NotWritten,
  OutcomeUnknown,
} from '../../../src/store/index.ts';

const permutation = { outward: (id: bigint) => `outward ${id}` } as never;
const nothingLoaded: Loaded = { get: () => undefined };

/** What a caller is told of while the commit is under way, and when it has ended with `error`. */
async function named(decision: { value: object; changes: readonly Change[] }, error: Error | null = null) {
  const caller: Caller = { gone: false, made: null };
  let before: string | null = 'never asked';
  const committer = {
    async submit(command: { decide(loaded: Loaded): { value: unknown } }) {
      before = caller.made;
      const { value } = command.decide(nothingLoaded);
      if (error) throw error;
      return value;
    },
  } as unknown as Committer;
  const command = { name: 'made', owner: null, needs: [], decide: () => decision };
  await forCaller(caller, 'api', () => making({ permutation, committer }, 1n, command)).catch(() => undefined);
  return [before, caller.made];
}

const inserted = { value: {}, changes: [orderInsert({ id: 1n } as never)] };

test('before it is decided: none; then the order that is made', async () => {
  assert.deepEqual(await named(inserted), [null, 'outward 1']);
  assert.deepEqual(await named(inserted, new OutcomeUnknown('unknown')), [null, 'outward 1']);
  assert.deepEqual(await named(inserted, new NotWritten('no connection')), [null, null]);
});

test('a repeat whose outcome nobody knows yet: the order of the first', async () => {
  const repeat = { value: { unresolved: { type: 'order', id: 7n } }, changes: [] };
  assert.deepEqual(await named(repeat), [null, 'outward 7']);
  assert.deepEqual(await named(repeat, new OutcomeUnknown('unknown')), [null, 'outward 7']);
});

test("a repeat under the merchant's own id: the order of the first", async () => {
  const repeat = { value: { existing: 7n }, changes: [] };
  assert.deepEqual(await named(repeat, new OutcomeUnknown('unknown')), [null, 'outward 7']);
});

test('a refusal that makes no order: none', async () => {
  assert.deepEqual(await named({ value: { answer: {} }, changes: [] }), [null, null]);
});
