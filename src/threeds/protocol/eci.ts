// What an authentication status means to each card brand: the electronic commerce indicator (ECI).
// Rule: Mastercard counts the other way round than everyone else; no other file knows an ECI by heart.

/** transStatus of EMV 3-D Secure once it is final: authenticated, attempt, failed, rejected, unavailable, informational. */
export type Letter = 'Y' | 'A' | 'N' | 'R' | 'U' | 'I';

interface Scheme {
  /** null: nothing is sent to the issuer with this status. */
  readonly byLetter: Readonly<Record<Letter, string | null>>;
  /** What a merchant who authenticated elsewhere may name, and what it proves. */
  readonly external: Readonly<Record<string, Letter>>;
}

const scheme: Scheme = {
  byLetter: { Y: '05', A: '06', N: null, R: null, U: '07', I: '07' },
  external: { '05': 'Y', '06': 'A', '07': 'U' },
};

const mastercard: Scheme = {
  byLetter: { Y: '02', A: '01', N: null, R: null, U: '00', I: '06' },
  // 04 data only, 06 exempt or out of scope, 07 authenticated recurring.
  external: { '02': 'Y', '01': 'A', '00': 'U', '04': 'I', '06': 'I', '07': 'Y' },
};

const schemes: Readonly<Record<string, Scheme>> = { mastercard, maestro: mastercard };
const schemeOf = (brand: string): Scheme => (Object.hasOwn(schemes, brand) && schemes[brand]) || scheme;

/** The ECI of an authentication by us; `brand` is the lowercase name of the BIN table. */
export const eciOf = (brand: string, letter: Letter): string | null => schemeOf(brand).byLetter[letter];

/** What an ECI from elsewhere proves; null when the brand has no such ECI. */
export function letterOf(brand: string, eci: string): Letter | null {
  const { external } = schemeOf(brand);
  return Object.hasOwn(external, eci) ? (external[eci] as Letter) : null;
}

/** Only an authentication or a proven attempt carries a cryptogram (CAVV). */
export const carriesCavv = (letter: Letter): boolean => letter === 'Y' || letter === 'A';
