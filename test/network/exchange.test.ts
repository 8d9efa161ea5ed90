import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { NoAnswer } from '../../src/network/index.ts';
import { exchange } from '../../src/network/simulator/exchange.ts';

const timedOut = (error: unknown): boolean => error instanceof NoAnswer && error.reason === 'timeout';

describe('exchange', () => {
  it('counts the first answer and drops the second', async () => {
    let duplicates = 0;
    const pending = exchange<number>({ clock: systemClock, deadlineMs: 60_000, onDuplicate: () => duplicates++ });
    pending.deliver(1);
    pending.deliver(2);
    pending.fail(new Error('too late to fail'));
    assert.equal(await pending.answer, 1);
    assert.equal(duplicates, 1);
  });

  it('gives up at the deadline and reports what comes later', async () => {
    const late: number[] = [];
    const pending = exchange<number>({ clock: systemClock, deadlineMs: 5, onLate: (value) => late.push(value) });
    await assert.rejects(pending.answer, timedOut);
    pending.deliver(7);
    assert.deepEqual(late, [7]);
  });
});
