// Makes Google Pay tokens of protocol ECv2 with keys of the sandbox's own, in the published form.
// Rule: what is made here opens in google.ts and nowhere else: no key of this file is anyone's but the sandbox's.
import { createCipheriv, createHmac, sign } from 'node:crypto';
import { GOOGLE_SENDER, GOOGLE_VERSION, lengthValue, messageKeys, ZERO_COUNTER } from './google.ts';
import type { KeyPair } from './sandbox-keys.ts';
import { spkiOf } from './token.ts';

/** Written by the tests in wrong ways too: everything that decides is a field. */
export interface GoogleTokenForm {
  readonly root: KeyPair;
  readonly intermediate: KeyPair;
  readonly intermediateExpiresAt: Date;
  readonly recipientId: string;
  readonly recipientKey: Pick<KeyPair, 'publicKey'>;
  readonly ephemeral: KeyPair;
  readonly plaintext: string;
}

/** JSON that may stand in a page, as Google writes it. */
const htmlSafe = (value: unknown): string =>
  JSON.stringify(value).replace(/[=<>&']/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

export function makeGoogleToken(form: GoogleTokenForm): Record<string, unknown> {
  const signedKey = htmlSafe({
    keyExpiration: String(form.intermediateExpiresAt.getTime()),
    keyValue: spkiOf(form.intermediate.publicKey).toString('base64'),
  });
  const signedMessage = encrypt(form);
  return {
    protocolVersion: GOOGLE_VERSION,
    signature: signed(form.intermediate, GOOGLE_SENDER, form.recipientId, GOOGLE_VERSION, signedMessage),
    intermediateSigningKey: { signedKey, signatures: [signed(form.root, GOOGLE_SENDER, GOOGLE_VERSION, signedKey)] },
    signedMessage,
  };
}

const signed = (key: KeyPair, ...texts: readonly string[]): string =>
  sign('sha256', lengthValue(...texts), key.privateKey).toString('base64');

function encrypt({ ephemeral, recipientKey, plaintext }: GoogleTokenForm): string {
  const keys = messageKeys(ephemeral.privateKey, recipientKey.publicKey, ephemeral.point);
  const cipher = createCipheriv('aes-256-ctr', keys.cipher, ZERO_COUNTER);
  const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return htmlSafe({
    encryptedMessage: encrypted.toString('base64'),
    ephemeralPublicKey: ephemeral.point.toString('base64'),
    tag: createHmac('sha256', keys.mac).update(encrypted).digest('base64'),
  });
}

export interface GoogleCard {
  readonly gatewayMerchantId: string | null;
  readonly messageId: string;
  readonly messageExpiresAt: Date;
  readonly digits: string;
  /** YYMM. */
  readonly expiry: string;
  /** null: the plain card. */
  readonly cryptogram: string | null;
  readonly eci: string | null;
}

/** What is encrypted. */
export function googlePlaintext(card: GoogleCard): string {
  const { cryptogram, eci } = card;
  return JSON.stringify({
    ...(card.gatewayMerchantId === null ? {} : { gatewayMerchantId: card.gatewayMerchantId }),
    messageExpiration: String(card.messageExpiresAt.getTime()),
    messageId: card.messageId,
    paymentMethod: 'CARD',
    paymentMethodDetails: {
      expirationYear: 2000 + Number(card.expiry.slice(0, 2)),
      expirationMonth: Number(card.expiry.slice(2)),
      pan: card.digits,
      ...(cryptogram === null
        ? { authMethod: 'PAN_ONLY' }
        : { authMethod: 'CRYPTOGRAM_3DS', cryptogram, ...(eci === null ? {} : { eciIndicator: eci }) }),
    },
  });
}
