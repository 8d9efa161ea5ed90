// A certificate's fingerprint: SHA-256, as 64 hexadecimal digits in small letters. Rule: it names a certificate and is no secret.

/** Any of the forms that tools print: digits in either size, with colons between the pairs or without. */
export const isFingerprint = (text: string): boolean => /^([\da-f]{2}:){31}[\da-f]{2}$|^[\da-f]{64}$/i.test(text);

/** In our own form, of a text that is a fingerprint. */
export const plainFingerprint = (text: string): string => text.replaceAll(':', '').toLowerCase();

/** Does a credential that is bound to these certificates open to who has shown this one? Bound to none, it opens to anybody who has its secret. */
export const opensTo = (bound: readonly string[], shown: string | null): boolean =>
  bound.length === 0 || (shown !== null && bound.includes(shown));

/** Two while one is renewed, and a few for several machines. */
export const MOST_CERTIFICATES = 10;
