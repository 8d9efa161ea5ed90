// No change of a token makes it another payment: it is refused, or it is another spelling of the same one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Opened } from '../../src/wallets/index.ts';
import { applePay, appleToken, clear, flawOf, googlePay, googleToken, type Json, random } from './world.ts';

type Open = (token: unknown) => Opened;

interface Wallet {
  readonly name: string;
  readonly open: Open;
  readonly make: () => Json;
}

const WALLETS: readonly Wallet[] = [
  { name: 'Apple Pay', open: applePay, make: () => appleToken({ applicationData: random.bytes(32) }) },
  { name: 'Google Pay', open: googlePay, make: () => googleToken() },
];

/** Texts of a token by their path; JSON within a text is a further level, after `#`. */
function textsOf(value: unknown, path: readonly string[] = []): { path: readonly string[]; text: string }[] {
  if (typeof value === 'string') {
    if (!value.startsWith('{')) return [{ path, text: value }];
    return [{ path, text: value }, ...textsOf(JSON.parse(value), [...path, '#'])];
  }
  return Object.entries(value as object).flatMap(([key, each]) => textsOf(each, [...path, key]));
}

/** The token with the text at `path` replaced. */
function put(value: unknown, [head, ...rest]: readonly string[], text: unknown): unknown {
  if (head === undefined) return text;
  if (head === '#') return JSON.stringify(put(JSON.parse(String(value)), rest, text));
  if (Array.isArray(value))
    return value.map((each, i) => (String(i) === head ? put(each, rest, text) : (each as unknown)));
  return { ...(value as object), [head]: put((value as Json)[head], rest, text) };
}

const isHex = (path: readonly string[]): boolean => /transactionId|applicationData/.test(path.join('.'));
const encodingOf = (path: readonly string[]): 'hex' | 'base64' => (isHex(path) ? 'hex' : 'base64');

/** Regions where a flipped bit may leave a spelling of the same token: signatures carry bytes that nobody signs. */
const isSignature = (path: readonly string[]): boolean => path.includes('signature') || path.includes('signatures');

