// `npm run world`: lives one seed, or many of them, and says what came of it. A seed that contradicts itself ends the run with 1.
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PlantName } from './plants.ts';
import { openStage } from './stage.ts';
import { type Outcome, runSeed } from './world.ts';

/** What one reads of a seed that failed: what can't be true, what happened last, how to see it again. */
export function failureText({ plan, contradictions, journal }: Outcome): string {
  const about = contradictions.flatMap((text) =>
    [...text.matchAll(/\(([oc]\d+)|\b([oc]\d+)\b/g)].map((match) => (match[1] ?? match[2]) as string),
  );
  return [
    `seed ${plan.seed} (plan ${plan.hash}):`,
    ...contradictions.slice(0, 8).map((text) => `  ${text}`),
    ...(contradictions.length > 8 ? [`  … and ${contradictions.length - 8} more`] : []),
    '  the last steps, and those of what is contradicted:',
    ...journal
      .lines(12, about.slice(0, 2))
      .slice(-90)
      .map((line) => `    ${line}`),
    `  again: npm run world -- --seed ${plan.seed}`,
  ].join('\n');
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    plant: { type: 'string' },
    /** A file for every step of every seed. */
    journal: { type: 'string' },
  },
});
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds ?? 1) : 1;
const stage = await openStage();
let failed = 0;
try {
  for (let seed = first; seed < first + count; seed++) {
    const outcome = await runSeed(stage, seed, { plant: (values.plant as PlantName | undefined) ?? null });
    const { plan, contradictions, requests, orders, ms } = outcome;
    const said = [...requests].map(([what, n]) => `${what}: ${n}`).join(', ');
    process.stdout.write(
      `seed ${seed} plan ${plan.hash} ${contradictions.length === 0 ? 'holds' : 'FAILS'} in ${Math.round(ms)} ms, ${orders} orders; ${said}\n`,
    );
    if (values.journal !== undefined)
      appendFileSync(values.journal, `seed ${seed}\n${outcome.journal.lines(Number.MAX_SAFE_INTEGER).join('\n')}\n`);
    if (contradictions.length === 0) continue;
    failed++;
    process.stdout.write(`${failureText(outcome)}\n`);
  }
} finally {
  await stage.close();
}
process.exitCode = failed === 0 ? 0 : 1;
