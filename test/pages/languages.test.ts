// The payment page's texts: every language says all that English says, with the same blanks to fill, and nothing a page could run.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';

type Catalogue = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const FOLDER = join(import.meta.dirname, '../../src/pages/languages');

/** Words of English texts that are the language's own words too. Whatever else is shared was left untranslated. */
const SHARED_WORDS: Readonly<Record<string, readonly string[]>> = {
  de: ['bank', 'code', 'moment', 'name', 'optional', 'shop', 'test', 'wallet'],
  es: ['use'],
  fr: ['code', 'confirmation', 'date', 'description', 'future', 'minutes', 'mode', 'page', 'site', 'test'],
  it: ['link', 'zero'],
  pl: ['bank', 'link', 'ten'],
};

/** Texts that are the same, letter for letter. */
const SHARED_TEXTS: Readonly<Record<string, readonly string[]>> = {
  de: ['month_hint', 'optional'],
  es: ['month_hint'],
  fr: ['month_hint', 'description', 'date'],
  it: ['month_hint'],
  lv: ['month_hint'],
  pl: ['month_hint'],
};

/** What stands on a button, or over one of three fields in a row, has to fit on a narrow phone: letters, at most. */
const ROOM: Readonly<Record<string, number>> = {
  pay_button: 14,
  paying: 24,
  cancel: 24,
  bank_button: 24,
  finish_button: 24,
  return_button: 24,
  reload: 24,
  print: 24,
  month: 12,
  month_hint: 2,
  year: 12,
  year_hint: 2,
  cvv: 13,
};

/** Where a language wants a space that does not break, what a space that breaks would look like. */
const BREAKS: Readonly<Record<string, RegExp>> = {
  fr: /[^\u00a0\u202f][:;!?]|« | »/u,
  pl: /(?<!\p{L})[aiouwz] /iu,
  ru: /(?<!\p{L})[аиковсу] /iu,
  uk: /(?<!\p{L})[авзйоу] /iu,
};

const textOf = (code: string): string => readFileSync(join(FOLDER, `${code}.json`), 'utf8');
const codes = readdirSync(FOLDER)
  .map((file) => basename(file, '.json'))
  .sort();
const catalogues = new Map<string, Catalogue>(codes.map((code) => [code, JSON.parse(textOf(code)) as Catalogue]));
const translated = codes.filter((code) => code !== 'en');
const catalogueOf = (code: string): Catalogue => {
  const catalogue = catalogues.get(code);
  assert.ok(catalogue, code);
  return catalogue;
};
const english = catalogueOf('en');

/** Each text of an entry: one, or one for each plural category. */
const textsAt = (catalogue: Catalogue, key: string): readonly string[] => {
  const entry = catalogue[key];
  assert.ok(entry !== undefined, key);
  return typeof entry === 'string' ? [entry] : Object.values(entry);
};
const entries = (code: string): readonly (readonly [key: string, text: string])[] =>
  Object.keys(catalogueOf(code)).flatMap((key) => textsAt(catalogueOf(code), key).map((text) => [key, text] as const));

/** The texts of a language that are at fault, as `code.key: text`. */
const faults = (languages: readonly string[], bad: (text: string, key: string, code: string) => boolean): string[] =>
  languages.flatMap((code) =>
    entries(code)
      .filter(([key, text]) => bad(text, key, code))
      .map(([key, text]) => `${code}.${key}: ${text}`),
  );

const blanks = (text: string): string[] => (text.match(/\{[^}]*\}/g) ?? []).sort();
const digits = (text: string): string[] => (text.match(/\d+/g) ?? []).sort();
const words = (text: string): string[] =>
  text
    .replace(/\{\w+\}/g, ' ')
    .toLowerCase()
    .match(/\p{L}{3,}/gu) ?? [];

