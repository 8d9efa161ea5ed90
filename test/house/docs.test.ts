// What is cited is there: documents with their headings in the code, files in the documents.
// Rule: a citation is a path from the project's root, docs/contract/gateway.md; each `#heading` behind it in the same comment is looked
// for in that document. A document of another name is none of ours.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { filesIn, ROOT, sourceOf, textOf } from './source.ts';

const exists = (path: string): boolean => existsSync(join(ROOT, path));

/** A heading as a link names it: small letters, hyphens for spaces, no punctuation. */
const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const headingsOf = (document: string): string[] =>
  [...textOf(document).matchAll(/^#{1,6} (.+)$/gm)].map((match) => slugOf(match[1] as string));

/** Comments of a file; lines that stand together are one. */
function commentsOf(text: string): string[] {
  const found: string[] = [];
  let open = false;
  for (const line of text.split('\n')) {
    const whole = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))(.*)$/.exec(line)?.[1];
    const behind = whole ?? /\s\/\/ (.*)$/.exec(line)?.[1];
    if (behind === undefined) open = false;
    else if (open && whole !== undefined) found.push(`${found.pop()} ${whole.trim()}`);
    else found.push(behind.trim());
    open = whole !== undefined;
  }
  return found;
}

const DOCUMENT = /(docs\/[\w./-]+\.\w+)(?:#([\w-]+))?|(?<![\w&/])#([a-z0-9][\w-]*)/g;
const OTHER_DOCUMENT = /(?<![\w./-])(?!docs\/)[A-Za-z][\w-]*(?:\/[\w-]+)*\.md\b/g;

/** What is wrong with the citations in a piece of text. */
function faultsIn(text: string): string[] {
  const faults: string[] = [];
  let document = '';
  for (const [, path, own, more] of text.matchAll(DOCUMENT)) {
    document = path ?? document;
    if (document === '') continue;
    const heading = own ?? more;
    if (!exists(document)) faults.push(document);
    else if (heading !== undefined && !headingsOf(document).includes(heading)) faults.push(`${document}#${heading}`);
  }
  return faults;
}

function faultsOf(path: string, text = textOf(path)): string[] {
  const comments = commentsOf(text);
  const others = comments.flatMap((comment) => comment.match(OTHER_DOCUMENT) ?? []).filter((name) => !exists(name));
  return [...others, ...[...comments, ...sourceOf(path, text).strings].flatMap(faultsIn)].map(
    (fault) => `${path}: ${fault}`,
  );
}

const PLACE = /`((?:src|test|docs|bench|migrations|bin)\/[\w./-]+)`/g;
const LINK = /\]\(([^)\s:]*?)(?:#([\w-]+))?\)/g;

/** What is wrong with the links of a document, and with the files that it names. */
function faultsOfDocument(path: string, text = textOf(path)): string[] {
  const places = [...text.matchAll(PLACE)].map((match) => match[1] as string).filter((place) => !exists(place));
  const links = [...text.matchAll(LINK)].flatMap(([, target, heading]) => {
    const file = target ? join(dirname(path), target).replaceAll('\\', '/') : path;
    if (!exists(file)) return [file];
    return heading !== undefined && !headingsOf(file).includes(heading) ? [`${file}#${heading}`] : [];
  });
  return [...places, ...links, ...faultsIn(text)].map((fault) => `${path}: ${fault}`);
}

/** All but this file, which is full of wrong citations. */
const code = ['src', 'test', 'bench']
  .flatMap((folder) => filesIn(folder, '.ts'))
  .filter((path) => path !== 'test/house/docs.test.ts');
/** What a changelog tells was so once; its files may have gone. */
const documents = [...filesIn('docs', '.md'), ...readdirSync(ROOT).filter((name) => name.endsWith('.md'))].filter(
  (name) => name !== 'CHANGELOG.md',
);

describe('citations', () => {
  it('lead from the code to headings that are there', () => {
    assert.ok(code.length > 300 && filesIn('docs/contract', '.md').length >= 3, 'code and documents were read');
    assert.ok(
      code.filter((path) => textOf(path).includes('docs/contract/')).length > 40,
      'the code cites its contract',
    );
    assert.deepEqual(
      code.flatMap((path) => faultsOf(path)),
      [],
    );
  });

  it('lead from the documents to files and headings that are there', () => {
    assert.ok(documents.length > 15, 'the documents were read');
    assert.deepEqual(
      documents.flatMap((path) => faultsOfDocument(path)),
      [],
    );
  });

  const contract = 'docs/contract/gateway.md';
  const PLANTED: readonly (readonly [text: string, ...faults: string[]])[] = [
    [`// By ${contract}#no-such-heading.`, `${contract}#no-such-heading`],
    [`// By ${contract}#errors, #lists and\n// #no-such-heading.`, `${contract}#no-such-heading`],
    [`/** By docs/contract/nowhere.md#errors. */`, `docs/contract/nowhere.md`],
    [`const a = 1; // By ${contract}#Errors`, `${contract}#Errors`],
    [`const a = 'see docs/nowhere.md';`, `docs/nowhere.md`],
    [`// (gateway-decisions.md, "Errors")`, `gateway-decisions.md`],
    [`// By ${contract}#errors, #money-safety, 2, and ARCHITECTURE.md.\nconst a = held.md;`],
  ];
  for (const [text, ...faults] of PLANTED)
    it(`in ${JSON.stringify(text)}: ${faults.length} wrong`, () => {
      assert.deepEqual(
        faultsOf('src/planted.ts', text),
        faults.map((fault) => `src/planted.ts: ${fault}`),
      );
    });

  it('a document that names a file or heading that is not there is found', () => {
    const text =
      'See `src/nowhere.ts`, [a](nowhere.md), [b](contract/gateway.md#nowhere), [c](contract/gateway.md#errors), `src/main.ts`.';
    assert.deepEqual(faultsOfDocument('docs/planted.md', text), [
      'docs/planted.md: src/nowhere.ts',
      'docs/planted.md: docs/nowhere.md',
      'docs/planted.md: docs/contract/gateway.md#nowhere',
    ]);
  });
});
