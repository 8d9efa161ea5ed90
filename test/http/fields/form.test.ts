// Forms as browsers post them, and as nobody honest does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readForm } from '../../../src/http/fields/form.ts';

const read = (text: string | Buffer) => ({ ...readForm(Buffer.from(text as string)) });

test('a form reads as it was typed', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' })).filter((fields) =>
        Object.entries(fields)
          .flat()
          .every((text) => text.isWellFormed() && !/[\0\ufffd]/.test(text)),
      ),
      (fields) => {
        assert.deepEqual(readForm(Buffer.from(new URLSearchParams(fields).toString())), {
          __proto__: null,
          ...fields,
        });
      },
    ),
  );
});

test('a name that stands twice has both values, an empty one is there, a part without name is nothing', () => {
  assert.deepEqual(read('a=1&a=2&a=3&b&c=&&=x'), { a: ['1', '2', '3'], b: '', c: '', '': 'x' });
  assert.deepEqual(read(''), {});
});

test('a value that could not be stored reads as one that no field takes, and the others stand', () => {
  for (const bad of ['%00', 'a%00b', '%ED%A0%80', '%FF', '%C0%80', '%F4%90%80%80', '%', '%zz', 'a%EF%BF%BDb'])
    assert.deepEqual(read(`holder=${bad}&cvv=123`), { holder: '\ufffd', cvv: '123' }, bad);
  for (const bytes of [[0], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]])
    assert.deepEqual(read(Buffer.concat([Buffer.from('cvv=123&holder=A'), Buffer.from(bytes)])), {
      cvv: '123',
      holder: '\ufffd',
    });
});

test('a name that could not be stored is nobody’s, and none reaches into objects', () => {
  assert.deepEqual(read('%00=1&%FF=2&%zz=3'), {});
  const form = readForm(Buffer.from('__proto__=1&constructor=2'));
  assert.equal(Object.getPrototypeOf(form), null);
  assert.deepEqual(Object.keys(form), ['__proto__', 'constructor']);
});
