import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { createLinks, type Link, type NetworkAnswer, NoAnswer, withDeadline } from '../../src/network/index.ts';
import { exchange } from '../../src/network/link.ts';
import { request } from './requests.ts';

const answer: NetworkAnswer = {
  responseCode: '00',
  authCode: '123456',
  rrn: '632509000042',
  networkTransactionId: null,
  cvvResult: null,
  avsResult: null,
  approvedMinor: 1000n,
};
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

describe('links', () => {
  const slow = Promise.withResolvers<NetworkAnswer>();
  const link = (name: string, send: Link['send']): Link => ({
    name,
    send,
    inquire: () => new Promise(() => undefined),
  });

  it('are found by the name that a terminal carries', () => {
    const one = link('one', async () => answer);
    const links = createLinks([one]);
    assert.equal(links.get('one'), one);
    assert.equal(links.get('two'), undefined);
  });

  it('answer as they are within the deadline, errors included', async () => {
    const good = withDeadline(
      link('good', async () => answer),
      60_000,
      systemClock,
    );
    const bad = withDeadline(
      link('bad', () => Promise.reject(new NoAnswer('reset'))),
      60_000,
      systemClock,
    );
    assert.equal(good.name, 'good');
    assert.equal(await good.send(request()), answer);
    await assert.rejects(bad.send(request()), (error) => error instanceof NoAnswer && error.reason === 'reset');
  });

  it('are NoAnswer after the deadline, and the late answer goes to its listener with its request', async () => {
    const late = Promise.withResolvers<readonly [NetworkAnswer, string]>();
    const limited = withDeadline(
      link('slow', () => slow.promise),
      5,
      systemClock,
      (value, of) => late.resolve([value, of.reference]),
    );
    const message = request();
    await assert.rejects(limited.send(message), timedOut);
    await assert.rejects(limited.inquire(1n, '1'), timedOut);
    slow.resolve(answer);
    assert.deepEqual(await late.promise, [answer, message.reference]);
  });
});
