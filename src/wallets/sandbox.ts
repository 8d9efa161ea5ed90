// The wallet of the sandbox: its own keys, made from a seed, the settings that trust them, and tokens for its test cards.
// Rule: settings of the sandbox are never beside real ones; whoever has the seed can sign any card.
import { createPublicKey } from 'node:crypto';
import { assert, type Random } from '../base/index.ts';
import { APPLE_TOLERANCE_MS, type AppleKey, type AppleSettings, publicKeyHash } from './apple.ts';
import type { GoogleSettings } from './google.ts';
import { type AppleSigner, appleSigner, makeAppleToken } from './sandbox-apple.ts';
import { googlePlaintext, makeGoogleToken } from './sandbox-google.ts';
import { freshKeyPair, seededKeyPair } from './sandbox-keys.ts';
import type { WalletPayment } from './token.ts';

export interface SandboxCard {
  /** Of a test card. */
  readonly digits: string;
  /** YYMM. */
  readonly expiry: string;
  readonly eci: string | null;
  /** Base64 of 20 bytes; a random one when absent. null: the plain card, which Google Pay alone can give. */
  readonly cryptogram?: string | null;
}

export interface WalletSandbox {
  /** What opens the tokens of these merchants. */
  apple(merchantIds: readonly string[]): AppleSettings;
  readonly google: GoogleSettings;
  /** `paymentData` as JSON text, right at `now`. */
  applePayToken(
    merchantId: string,
    card: SandboxCard,
    approved: NonNullable<WalletPayment['approved']>,
    now: Date,
  ): string;
  /** The token as JSON text, right at `now` and for an hour. */
  googlePayToken(gatewayMerchantId: string | null, card: SandboxCard, now: Date): string;
}

export interface SandboxOptions {
  /** At least 32 secret bytes; one seed, one set of keys. */
  readonly seed: Buffer;
  readonly random: Random;
  /** `gateway:<name>`. */
  readonly recipientId: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ROOT_EXPIRES_AT = new Date('2049-12-31T00:00:00Z');

export function walletSandbox({ seed, random, recipientId }: SandboxOptions): WalletSandbox {
  let signer: AppleSigner | undefined;
  const apple = (): AppleSigner => (signer ??= appleSigner(seed));
  const root = seededKeyPair(seed, 'google/root');
  const intermediate = seededKeyPair(seed, 'google/intermediate');
  const recipient = seededKeyPair(seed, 'google/recipient');
  const cryptogramFor = (card: SandboxCard): string | null =>
    card.cryptogram === undefined ? random.bytes(20).toString('base64') : card.cryptogram;
  return {
    apple: (merchantIds) => ({
      keys: merchantIds.map((merchantId) => sandboxAppleKey(seed, merchantId)),
      roots: [apple().root],
      toleranceMs: APPLE_TOLERANCE_MS,
    }),
    google: {
      recipientId,
      privateKeys: [recipient.privateKey],
      roots: [{ publicKey: root.publicKey, expiresAt: ROOT_EXPIRES_AT }],
    },
    applePayToken: (merchantId, card, approved, now) => {
      const cryptogram = cryptogramFor(card);
      assert(cryptogram !== null, 'Apple Pay gives no plain card');
      const token = makeAppleToken({
        signer: apple(),
        merchantId,
        merchantKey: { publicKey: createPublicKey(sandboxAppleKey(seed, merchantId).privateKey) },
        ephemeral: freshKeyPair(random),
        transactionId: random.bytes(32),
        applicationData: null,
        signedAt: now,
        plaintext: applePlaintext({ ...card, cryptogram }, approved),
      });
      return JSON.stringify(token);
    },
    googlePayToken: (gatewayMerchantId, card, now) => {
      const plaintext = googlePlaintext({
        gatewayMerchantId,
        messageId: random.bytes(48).toString('base64url'),
        messageExpiresAt: new Date(now.getTime() + HOUR_MS),
        digits: card.digits,
        expiry: card.expiry,
        cryptogram: cryptogramFor(card),
        eci: card.eci,
      });
      const token = makeGoogleToken({
        root,
        intermediate,
        intermediateExpiresAt: new Date(now.getTime() + DAY_MS),
        recipientId,
        recipientKey: recipient,
        ephemeral: freshKeyPair(random),
        plaintext,
      });
      return JSON.stringify(token);
    },
  };
}

/** The payment processing key that the sandbox gives a merchant. */
function sandboxAppleKey(seed: Buffer, merchantId: string): AppleKey {
  const { privateKey, publicKey } = seededKeyPair(seed, `apple/merchant/${merchantId}`);
  return { merchantId, privateKey, publicKeyHash: publicKeyHash(publicKey) };
}

/** What is encrypted for Apple Pay. The day of the expiry is the month's last in the field; networks do not carry it. */
export function applePlaintext(
  card: SandboxCard & { readonly cryptogram: string },
  approved: NonNullable<WalletPayment['approved']>,
): string {
  return JSON.stringify({
    applicationPrimaryAccountNumber: card.digits,
    applicationExpirationDate: `${card.expiry}28`,
    currencyCode: approved.currencyNumeric,
    transactionAmount: Number(approved.minor),
    deviceManufacturerIdentifier: '040010030273',
    paymentDataType: '3DSecure',
    paymentData: {
      onlinePaymentCryptogram: card.cryptogram,
      ...(card.eci === null ? {} : { eciIndicator: card.eci }),
    },
  });
}
