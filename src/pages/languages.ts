// The payer's languages: catalogues of words, the choice among them, and how each writes amounts and dates.
// Rule: a text is data; nothing that a merchant or payer wrote is ever looked up or filled in as markup.
import { exponentOf, formatAmount } from '../base/index.ts';
import de from './languages/de.json' with { type: 'json' };
import en from './languages/en.json' with { type: 'json' };
import es from './languages/es.json' with { type: 'json' };
import fr from './languages/fr.json' with { type: 'json' };
import it from './languages/it.json' with { type: 'json' };
import lt from './languages/lt.json' with { type: 'json' };
import lv from './languages/lv.json' with { type: 'json' };
import pl from './languages/pl.json' with { type: 'json' };
import ru from './languages/ru.json' with { type: 'json' };
import uk from './languages/uk.json' with { type: 'json' };

type Catalogue = typeof en;
export type TextName = { [Name in keyof Catalogue]: Catalogue[Name] extends string ? Name : never }[keyof Catalogue];

/** Codes of ISO 639-1. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pl', 'lt', 'ru', 'lv', 'uk'] as const;
export type Language = (typeof LANGUAGES)[number];

type Texts = Readonly<Record<TextName, string>> & { readonly attempts_left: Readonly<Record<string, string>> };
const CATALOGUES: Readonly<Record<Language, Texts>> = { en, de, fr, es, it, pl, lt, ru, lv, uk };

const known = (code: string): Language | null => LANGUAGES.find((language) => language === code) ?? null;
const primary = (tag: string): string => tag.trim().toLowerCase().split(/[-_]/)[0] ?? '';

/** What the merchant asked for if we have it, else the best of Accept-Language (RFC 9110, 12.5.4), else English. */
export function languageFor(asked: string | null, acceptLanguage: string | undefined): Language {
  const wanted = asked === null ? null : known(primary(asked));
  if (wanted) return wanted;
  const preferred = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', weight = ''] = part.split(';');
      const q = /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(weight)?.[1];
      return { language: known(primary(tag)), q: weight === '' ? 1 : Number(q ?? 0) };
    })
    .filter(({ language, q }) => language !== null && q > 0)
    .sort((a, b) => b.q - a.q);
  return preferred[0]?.language ?? 'en';
}

export interface Words {
  readonly language: Language;
  text(name: TextName, values?: Readonly<Record<string, string>>): string;
  attemptsLeft(count: number): string;
  /** Minor units, as the language writes money: `12,50 €`. */
  amount(minor: bigint, currency: string): string;
  dateTime(at: Date, timeZone: string): string;
}

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

export function wordsIn(language: Language): Words {
  const catalogue = CATALOGUES[language];
  const plurals = new Intl.PluralRules(language);
  return {
    language,
    text: (name, values = {}) => filled(catalogue[name], values),
    attemptsLeft(count) {
      const form = catalogue.attempts_left[plurals.select(count)] ?? catalogue.attempts_left.other ?? '';
      return filled(form, { count: String(count) });
    },
    amount(minor, currency) {
      const digits = exponentOf(currency);
      const format = new Intl.NumberFormat(language, {
        style: 'currency',
        currency,
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
      // Twelve digits at most: a number holds them exactly.
      return format.format(Number(formatAmount(minor, currency)));
    },
    dateTime: (at, timeZone) =>
      new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(at),
  };
}
