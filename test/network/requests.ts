// Network messages for tests: an ordinary e-commerce authorization, and what a test wants different.
import { luhnDigit, Pan } from '../../src/base/index.ts';
import type { NetworkRequest } from '../../src/network/index.ts';

export const pan = (digits: string): Pan => {
  const parsed = Pan.parse(digits);
  if (!parsed) throw new Error(`not a card number: ${digits}`);
  return parsed;
};

let references = 0;

export function request(different: Partial<NetworkRequest> = {}): NetworkRequest {
  return {
    operation: 'authorize',
    owner: 1n,
    orderId: 10n,
    reference: String(++references),
    attempt: 1,
    original: null,
    pan: pan('4111111111111111'),
    expiry: '3012',
    cvv: null,
    holder: 'A BUYER',
    amount: { minor: 1000n, currency: 'EUR' },
    stan: '000042',
    transmittedAt: new Date('2026-11-21T09:30:15Z'),
    terminal: {
      id: '1',
      merchantId: 'SANDBOX',
      mcc: '5999',
      descriptor: 'FLORIN*SANDBOX',
      country: null,
      cvvMustMatch: false,
    },
    channel: 'ecommerce',
    final: true,
    pin: null,
    entryMode: 'ecommerce',
    initiator: 'customer',
    indicator: null,
    originalTraceId: null,
    exemption: null,
    authentication: null,
    ...different,
  };
}

/** A message that belongs to an authorization: same order and card. */
export const after = (
  authorize: NetworkRequest,
  operation: NetworkRequest['operation'],
  different: Partial<NetworkRequest> = {},
): NetworkRequest =>
  request({
    ...authorize,
    cvv: null,
    operation,
    original: authorize.reference,
    reference: String(++references),
    ...different,
  });

export const authenticated = (letter: string, forced = true): NetworkRequest['authentication'] => ({
  letter,
  eci: '05',
  cavv: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  dsTransId: null,
  version: '2.2.0',
  forced,
});

/** A card number of 16 digits that begins so: zeros behind, then the Luhn digit. */
export function cardFrom(leading: string): Pan {
  const payload = leading.padEnd(15, '0');
  return pan(payload + luhnDigit(payload));
}

/** A card of the scheme 499999 + operation + outcome + 0000 + Luhn digit. */
export const schemeCard = (operation: string, outcome: string): Pan => cardFrom(`499999${operation}${outcome}`);
