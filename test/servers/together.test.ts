// What one process answers for all: their metrics under one head each, and whether they can work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { censusMetrics, joinMetrics, readyTogether } from '../../src/processes/index.ts';

test('metrics of several stand under one head each, and nothing is added up', () => {
  const of = (process: number, count: number): string =>
    `# HELP a Of a.\n# TYPE a counter\na{process="${process}"} ${count}\n\n# HELP b Of b.\n# TYPE b gauge\nb{process="${process}"} 1\n`;
  assert.equal(
    joinMetrics([of(1, 5), of(2, 7), '']),
    '# HELP a Of a.\n# TYPE a counter\na{process="1"} 5\na{process="2"} 7\n\n' +
      '# HELP b Of b.\n# TYPE b gauge\nb{process="1"} 1\nb{process="2"} 1\n',
  );
  const census = censusMetrics({ wanted: 2, serving: 1, restarts: [0, 3] });
  assert.match(
    joinMetrics([census]),
    /^florin_processes_serving 1$[\s\S]*^florin_process_restarts_total\{process="2"\} 3$/m,
  );
});

const READY = { ok: true, checks: { database: true, disk: true }, links: { simulator: 'up' }, warnings: ['own'] };
const census = { wanted: 2, serving: 2, restarts: [0, 0] };
const answer = (ready: object, process = 2) => ({ process, answer: JSON.stringify(ready) });

test('one that cannot work, or does not answer, makes all unready; one that is being replaced is told and nothing more', () => {
  const answers = [answer(READY, 1), answer(READY)];
  assert.deepEqual(readyTogether(READY, { answers, census }), {
    ...READY,
    checks: { ...READY.checks, processes: true },
    processes: { wanted: 2, serving: 2 },
  });
  const broken = readyTogether(READY, {
    answers: [answer(READY, 1), answer({ ok: false, checks: { database: false }, warnings: ['other'] })],
    census,
  });
  assert.deepEqual(
    [broken.ok, broken.checks, broken.warnings],
    [false, { database: false, disk: true, processes: true }, ['own', 'other']],
  );
  const silent = readyTogether(READY, { answers: [answer(READY, 1), { process: 2, answer: null }], census });
  assert.deepEqual([silent.ok, silent.checks.processes], [false, false]);
  const missing = readyTogether(READY, { answers: [answer(READY, 1)], census: { ...census, serving: 1 } });
  assert.deepEqual(
    [missing.ok, missing.warnings, missing.processes],
    [true, ['own', 'processes_missing'], { wanted: 2, serving: 1 }],
  );
});