for (const { name, open, make } of WALLETS) {
  describe(`a token of ${name}`, () => {
    const token = make();
    const payment = clear(open(token));
    const regions = textsOf(token).filter(({ text }) => !text.startsWith('{') && /^[\w+/=]{32,}$/.test(text));

    it('has all its regions looked at', () => {
      const named = regions.map(({ path }) => path.join('.'));
      const expected =
        name === 'Apple Pay'
          ? ['data', 'signature', 'ephemeralPublicKey', 'publicKeyHash', 'transactionId', 'applicationData']
          : ['signature', 'keyValue', 'signatures', 'encryptedMessage', 'ephemeralPublicKey', 'tag'];
      for (const each of expected)
        assert.ok(
          named.some((path) => path.includes(each)),
          each,
        );
    });

    for (const { path, text } of regions)
      it(`is not opened otherwise with any byte of ${path.join('.')} changed, missing or added`, () => {
        const bytes = Buffer.from(text, encodingOf(path));
        const again = (changed: Buffer) => open(put(token, path, changed.toString(encodingOf(path))));
        let spellings = 0;
        for (let at = 0; at < bytes.length; at++) {
          for (const mask of [0x01, 0x80]) {
            const changed = Buffer.from(bytes);
            changed[at] = (changed[at] as number) ^ mask;
            const result = again(changed);
            if (!result.ok) continue;
            assert.deepEqual(clear(result), payment);
            spellings++;
          }
        }
        assert.ok(isSignature(path) ? spellings < bytes.length / 20 : spellings === 0, `${spellings} spellings`);
        const shapes = [
          bytes.subarray(1),
          bytes.subarray(0, -1),
          Buffer.alloc(0),
          Buffer.alloc(bytes.length),
          Buffer.concat([bytes, Buffer.from([0])]),
          Buffer.concat([Buffer.from([0]), bytes]),
          Buffer.concat([bytes, bytes]),
        ];
        for (const shape of shapes) assert.notEqual(flawOf(again(shape)), 'opened');
      });

    it('is not opened with any text of it missing, of another type, or in another alphabet', () => {
      for (const { path, text } of textsOf(token)) {
        for (const other of [
          undefined,
          null,
          0,
          true,
          [text],
          { text },
          '',
          ` ${text}`,
          `${text}\n`,
          `${text}=`,
          '-'.repeat(text.length),
        ])
          assert.notEqual(flawOf(open(put(token, path, other))), 'opened', path.join('.'));
      }
    });

    it('is itself or nothing when its text is cut, doubled, turned round or written over (property)', () => {
      const text = JSON.stringify(token);
      const place = fc.nat(text.length);
      const edit = fc.oneof(
        fc.record({
          kind: fc.constant('set' as const),
          at: place,
          with: fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme' }),
        }),
        fc.record({ kind: fc.constant('insert' as const), at: place, with: fc.string({ minLength: 1, maxLength: 8 }) }),
        fc.record({ kind: fc.constant('cut' as const), at: place, to: place }),
        fc.record({ kind: fc.constant('copy' as const), at: place, to: place, into: place }),
      );
      type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;
      const apply = (before: string, change: Edit): string => {
        if (change.kind === 'set')
          return before.slice(0, change.at) + change.with + before.slice(change.at + change.with.length);
        if (change.kind === 'insert') return before.slice(0, change.at) + change.with + before.slice(change.at);
        const [from, to] = [Math.min(change.at, change.to), Math.max(change.at, change.to)];
        if (change.kind === 'cut') return before.slice(0, from) + before.slice(to);
        return before.slice(0, change.into) + before.slice(from, to) + before.slice(change.into);
      };
      fc.assert(
        fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
          const result = open(edits.reduce(apply, text));
          if (result.ok) assert.deepEqual(clear(result), payment);
        }),
        { numRuns: 1500 },
      );
    });

    it('is itself or nothing when bytes of its parts change together (property)', () => {
      const flip = fc.record({ region: fc.nat(regions.length - 1), at: fc.nat(), value: fc.nat(255) });
      fc.assert(
        fc.property(fc.array(flip, { minLength: 1, maxLength: 5 }), (flips) => {
          const changed = flips.reduce<unknown>((before, { region, at, value }) => {
            const { path } = regions[region] as (typeof regions)[number];
            const found = textsOf(before).find((each) => each.path.join() === path.join());
            const bytes = Buffer.from(found?.text ?? '', encodingOf(path));
            bytes[at % bytes.length] = value;
            return put(before, path, bytes.toString(encodingOf(path)));
          }, token);
          const result = open(changed);
          if (result.ok) assert.deepEqual(clear(result), payment);
        }),
        { numRuns: 1500 },
      );
    });

    it('put together from parts of two is one of the two or nothing (property)', () => {
      const other = make();
      const payments = [payment, clear(open(other))];
      const paths = textsOf(token).map(({ path }) => path);
      const texts = textsOf(other);
      fc.assert(
        fc.property(fc.subarray(paths, { minLength: 1 }), (chosen) => {
          const mixed = chosen.reduce<unknown>(
            (before, path) => put(before, path, texts.find((each) => each.path.join() === path.join())?.text),
            token,
          );
          const result = open(mixed);
          if (!result.ok) return;
          const opened = clear(result);
          assert.ok(payments.some((each) => each.tokenId === opened.tokenId));
          assert.deepEqual(
            opened,
            payments.find((each) => each.tokenId === opened.tokenId),
          );
        }),
        { numRuns: 500 },
      );
    });

    it('is itself or nothing when any value of it becomes any other (property)', () => {
      const paths = textsOf(token).map(({ path }) => path);
      const parents = paths.map((path) => path.slice(0, -1)).filter((path) => path.length > 0);
      fc.assert(
        fc.property(fc.constantFrom(...paths, ...parents), fc.jsonValue({ maxDepth: 4 }), (path, value) => {
          const last = path.at(-1) === '#' ? JSON.stringify(value) : value;
          const result = open(put(token, path.at(-1) === '#' ? path.slice(0, -1) : path, last));
          if (result.ok) assert.deepEqual(clear(result), payment);
        }),
        { numRuns: 500 },
      );
    });
  });
}
