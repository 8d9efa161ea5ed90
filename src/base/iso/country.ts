// ISO 3166-1: alpha-3 in the gateway API, alpha-2 in issuing addresses, numeric on the wire. One table, three views.
import table from './countries.json' with { type: 'json' };

export interface Country {
  readonly alpha2: string;
  readonly alpha3: string;
  readonly numeric: string;
  readonly name: string;
}

const countries: readonly Country[] = (table as [string, string, string, string][]).map(
  ([alpha2, alpha3, numeric, name]) => ({ alpha2, alpha3, numeric, name }),
);
const byCode = new Map(
  countries.flatMap(
    (country) =>
      [
        [country.alpha2, country],
        [country.alpha3, country],
      ] as const,
  ),
);

/** Finds a country by its alpha-2 or alpha-3 code, upper case. */
export const countryOf = (code: string): Country | null => byCode.get(code) ?? null;
