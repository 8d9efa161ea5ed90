// `npm run world`: lives one seed, or many of them, and says what came of it. A seed that contradicts itself ends the run with 1.
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runSeeds, summaryOf } from './seeds.ts';
import type { PlantName } from './stage/plants.ts';
import { failureText, type Outcome } from './world.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    /** Seeds that live side by side, each on a Postgres of its own. */
    workers: { type: 'string', default: '2' },
    plant: { type: 'string' },
    /** Every tenth seed has the deadlines and waits of a server as it is shipped. */
    shipped: { type: 'boolean', default: false },
    /** A file for every step of every seed. */
    journal: { type: 'string' },
  },
});
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds ?? 1) : 1;
const plant = (values.plant as PlantName | undefined) ?? null;

function tell(outcome: Outcome): void {
  const { plan, contradictions, requests, orders, ms, journal } = outcome;
  const holds = contradictions.length === 0;
  const said = [...requests].map(([what, n]) => `${what}: ${n}`).join(', ');
  process.stdout.write(
    `seed ${plan.seed} plan ${plan.hash} ${holds ? 'holds' : 'FAILS'} in ${Math.round(ms)} ms, ${orders} orders; ${said}\n`,
  );
  if (values.journal !== undefined)
    appendFileSync(values.journal, `seed ${plan.seed}\n${journal.lines(Number.MAX_SAFE_INTEGER).join('\n')}\n`);
  if (!holds) process.stdout.write(`${failureText(outcome)}\n`);
}

const seeds = Array.from({ length: count }, (_, i) => first + i);
const outcomes = await runSeeds(seeds, {
  workers: Math.min(Number(values.workers), count),
  optionsOf: (seed) => ({ plant, shipped: values.shipped && seed % 10 === 0 }),
  onOutcome: tell,
  // One find is enough.
  untilFailure: plant !== null,
});
const { text, ok } = summaryOf(outcomes);
process.stdout.write(`${text}\n`);
process.exitCode = ok ? 0 : 1;
