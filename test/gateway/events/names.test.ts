// docs/contract/events.md#catalogue: every transition of an order's lifecycle and every result of an operation has its event, and every event of
// the catalogue has its moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATALOGUE } from '../../../src/events/log/catalogue.ts';
import { orderEventType } from '../../../src/gateway/orders/events.ts';
import {
  OPERATION_TYPES,
  type Operation,
  type OperationType,
  type Order,
  orderStates,
  SHOWN_STATUSES,
} from '../../../src/gateway/orders/index.ts';
import type { ShownStatus } from '../../../src/gateway/orders/model.ts';

type Row = readonly [from: string, trigger: string, to: string];
type Done = readonly [type: OperationType, result: ShownStatus];

/** By which operation's result a trigger is pulled; null: without one. */
const BY: Readonly<Record<string, readonly (Done | null)[]>> = {
  approve: [['authorize', 'success']],
  challenge: [null],
  decline: [['authorize', 'failure'], null],
  fraud: [null],
  reject: [null],
  lose: [['authorize', 'error']],
  charge: [['charge', 'success']],
  reverse: [['reverse', 'success']],
  refund_rest: [['refund', 'success']],
  void: [['reverse', 'success']],
  chargeback: [['chargeback', 'success']],
  represent: [['representment', 'success']],
  credit: [['credit', 'success']],
};

function nameOf(status: string, done: Done | null, details: Operation['details'] = {}): string | null {
  const operation = done && ({ type: done[0], status: done[1], details } as Operation);
  try {
    return orderEventType({ status } as Order, operation);
  } catch {
    return null;
  }
}

/** The events of a table of transitions, and what has none. */
function walked(rows: readonly Row[]): { readonly names: Set<string>; readonly silent: string[] } {
  const names = new Set<string>();
  const silent: string[] = [];
  for (const [from, trigger, to] of rows)
    for (const done of BY[trigger] ?? [undefined]) {
      const name = done === undefined ? null : nameOf(to, done);
      if (name === null) silent.push(`${from} ${trigger} ${to}`);
      else names.add(name);
    }
  return { names, silent };
}

/** They come from an issuer, booked as they come. */
const ARRIVES: ReadonlySet<OperationType> = new Set(['chargeback', 'representment']);

/** Results that leave an order where it was: on a page, captured in part, asked for in vain. */
function results(): { readonly names: Set<string>; readonly silent: string[] } {
  const names = new Set<string>();
  const silent: string[] = [];
  for (const type of OPERATION_TYPES)
    for (const result of SHOWN_STATUSES) {
      if (ARRIVES.has(type) && result !== 'success') continue;
      const name = nameOf(type === 'authorize' ? 'new' : 'charged', [type, result]);
      if (name === null) silent.push(`${type} ${result}`);
      else names.add(name);
    }
  return { names, silent };
}

test('every transition of the lifecycle has its event', () => {
  assert.deepEqual(walked(orderStates.rows).silent, []);
});

test('a transition without an event is found', () => {
  assert.deepEqual(walked([...orderStates.rows, ['charged', 'dispute', 'disputed']]).silent, [
    'charged dispute disputed',
  ]);
  assert.deepEqual(walked([['new', 'challenge', 'waiting']]).silent, ['new challenge waiting']);
});

test('every result of every operation has its event', () => {
  assert.deepEqual(results().silent, []);
});

test('every event of the catalogue has its moment', () => {
  const names = new Set([
    ...walked(orderStates.rows).names,
    ...results().names,
    nameOf('new', null),
    nameOf('reversed', ['reverse', 'success'], { by: 'expiry' }),
    // Named by who writes them: a page's or challenge's time, a hold's last day, a clearing.
    'order.expired',
    'order.authorization_expiring',
    'order.settled',
  ]);
  assert.deepEqual(names, new Set(CATALOGUE.order.verbs.map((verb) => `order.${verb}`)));
});

test('a name tells what happened, not the status', () => {
  for (const [status, done, name, details] of [
    ['charged', ['representment', 'success'], 'order.represented'],
    ['charged', ['reverse', 'success'], 'order.reversed'],
    ['charged', ['refund', 'success'], 'order.partially_refunded'],
    ['refunded', ['refund', 'success'], 'order.refunded'],
    ['declined', ['authorize', 'failure'], 'order.declined'],
    ['new', ['authorize', 'failure'], 'order.attempt_failed'],
    ['declined', ['credit', 'failure'], 'order.credit_failed'],
    ['error', ['credit', 'error'], 'order.credit_failed'],
    ['reversed', ['reverse', 'success'], 'order.reversed', { by: 'retries_used_up' }],
  ] as const)
    assert.equal(nameOf(status, done, details), name);
});
