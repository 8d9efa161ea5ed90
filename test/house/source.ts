// The source as the house tests see it: files, and of each its strings, names and imports, read by the compiler's parser.
// Rule: nothing here runs what it reads.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Paths below a folder of the project, from its root, with `/`; sorted. No folder, no files. */
export function filesIn(folder: string, ending: string): string[] {
  let names: string[];
  try {
    names = readdirSync(new URL(`../../${folder}/`, import.meta.url), { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith(ending) && !name.includes('/node_modules/'))
    .sort();
}

export const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

export interface Import {
  readonly module: string;
  /** Names as exported there: `default`, `*`, or the named ones. Types are left out: nothing remains of them at run time. */
  readonly names: readonly string[];
}

export interface Source {
  readonly path: string;
  readonly lines: number;
  /** Every string and template, holes as `…`. */
  readonly strings: readonly string[];
  /** What is reached in code: `Date.now`, `setTimeout`, `process.env`, `.reveal()`, `new Date()`. */
  readonly reaches: readonly string[];
  readonly imports: readonly Import[];
}

/** Parses one file; `text` in place of the file's own for trying out a rule. */
export function sourceOf(path: string, text = textOf(path)): Source {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, false, ts.ScriptKind.TS);
  const strings: string[] = [];
  const reaches: string[] = [];
  const imports: Import[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) strings.push(node.text);
    if (ts.isTemplateExpression(node))
      strings.push([node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('…'));
    if (ts.isImportDeclaration(node)) {
      imports.push(importOf(node));
      return;
    }
    const reached = reachOf(node);
    if (reached) reaches.push(reached);
    if (ts.isTypeNode(node)) return;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0), strings, reaches, imports };
}

function importOf(node: ts.ImportDeclaration): Import {
  const module = (node.moduleSpecifier as ts.StringLiteral).text;
  const clause = node.importClause;
  if (!clause || clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return { module, names: [] };
  const names: string[] = clause.name ? ['default'] : [];
  const bindings = clause.namedBindings;
  if (bindings && ts.isNamespaceImport(bindings)) names.push('*');
  if (bindings && ts.isNamedImports(bindings))
    for (const element of bindings.elements)
      if (!element.isTypeOnly) names.push((element.propertyName ?? element.name).text);
  return { module, names };
}

/** Objects that lie around everywhere; what hangs on them is told with them (`Date.now`), on anything else by itself (`.reveal()`). */
const GLOBALS = new Set(['Date', 'Math', 'Temporal', 'performance', 'process', 'crypto', 'console', 'globalThis']);

function reachOf(node: ts.Node): string | null {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression))
    return `new ${node.expression.text}(${node.arguments?.length ? '…' : ''})`;
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression, name } = node.expression;
    if (!(ts.isIdentifier(expression) && GLOBALS.has(expression.text))) return `.${name.text}()`;
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) return `${node.expression.text}()`;
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && GLOBALS.has(node.expression.text))
    return `${node.expression.text}.${node.name.text}`;
  if (ts.isElementAccessExpression(node) && ts.isIdentifier(node.expression) && GLOBALS.has(node.expression.text))
    return `${node.expression.text}[]`;
  if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.initializer)) {
    // `const { now } = Date`, `const later = setTimeout`: the door by another name.
    return GLOBALS.has(node.initializer.text) ? `${node.initializer.text}[]` : `${node.initializer.text}()`;
  }
  return null;
}
