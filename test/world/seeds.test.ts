// Thirty worlds that try to lose money, and every one that ever found a fault: nothing may be contradicted, and no trouble may stay away.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { TROUBLES } from './plan/troubles.ts';
import { firedIn, runSeeds, summaryOf } from './seeds.ts';
import { failureText } from './world.ts';

const kept: readonly { readonly seed: number }[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'kept-seeds.json'), 'utf8'),
);
const SEEDS = [...new Set([...kept.map(({ seed }) => seed), ...Array.from({ length: 30 }, (_, i) => i + 1)])];

test('thirty worlds and all that ever found a fault: every answer was true', { timeout: 800_000 }, async (t) => {
  const outcomes = await runSeeds(SEEDS, { workers: 4 });
  t.diagnostic(summaryOf(outcomes).text);
  const failed = outcomes.filter(({ contradictions }) => contradictions.length > 0);
  assert.equal(failed.length, 0, failed.map(failureText).join('\n\n'));
  assert.equal(outcomes.length, SEEDS.length);
  const fired = firedIn(outcomes);
  assert.deepEqual(
    TROUBLES.filter((kind) => !fired.has(kind)),
    [],
    'troubles that never came',
  );
});

test('an effect that is answered as a refusal does not stay hidden', { timeout: 300_000 }, async () => {
  const outcomes = await runSeeds([1, 2, 3, 4, 5, 6], {
    workers: 1,
    optionsOf: () => ({ plant: 'a committed effect is answered as a refusal' }),
    untilFailure: true,
  });
  const found = outcomes.flatMap(({ contradictions }) => contradictions);
  assert.match(found.join('\n'), /was refused at step \d+ \(409\), but step \d+ shows it/);
});
