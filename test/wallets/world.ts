// A wallet, a merchant and their keys, all from one seed; tokens with any part made otherwise.
import { strict as assert } from 'node:assert';
import { seededRandom } from '../../src/base/index.ts';
import { type Flaw, type Opened, openApplePay, openGooglePay, walletSandbox } from '../../src/wallets/index.ts';
import { applePlaintext } from '../../src/wallets/sandbox.ts';
import { type AppleTokenForm, appleSigner, makeAppleToken } from '../../src/wallets/sandbox-apple.ts';
import { type GoogleTokenForm, googlePlaintext, makeGoogleToken } from '../../src/wallets/sandbox-google.ts';
import { freshKeyPair, seededKeyPair } from '../../src/wallets/sandbox-keys.ts';

export const NOW = new Date('2026-11-21T10:00:00Z');
export const after = (ms: number): Date => new Date(NOW.getTime() + ms);
export const MINUTE = 60_000;

export const SEED = Buffer.alloc(32, 'wallet tests');
export const MERCHANT = 'merchant.test.shop';
export const OTHER_MERCHANT = 'merchant.test.neighbour';
export const SHOP = 'shop-1';
export const RECIPIENT = 'gateway:florin';
export const DIGITS = '4111111111111111';
export const CRYPTOGRAM = Buffer.from(Array.from({ length: 20 }, (_, i) => i)).toString('base64');
export const CARD = { digits: DIGITS, expiry: '3012', eci: '05', cryptogram: CRYPTOGRAM };
export const APPROVED = { minor: 1250n, currencyNumeric: '978' };

export const random = seededRandom(11);
export const sandbox = walletSandbox({ seed: SEED, random, recipientId: RECIPIENT });
export const apple = sandbox.apple([MERCHANT, OTHER_MERCHANT]);
export const { google } = sandbox;

export const applePay = (token: unknown, now = NOW): Opened => openApplePay(token, MERCHANT, apple, now);
export const googlePay = (token: unknown, now = NOW): Opened => openGooglePay(token, SHOP, google, now);

/** Two payments are compared with the clear number: a Pan shows nobody its digits, not even `deepEqual`. */
export function clear(result: Opened): Record<string, unknown> {
  assert.ok(result.ok, result.ok ? '' : result.flaw);
  return { ...result.payment, pan: result.payment.pan.reveal() };
}

export function flawOf(result: Opened): Flaw | 'opened' {
  return result.ok ? 'opened' : result.flaw;
}

// What an Apple Pay token says inside, with fields changed.
export const appleContent = (change: object = {}): string =>
  JSON.stringify({ ...(JSON.parse(applePlaintext(CARD, APPROVED)) as object), ...change });

export type Json = Record<string, unknown>;

export function appleToken(change: Partial<AppleTokenForm> = {}): Json & { header: Json } {
  return makeAppleToken({
    signer: appleSigner(SEED),
    merchantId: MERCHANT,
    merchantKey: seededKeyPair(SEED, `apple/merchant/${MERCHANT}`),
    ephemeral: freshKeyPair(random),
    transactionId: random.bytes(32),
    applicationData: null,
    signedAt: NOW,
    plaintext: appleContent(),
    ...change,
  }) as Json & { header: Json };
}

/** What a Google Pay token says inside, with fields changed, those of the card too. */
export function googleContent(change: object = {}, card: object = {}): string {
  const content = JSON.parse(
    googlePlaintext({ ...CARD, gatewayMerchantId: SHOP, messageId: 'message-1', messageExpiresAt: after(MINUTE) }),
  ) as { paymentMethodDetails: object };
  return JSON.stringify({
    ...content,
    paymentMethodDetails: { ...content.paymentMethodDetails, ...card },
    ...change,
  });
}

export function googleToken(change: Partial<GoogleTokenForm> = {}): Json & { intermediateSigningKey: Json } {
  return makeGoogleToken({
    root: seededKeyPair(SEED, 'google/root'),
    intermediate: seededKeyPair(SEED, 'google/intermediate'),
    intermediateExpiresAt: after(MINUTE),
    recipientId: RECIPIENT,
    recipientKey: seededKeyPair(SEED, 'google/recipient'),
    ephemeral: freshKeyPair(random),
    plaintext: googleContent(),
    ...change,
  }) as Json & { intermediateSigningKey: Json };
}