describe('the texts of the payment page', () => {
  it('are there in every language that an order may name', () => {
    for (const code of ['de', 'en', 'es', 'fr', 'it', 'lt', 'lv', 'pl', 'ru', 'uk'])
      assert.ok(codes.includes(code), code);
    for (const code of codes) assert.deepEqual(Intl.getCanonicalLocales(code), [code]);
  });

  it('have the keys of English in its order, each once', () => {
    for (const code of translated) {
      assert.deepEqual(Object.keys(catalogueOf(code)), Object.keys(english), code);
      const written = [...textOf(code).matchAll(/^ {2}"(\w+)":/gm)].map(([, key]) => key);
      assert.deepEqual(written, Object.keys(english), code);
    }
  });

  it('are counted where English counts, with every plural category of the language', () => {
    for (const code of codes)
      for (const [key, entry] of Object.entries(catalogueOf(code))) {
        assert.equal(typeof entry, typeof english[key], `${code}.${key}`);
        if (typeof entry === 'string') continue;
        const categories = new Set([...new Intl.PluralRules(code).resolvedOptions().pluralCategories, 'other']);
        assert.deepEqual(Object.keys(entry).sort(), [...categories].sort(), `${code}.${key}`);
      }
  });

  it('tell one attempt from several', () => {
    for (const code of codes) {
      const left = catalogueOf(code).attempts_left;
      assert.ok(typeof left === 'object', code);
      const said = (count: number): string | undefined => left[new Intl.PluralRules(code).select(count)];
      assert.notEqual(said(1), said(2), code);
      assert.notEqual(said(1), said(5), code);
      if (new Intl.PluralRules(code).select(2) !== new Intl.PluralRules(code).select(5))
        assert.notEqual(said(2), said(5), code);
    }
  });

  it('have the blanks of English, in every plural too', () => {
    assert.deepEqual(
      faults(codes, (text, key) => {
        const [own] = textsAt(english, key);
        return JSON.stringify(blanks(text)) !== JSON.stringify(blanks(own ?? ''));
      }),
      [],
    );
  });

  it('name the digits that English names', () => {
    assert.deepEqual(
      faults(translated, (text, key) => {
        const [own] = textsAt(english, key);
        return JSON.stringify(digits(text)) !== JSON.stringify(digits(own ?? ''));
      }),
      [],
    );
  });

  it('are not empty, and have no space to spare', () => {
    assert.deepEqual(
      faults(codes, (text) => text.trim() === '' || text !== text.trim() || /\s\s/.test(text)),
      [],
    );
  });

  it('have nothing that means something in HTML, and no quotes of a typewriter', () => {
    assert.deepEqual(
      faults(codes, (text) => /[<>&"'`\\]|\p{Cc}/u.test(text)),
      [],
    );
    assert.deepEqual(
      faults(codes, (text) => /[{}]/.test(text.replace(/\{[a-z]+\}/g, ''))),
      [],
    );
  });

  it('were not left in English', () => {
    for (const code of translated)
      assert.deepEqual(
        Object.keys(english).filter((key) => JSON.stringify(catalogueOf(code)[key]) === JSON.stringify(english[key])),
        Object.keys(english).filter((key) => SHARED_TEXTS[code]?.includes(key)),
        code,
      );
  });

  it('have no English word but those that are the language’s own', () => {
    const ofEnglish = new Set(entries('en').flatMap(([, text]) => words(text)));
    for (const code of translated) {
      const shared = new Set(entries(code).flatMap(([, text]) => words(text).filter((word) => ofEnglish.has(word))));
      assert.deepEqual([...shared].sort(), SHARED_WORDS[code] ?? [], code);
    }
  });

  it('are written in one script, whatever looks alike', () => {
    const mixed = /(?=\p{L}*\p{Script=Latin})(?=\p{L}*\p{Script=Cyrillic})\p{L}+/u;
    assert.deepEqual(
      faults(codes, (text) => mixed.test(text)),
      [],
    );
    // CVV is printed on cards in Latin letters everywhere.
    const foreign = (text: string, code: string): boolean =>
      code === 'ru' || code === 'uk'
        ? /\p{Script=Latin}/u.test(text.replace(/\{\w+\}|CVV/g, ''))
        : /\p{Script=Cyrillic}/u.test(text);
    assert.deepEqual(
      faults(codes, (text, _key, code) => foreign(text, code)),
      [],
    );
  });

  it('do not break where the language does not, and show in the file where that is', () => {
    assert.deepEqual(
      faults(translated, (text, _key, code) => BREAKS[code]?.test(text) ?? false),
      [],
    );
    for (const code of codes) assert.doesNotMatch(textOf(code), /[\u00a0\u00ad\u200b-\u200f\u202f\u2060\ufeff]/u, code);
  });

  it('end a sentence where English does', () => {
    const end = (text: string): string => (/[.:…?!]$/u.exec(text) ?? [''])[0];
    assert.deepEqual(
      faults(translated, (text, key) => end(text) !== end(textsAt(english, key)[0] ?? '')),
      [],
    );
  });

  it('fit on a narrow phone', () => {
    for (const key of Object.keys(ROOM)) assert.ok(key in english, key);
    assert.deepEqual(
      faults(codes, (text, key) => text.replace(/\{\w+\}/g, '').trim().length > (ROOM[key] ?? 140)),
      [],
    );
  });
});
