// Authentication done elsewhere: the merchant names its results (`secure3d` of the authorize request).
// Rule: what can't be verified here is at least well formed and fits together; "each value once" is a unique row (queries.ts).
import { type Authentication, carriesCavv, decodeCavv, isUuid, letterOf } from './protocol/index.ts';

export interface ExternalResult {
  readonly xid?: string | undefined;
  readonly cavv?: string | undefined;
  readonly eci?: string | undefined;
  readonly ds_trans_id?: string | undefined;
  /** A wallet's cryptogram, given instead of a cavv. */
  readonly dsrp?: string | undefined;
}

/** One wrong field of `secure3d`. `attribute` is the rule that it breaks. */
export interface ExternalError {
  readonly field: 'cavv' | 'dsrp' | 'eci' | 'ds_trans_id';
  readonly attribute: 'required' | 'format' | 'brand';
  readonly message: string;
}

const wrong = (
  field: ExternalError['field'],
  attribute: ExternalError['attribute'],
  message: string,
): ExternalError => ({
  field,
  attribute,
  message,
});

/** Every wrong field at once; empty when the result can be used. Empty strings count as absent. */
export function checkExternal(result: ExternalResult, brand: string): ExternalError[] {
  const errors: ExternalError[] = [];
  const cavv = result.cavv || result.dsrp;
  const letter = result.eci ? letterOf(brand, result.eci) : null;
  if (!result.eci) errors.push(wrong('eci', 'required', 'Required'));
  else if (!letter) errors.push(wrong('eci', 'brand', 'Does not fit the card brand'));
  if (cavv) {
    for (const field of ['cavv', 'dsrp'] as const) {
      const value = result[field];
      if (value && !decodeCavv(value)) errors.push(wrong(field, 'format', 'Must be 20 bytes in base64 or hex'));
    }
  } else if (letter && carriesCavv(letter)) errors.push(wrong('cavv', 'required', 'Required'));
  if (result.ds_trans_id) {
    if (!isUuid(result.ds_trans_id)) errors.push(wrong('ds_trans_id', 'format', 'Must be a UUID'));
  } else if (letter && carriesCavv(letter) && !result.xid && !result.dsrp) {
    // Version 1 had an xid, wallets have neither.
    errors.push(wrong('ds_trans_id', 'required', 'Required'));
  }
  return errors;
}

/** The result as the network is told; only after checkExternal found nothing. */
export function externalAuthentication(result: ExternalResult, brand: string): Authentication {
  const bytes = decodeCavv(result.cavv || result.dsrp || '');
  return {
    letter: letterOf(brand, result.eci ?? '') ?? 'U',
    scenario: 'external',
    eci: result.eci || null,
    cavv: bytes ? bytes.toString('base64') : null,
    dsTransId: result.ds_trans_id?.toLowerCase() || null,
    version: result.ds_trans_id ? '2.2.0' : result.xid ? '1.0.2' : null,
    reasonCode: null,
  };
}
