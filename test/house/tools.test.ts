// The development tools agree: types, format, lint, dead code. Part of `npm test`, so that it is what continuous integration runs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { run } from './tool.ts';

const TOOLS: readonly (readonly [what: string, tool: string, args: readonly string[]])[] = [
  ['types', 'tsc', ['-p', '.']],
  ['format and lint', 'biome', ['check', '.', '--error-on-warnings', '--max-diagnostics=50']],
  ['lint with types', 'oxlint', ['--type-aware', '--deny-warnings', '--format=unix', 'src', 'test', 'bench']],
  ['dead code', 'knip', ['--no-progress', '--treat-config-hints-as-errors']],
];

describe('tools', () => {
  for (const [what, tool, args] of TOOLS)
    it(`find nothing: ${what}`, async () => {
      const { code, output, errors } = await run(tool, args);
      assert.equal(code, 0, `${tool} ${args.join(' ')}\n${output}${errors}`);
    });
});
