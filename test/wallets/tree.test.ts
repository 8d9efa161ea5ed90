// Signatures whose tree is changed and written anew, so that every length still fits: they are refused, or the same payment.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AsnType } from 'asn1js';
import fc from 'fast-check';
import { partsOf, rawOf, readAsn1 } from '../../src/wallets/asn1.ts';
import { flaws } from '../../src/wallets/index.ts';
import { ber, der } from './der.ts';
import { applePay, appleToken, clear, flawOf } from './world.ts';

interface Tree {
  readonly tag: number;
  readonly indefinite: boolean;
  readonly content: Buffer;
  /** Of a constructed one; its content is then what they say. */
  readonly parts: readonly Tree[] | null;
}

function treeOf(element: AsnType): Tree {
  const { idBlock, lenBlock } = element;
  const raw = rawOf(element);
  return {
    tag: raw[0] as number,
    indefinite: lenBlock.isIndefiniteForm,
    content: raw.subarray(1 + lenBlock.blockLength),
    parts: idBlock.isConstructed ? partsOf(element).map(treeOf) : null,
  };
}

const write = ({ tag, indefinite, content, parts }: Tree): Buffer =>
  (indefinite ? ber : der)(tag, ...(parts ? parts.map(write) : [content]));

const sizeOf = ({ parts }: Tree): number => 1 + (parts ?? []).reduce((sum, part) => sum + sizeOf(part), 0);

interface Edit {
  /** Counted from the root, parts before their neighbours. */
  readonly at: number;
  readonly how: 'drop' | 'double' | 'wrap' | 'empty' | 'length' | 'tag' | 'bytes' | 'move';
  readonly value: number;
  readonly bytes: Uint8Array;
}

/** What stands in the place of an element. */
const EDITS: Readonly<Record<Edit['how'], (tree: Tree, edit: Edit) => readonly Tree[]>> = {
  drop: () => [],
  double: (tree) => [tree, tree],
  wrap: (tree, { value }) => [{ tag: value, indefinite: false, content: Buffer.alloc(0), parts: [tree] }],
  empty: (tree) => [{ ...tree, content: Buffer.alloc(0), parts: tree.parts && [] }],
  length: (tree) => [{ ...tree, indefinite: !tree.indefinite }],
  tag: (tree, { value }) => [{ ...tree, tag: value }],
  bytes: (tree, { bytes }) => [{ ...tree, content: Buffer.from(bytes), parts: null }],
  move: (tree) => [{ ...tree, parts: tree.parts && [...tree.parts].reverse() }],
};

function edited(tree: Tree, edit: Edit): readonly Tree[] {
  if (edit.at === 0) return EDITS[edit.how](tree, edit);
  let at = edit.at - 1;
  const parts = (tree.parts ?? []).flatMap((part) => {
    const size = sizeOf(part);
    const here = at >= 0 && at < size ? edited(part, { ...edit, at }) : [part];
    at -= size;
    return here;
  });
  return [{ ...tree, parts }];
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(400),
  how: fc.constantFrom(...(Object.keys(EDITS) as Edit['how'][])),
  value: fc.oneof(fc.nat(255), fc.constantFrom(0x30, 0x31, 0xa0, 0xa1, 0x24, 0x04, 0x06, 0x17, 0x18)),
  bytes: fc.uint8Array({ maxLength: 40 }),
});

/** What nobody signs, and why nothing hangs on it. */
const UNSIGNED: readonly (readonly [at: number, how: Edit['how'], why: string])[] = [
  [2, 'double', 'of the message only the first content is read'],
  [3, 'double', 'of the content only the first signed data is read'],
  [6, 'drop', 'the list of digests is a hint; the signer names the digest'],
  [6, 'double', 'the list of digests is a hint'],
  [7, 'drop', 'the list of digests is a hint'],
  [7, 'double', 'the list of digests is a hint'],
  [93, 'double', 'behind the first set of signers nothing is read'],
  [104, 'double', 'parameters of the digest are not read: there is one digest'],
  [119, 'double', 'parameters of the algorithm are not read: there is one algorithm'],
  [120, 'double', 'behind the signature stand attributes that nobody signs, and they are not read'],
];

describe('a signature whose tree was changed', () => {
  const token = appleToken();
  const payment = clear(applePay(token));
  const right = treeOf(readAsn1(Buffer.from(String(token.signature), 'base64')));
  const open = (trees: readonly Tree[]) =>
    applePay({ ...token, signature: Buffer.concat(trees.map(write)).toString('base64') });

  it('is itself when it was not', () => {
    assert.ok(sizeOf(right) > 80);
    assert.deepEqual(clear(open([right])), payment);
  });

  it('never crashes anything and never opens otherwise (property)', () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const trees = edits.reduce<readonly Tree[]>(
          (before, each) => before.flatMap((tree) => edited(tree, { ...each, at: each.at % sizeOf(tree) })),
          [right],
        );
        const result = open(trees);
        if (result.ok) {
          assert.deepEqual(clear(result), payment);
          return;
        }
        refused++;
        assert.ok(flaws.includes(result.flaw));
      }),
      { numRuns: 2000 },
    );
    assert.ok(refused > 1000, `${refused} refused`);
  });

  it('is refused when any one of its elements is missing or there twice, but for what nobody signs', () => {
    const same: [number, Edit['how']][] = [];
    for (let at = 0; at < sizeOf(right); at++)
      for (const how of ['drop', 'double'] as const) {
        const result = open(edited(right, { at, how, value: 0, bytes: new Uint8Array() }));
        if (flawOf(result) !== 'opened') continue;
        assert.deepEqual(clear(result), payment);
        same.push([at, how]);
      }
    assert.deepEqual(
      same,
      UNSIGNED.map(([at, how]) => [at, how]),
    );
  });
});
