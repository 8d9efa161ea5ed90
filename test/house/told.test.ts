// What is told of is written in one place, together with its event: whoever writes a row of these tables goes through it
// (docs/contract/events.md#events).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesIn, type Source, sourceOf, textOf } from './source.ts';

/** Room → what changes the rows that its events tell of. */
const WRITERS: Readonly<Record<string, RegExp>> = {
  'src/issuing/accounts': /^account(Insert|Update|Remove)$/,
  'src/issuing/cards': /^card(Insert|Update|Remove)$/,
  'src/issuing/challenges': /^challenge(Insert|End|Send)$/,
  'src/issuing/payments': /^authorization(Insert|Update|Remove)$/,
  'src/issuing/people': /^(identityUpsert|user(Insert|Upsert|Counted)|factorPut|login(Try|Clear)|passwordPut)$/,
  'src/issuing/tokens': /^walletToken(Insert|Update|Remove)$/,
};

const exported = (text: string): string[] =>
  [...text.matchAll(/^export (?:const|async function|function) (\w+)/gm)].map((match) => match[1] as string);

/** Who takes a writer out of its room's queries, but for the place that tells. */
const beside = (room: string, writers: RegExp, sources: readonly Source[]): string[] =>
  sources
    .filter(({ path }) => path.startsWith(`${room}/`) && path !== `${room}/write.ts`)
    .flatMap(({ path, imports }) =>
      imports.flatMap(({ module, names }) =>
        module.endsWith('queries.ts')
          ? names.filter((name) => writers.test(name)).map((name) => `${path}: ${name}`)
          : [],
      ),
    );

describe('what is told of', () => {
  for (const [room, writers] of Object.entries(WRITERS))
    it(`${room}: written where it is told, and nowhere else`, () => {
      const files = filesIn(room, '.ts');
      const found = files
        .filter((file) => file.endsWith('queries.ts'))
        .flatMap((file) => exported(textOf(file)).filter((name) => writers.test(name)));
      assert.ok(found.length >= 2, 'the writers were found');
      assert.deepEqual(
        beside(
          room,
          writers,
          files.map((file) => sourceOf(file)),
        ),
        [],
      );
      const index = textOf(`${room}/index.ts`);
      assert.deepEqual(
        found.filter((name) => new RegExp(`\\b${name}\\b`).test(index)),
        [],
        'none leaves its room',
      );
    });

  it('one who writes by himself is found', () => {
    const room = 'src/issuing/cards';
    const source = sourceOf(`${room}/numbers.ts`, `import { cardInsert, cardNumberInsert } from './queries.ts';`);
    assert.deepEqual(beside(room, WRITERS[room] as RegExp, [source]), [`${room}/numbers.ts: cardInsert`]);
  });
});
