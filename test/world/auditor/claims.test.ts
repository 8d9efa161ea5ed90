// The auditor's own arithmetic: what answers claim against what a read shows. Each sentence has a case that speaks it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Claim, contradiction, type Effect, type Verdict } from './claims.ts';

let step = 0;
const claim = (verdict: Verdict, type: string, amount: string | null, notBefore?: number): Claim => ({
  step: ++step,
  type,
  amount,
  verdict,
  answer: verdict,
  ...(notBefore === undefined ? {} : { byItself: { notBefore } }),
});
const refund = (amount: string): Effect => ({ type: 'refund', amount });
const says = (claims: Claim[], effects: Effect[], now = 0) => contradiction('order 1', claims, effects, 99, now);

test('done is shown once, refused never, unknown once or not at all', () => {
  assert.equal(says([claim('done', 'refund', '5.00')], [refund('5.00')]), null);
  assert.equal(says([claim('unknown', 'refund', '5.00')], []), null);
  assert.equal(says([claim('unknown', 'refund', '5.00')], [refund('5.00')]), null);
  assert.equal(says([claim('refused', 'refund', '5.00')], []), null);
  assert.match(says([claim('done', 'refund', '5.00')], []) ?? '', /was done at step .* doesn't show it/);
  assert.match(says([claim('refused', 'refund', '5.00')], [refund('5.00')]) ?? '', /was refused at step .* shows it/);
  assert.match(says([claim('done', 'refund', '5.00')], [refund('5.00'), refund('5.00')]) ?? '', /shows it 2 times/);
  assert.match(says([claim('unknown', 'refund', '5.00')], [refund('5.00'), refund('5.00')]) ?? '', /shows it 2 times/);
  assert.match(says([], [refund('5.00')]) ?? '', /nobody asked for/);
});

test('a claim on whatever was left makes room for one that names its amount', () => {
  const effects = [refund('35.62'), refund('26.00')];
  assert.equal(says([claim('done', 'refund', null), claim('unknown', 'refund', '35.62')], effects), null);
  assert.equal(says([claim('unknown', 'refund', '35.62'), claim('done', 'refund', null)], effects.toReversed()), null);
  assert.notEqual(says([claim('done', 'refund', null), claim('unknown', 'refund', '1.00')], effects), null);
});

test('what follows by itself does so from its moment on', () => {
  const itself = claim('unknown', 'reverse', null, 1000);
  const reverse = { type: 'reverse', amount: '5.00' };
  assert.equal(says([itself], [reverse], 1000), null);
  assert.match(says([itself], [reverse], 999) ?? '', /step 99 shows/);
});
