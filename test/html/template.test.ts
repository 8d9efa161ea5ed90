// The template: whatever text is put into it stays text, and only what it made itself is markup.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hashOf, html, trusted } from '../../src/html/index.ts';
import { filesIn, textOf } from '../house/source.ts';

const PLAIN: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const unescaped = (text: string): string => text.replace(/&[a-z0-9#]+;/g, (entity) => PLAIN[entity] ?? entity);

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...`<>"'&;=/!-\`$\{}a #39`) }),
  fc.constantFrom('</script><script>alert(1)</script>', '" onload="x', "' x='", '&lt;b&gt;', '<!--', '$&', '$1'),
);

describe('the template', () => {
  it('lets no text out of its place, and shows it as it was (property)', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const { text } = html`<p title="${one}">${two}</p>`;
        const [, attribute, content] = /^<p title="([^"]*)">([^<>]*)<\/p>$/s.exec(text) ?? [];
        assert.equal(unescaped(attribute ?? ''), one);
        assert.equal(unescaped(content ?? ''), two);
      }),
      { numRuns: 2000 },
    );
  });

  it('escapes no markup of its own a second time, in lists neither, and leaves out null and false', () => {
    const item = (text: string) => html`<li>${text}</li>`;
    const list = html`<ul>${['a', '<b>'].map(item)}${null}${false}${[]}</ul>${0}${-1}`;
    assert.equal(list.text, '<ul><li>a</li><li>&lt;b&gt;</li></ul>0-1');
    assert.equal(html`${list}`.text, list.text);
    assert.equal(html``.text, '');
  });

  it('takes nothing for markup because it looks like it', () => {
    const forged = { text: '<b>' } as unknown as ReturnType<typeof html>;
    assert.throws(() => html`${forged}`, TypeError);
    assert.equal(html`${trusted('<b>')}`.text, '<b>');
  });

  it('is what every document of ours begins with', () => {
    const begins = filesIn('src', '.ts').filter((path) => /(?<!\bhtml)[`'"]\s*<(!doctype|html\b)/i.test(textOf(path)));
    assert.deepEqual(begins, []);
    assert.ok(filesIn('src', '.ts').some((path) => textOf(path).includes('html`<!doctype')));
  });
});

describe('a policy', () => {
  it('names a text by its hash', () => {
    const digest = createHash('sha256').update('body{}').digest('base64');
    assert.equal(hashOf('body{}'), `'sha256-${digest}'`);
    assert.notEqual(hashOf('body{} '), hashOf('body{}'));
  });
});
