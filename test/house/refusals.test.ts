// Every no of an API stands in its table: a code that is in none doesn't compile, one that nobody says is found here.
// Rule: telling of a code, in a list of answers or a scenario, is not saying it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { type RefusalKind, refuserOf } from '../../src/base/index.ts';
import * as gateway from '../../src/gateway/orders/index.ts';
import * as issuing from '../../src/issuing/fields/index.ts';
import { rejectedEnding } from '../../src/issuing/requests/index.ts';
import { filesIn, textOf } from './source.ts';

const parsed = (path: string, text = textOf(path)): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, false, ts.ScriptKind.TS);

const TELLING: ReadonlySet<string> = new Set(['conflict', 'forbidden']);
const calls = (node: ts.Node): node is ts.CallExpression & { readonly expression: ts.Identifier } =>
  ts.isCallExpression(node) && ts.isIdentifier(node.expression);

/** The strings by which a file says something: those of types and imports say nothing. */
function stringsIn(node: ts.Node): string[] {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return [];
  if (calls(node) && TELLING.has(node.expression.text)) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  const found: string[] = [];
  ts.forEachChild(node, (child) => {
    found.push(...stringsIn(child));
  });
  return found;
}

/** Codes of a table that no file says. */
const unsaid = (codes: readonly string[], files: readonly ts.SourceFile[]): string[] => {
  const said = new Set(files.flatMap(stringsIn));
  return codes.filter((code) => !said.has(code));
};

const below = (folder: string, ...but: readonly string[]): ts.SourceFile[] =>
  filesIn(folder, '.ts')
    .filter((path) => !but.some((one) => path.startsWith(`${folder}/${one}`)))
    .map((path) => parsed(path));

/** Tables of operators' rooms that stand where they are used, by the name that refuses with them, and what each is asked to say. */
function roomTables(
  files: readonly ts.SourceFile[],
): Map<string, { readonly codes: string[]; readonly said: string[] }> {
  const tables = new Map<string, { readonly codes: string[]; readonly said: string[] }>();
  for (const file of files) {
    // A table that is exported is used in other files too.
    const keyOf = (name: string): string => (name === 'refuse' ? `${file.fileName} ${name}` : name);
    const entryOf = (name: string) => {
      const key = keyOf(name);
      const entry = tables.get(key) ?? { codes: [], said: [] };
      tables.set(key, entry);
      return entry;
    };
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer && calls(node.initializer)) {
        const { expression, arguments: args } = node.initializer;
        const [table] = args;
        if (expression.text === 'refuserOf' && table && ts.isObjectLiteralExpression(table))
          entryOf(node.name.text).codes.push(
            ...table.properties.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : [])),
          );
      }
      if (calls(node) && /^refuse$|Refusal$/.test(node.expression.text))
        entryOf(node.expression.text).said.push(...node.arguments.flatMap(stringsIn));
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return tables;
}

const unsaidOfRooms = (files: readonly ts.SourceFile[]): string[] =>
  [...roomTables(files).values()].flatMap(({ codes, said }) => codes.filter((code) => !said.includes(code)));

describe('each code of a table is said', () => {
  const inIssuing = below('src/issuing', 'fields/refusals.ts', 'scenarios/');
  const inGateway = below('src/gateway', 'orders/rejections.ts');

  it('of issuing', () => {
    assert.deepEqual(unsaid(Object.keys(issuing.failures), inIssuing), []);
  });

  it('of the gateway', () => {
    assert.deepEqual(unsaid(Object.keys(gateway.rejections), inGateway), []);
  });

  it("of the operators' rooms", () => {
    const files = [...inGateway, ...below('src/operator')];
    assert.ok([...roomTables(files).values()].filter(({ codes }) => codes.length > 0).length >= 7, 'tables were found');
    assert.deepEqual(unsaidOfRooms(files), []);
  });

  it('one that is only told of is found, and one that nobody says', () => {
    const planted = parsed(
      'src/planted.ts',
      `import { x } from 'IMPORTED';
       type Said = 'TYPED';
       const answers = conflict('TOLD', ...forbidden('TOLD_TOO'));
       const RULES = [['SAID', () => true]];`,
    );
    const codes = ['IMPORTED', 'TYPED', 'TOLD', 'TOLD_TOO', 'SAID', 'NOBODY_SAYS'];
    assert.deepEqual(unsaid(codes, [planted]), ['IMPORTED', 'TYPED', 'TOLD', 'TOLD_TOO', 'NOBODY_SAYS']);
    const room = parsed(
      'src/planted.ts',
      `const refuse = refuserOf({ said: ['conflict', ''], nobody_says: ['conflict', ''] });
       const other = 'nobody_says';
       throw refuse('said');`,
    );
    assert.deepEqual(unsaidOfRooms([room]), ['nobody_says']);
  });
});

/** Never run: a line that did compile would make its comment the compiler's error. */
function planted(): readonly unknown[] {
  const { gone, ...withoutGone } = gateway.refusals;
  return [
    // @ts-expect-error: no table has the code
    issuing.refuse('NOBODY_SAYS'),
    // @ts-expect-error: what is committed with its count can't be thrown
    issuing.refuse('ACTIVATION_CODE_INVALID'),
    // @ts-expect-error: what leaves nothing behind can't be committed
    rejectedEnding('PIN_BLOCKED', []),
    // @ts-expect-error: what is kept with the order can't be thrown
    gateway.refuse('card_expired'),
    // @ts-expect-error: what leaves nothing behind can't be kept
    gateway.rejectionAnswer('not_found', null),
    // @ts-expect-error: that nobody knows an outcome is not a no
    gateway.rejectionAnswer('error', null),
    // @ts-expect-error: a kind that has no status
    refuserOf({ tired: ['teapot', 'No coffee'] }),
    // @ts-expect-error: a table without one of the kinds
    withoutGone satisfies Readonly<Record<RefusalKind, unknown>>,
    gone,
  ];
}
void planted;
