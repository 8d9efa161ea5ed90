// The text of an order's event: what is left out of one that would be too long, and what of it is old.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idPermutation } from '../../../src/base/index.ts';
import { eventMaker } from '../../../src/events/index.ts';
import { eventOf, type Operation, type OrderState } from '../../../src/gateway/orders/index.ts';
import type { Project } from '../../../src/gateway/projects/index.ts';
import { toldAt } from '../../support/decisions.ts';
import type { EventTold } from './truth.ts';

const now = new Date('2026-12-01T12:00:00.000Z');
const permutation = idPermutation(Buffer.alloc(16, 1));
const events = eventMaker({ permutation, mode: 'sandbox', ownerType: 'project', nameOf: () => 'shop' });
const project = { id: 1n, settings: { time_zone: 'UTC', trace_id: false } } as Project;

const refund = (n: number): Operation =>
  ({
    id: BigInt(n),
    type: 'refund',
    status: 'success',
    amount: BigInt(n),
    currency: 'EUR',
    auth_code: '000000',
    iso_message: 'Approved',
    iso_response_code: '00',
    created_at: now,
    system: false,
    details: {},
    arn: null,
  }) as unknown as Operation;

const orderWith = (operations: number, more: object = {}): OrderState => ({
  order: {
    id: 2n,
    status: 'charged',
    amount: 100_000n,
    amount_charged: 100_000n,
    amount_refunded: BigInt(operations),
    currency: 'EUR',
    created_at: now,
    updated_at: now,
    as_told: null,
    failure_type: null,
    events: operations,
    ...more,
  } as unknown as OrderState['order'],
  operations: Array.from({ length: operations }, (_, i) => refund(i + 1)),
});

function textOf(before: OrderState, after: OrderState): string {
  const operation = after.operations.at(-1) ?? null;
  const [event] = eventOf({ events, permutation }, project, { before, after, operation }, toldAt(now));
  return (event as unknown as { row: { body: string } }).row.body;
}

test('an order with more text than 256 KiB keeps its fifty newest operations, and says so', () => {
  const text = textOf(orderWith(1_999), orderWith(2_000));
  const { data } = JSON.parse(text) as EventTold;
  const { operations, truncated } = data.object as { operations: { amount: string }[]; truncated: boolean };
  assert.equal(truncated, true);
  assert.deepEqual([operations.length, operations[0]?.amount, operations.at(-1)?.amount], [50, '19.51', '20.00']);
  assert.equal(data.operation?.amount, '20.00');
  assert.deepEqual(data.previous, { amount_refunded: '19.99' });
  assert.ok(Buffer.byteLength(text) < 262_144);
});

test('one with many operations and less text keeps them all', () => {
  const { data } = JSON.parse(textOf(orderWith(499), orderWith(500))) as EventTold;
  assert.equal((data.object.operations as unknown[]).length, 500);
  assert.ok(!('truncated' in data.object));
});

test('previous: what differs, whatever was read anew; what a failure shows was not there before', () => {
  const client = { name: 'Ada', city: 'Vilnius' };
  const failed = { status: 'rejected', failure_type: 'rejected', failure_message: 'No', client: { ...client } };
  const { data } = JSON.parse(
    textOf(orderWith(1, { client, card: { holder: 'A', type: 'visa', subtype: 'debit' } }), orderWith(1, failed)),
  ) as EventTold;
  assert.deepEqual(data.previous, {
    status: 'charged',
    failure_type: null,
    failure_message: null,
    card: { holder: 'A', type: 'visa', subtype: 'debit' },
  });
});

test('the first event of an order tells it as new, whatever its row was', () => {
  const { data } = JSON.parse(textOf(orderWith(0), orderWith(1))) as EventTold;
  assert.deepEqual(data.previous, {});
});
