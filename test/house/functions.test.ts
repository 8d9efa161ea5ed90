// A function fits on a screen, or says why not. Rule: what is long on purpose has a comment right above it with the word "Long:" and the
// reason. A suite of tests and a table of endpoints need none: they are lists, and what stands in them is measured by itself.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { filesIn, textOf } from './source.ts';

/** Lines of a function, at most, from its head to its closing brace. */
const MOST_LINES = 70;

/** A reason: `Long: ` and a few words. */
const REASON = /\bLong: \w+\W+\w+/;

const isSuite = (node: ts.Node): boolean =>
  ts.isCallExpression(node.parent) && /^(describe|suite)$/.test(node.parent.expression.getText());

const isEndpointTable = (node: ts.SignatureDeclaration): boolean =>
  /Endpoint(<.*>)?\[\]$/.test(node.type?.getText() ?? '');

/** The comment that ends on the line above, as one text. */
function commentAbove(lines: readonly string[], line: number): string {
  let first = line;
  while (/^\s*(\/\/|\/\*|\*)/.test(lines[first - 1] ?? '')) first--;
  return lines
    .slice(first, line)
    .map((text) => text.replace(/^\s*(\/\/|\/\*\*?|\*\/?)/, '').trim())
    .join(' ');
}

/** Functions that are too long and don't say why. `text` in place of the file's own for trying out the rule. */
function tooLong(path: string, text = textOf(path)): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  const lines = text.split('\n');
  const faults: string[] = [];
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = lineOf(node.getStart());
      const long = lineOf(node.end) - first + 1;
      if (long > MOST_LINES && !isSuite(node) && !isEndpointTable(node) && !REASON.test(commentAbove(lines, first)))
        faults.push(`${path}:${first + 1}: ${long} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return faults;
}

describe('functions', () => {
  it('are short, or say why not', () => {
    const files = ['src', 'test', 'bench'].flatMap((folder) => filesIn(folder, '.ts'));
    assert.ok(files.length > 300, 'the source was read');
    assert.deepEqual(
      files.flatMap((path) => tooLong(path)),
      [],
    );
  });

  const body = (lines: number): string => '  call();\n'.repeat(lines - 2);
  const PLANTED: readonly (readonly [what: string, text: string, line: number | null])[] = [
    ['one of 70 lines', `function a() {\n${body(70)}}\n`, null],
    ['one of 71', `function a() {\n${body(71)}}\n`, 1],
    ['an arrow', `const b = 1;\nexport const a = () => {\n${body(71)}};\n`, 2],
    ['a method', `const a = {\n  go() {\n${body(71)}},\n};\n`, 2],
    ['one in a short one', `it('goes', () => {\n${body(71)}});\n`, 1],
    ['a comment without a reason', `/** Goes a long way. */\nfunction a() {\n${body(71)}}\n`, 2],
    ['a reason further up', `// Long: a table, a row each.\n\nfunction a() {\n${body(71)}}\n`, 3],
    ['a reason right above', `// Long: a table, a row each.\nfunction a() {\n${body(71)}}\n`, null],
    [
      'a reason behind what it does',
      `/**\n * Goes.\n * Long: a table, a row each.\n */\nfunction a() {\n${body(71)}}\n`,
      null,
    ],
    ['a table of endpoints', `function a(): readonly AnyEndpoint<Session>[] {\n${body(300)}}\n`, null],
    ['a handler in it', `function a(): Endpoint[] {\n  return [{\n    handle() {\n${body(71)}    },\n  }];\n}\n`, 3],
    ['a suite', `describe('all', () => {\n${body(300)}});\n`, null],
  ];
  for (const [what, text, line] of PLANTED)
    it(`${what}: ${line === null ? 'passes' : 'is found'}`, () => {
      assert.deepEqual(
        tooLong('src/planted.ts', text).map((fault) => Number(fault.split(':')[1])),
        line === null ? [] : [line],
      );
    });
});
