// What a wallet's token pays with, as authorize takes it. Rule: only what the payer approved on the device is paid: another amount or
// currency in the token is no payment, and a token pays once.
import { type Money, numericOf, type Random } from '../../base/index.ts';
import { lookupBin } from '../../network/index.ts';
import { checkExternal, type ExternalResult, eciOf } from '../../threeds/index.ts';
import type { Opened, WalletPayment } from '../../wallets/index.ts';
import type { Wallet, WalletKeys, WalletMeans } from '../orders/index.ts';
import { WALLETS } from './wallets.ts';

const RECIPIENT = 'gateway:florin';
const APPLE_MERCHANT = 'merchant.florin.sandbox';
const GOOGLE_MERCHANT = 'florin-sandbox';
/** The card in the sandbox's wallets: approved, without a challenge. */
const CARD = { digits: '4111111111111111', expiry: '3012', eci: '05' } as const;

const approvedOf = ({ minor, currency }: Money) => ({ minor, currencyNumeric: numericOf(currency) });

/**
 * A device's cryptogram is a proof of authentication (DSRP). A wallet that names no indicator means that of an authenticated payment of
 * the brand. undefined: what it names fits nothing.
 */
function externalOf({ pan, cryptogram, eci, deviceBound }: WalletPayment): ExternalResult | null | undefined {
  if (!deviceBound || cryptogram === null) return null;
  const { brand } = lookupBin(pan);
  const named = eci ?? eciOf(brand, 'Y');
  const result: ExternalResult = { dsrp: cryptogram, ...(named === null ? {} : { eci: named }) };
  return checkExternal(result, brand).length === 0 ? result : undefined;
}

/** What pays; null: the token is no good for what is due. */
export function meansOf(opened: Opened, due: Money): WalletMeans | null {
  if (!opened.ok) return null;
  const { payment } = opened;
  const { approved } = payment;
  const wanted = approvedOf(due);
  if (approved && (approved.minor !== wanted.minor || approved.currencyNumeric !== wanted.currencyNumeric)) return null;
  const external = externalOf(payment);
  if (external === undefined) return null;
  const { pan, expiry, tokenId } = payment;
  return { card: { pan, expiry, cvv: null, holder: null }, external, onceOnly: tokenId };
}

interface Seed {
  readonly seed: Buffer;
  readonly random: Random;
}

/** Reads what a wallet gave, or what the sandbox's own wallet gives where it gave nothing. */
type Reads = Readonly<Record<Wallet, (token: string | null, due: Money, now: Date) => Opened>>;

/** Keys and certificates are made, and the libraries loaded, when the first token comes. */
async function sandboxReads({ seed, random }: Seed): Promise<Reads> {
  const { openApplePay, openGooglePay, walletSandbox } = await import('../../wallets/index.ts');
  const sandbox = walletSandbox({ seed, random, recipientId: RECIPIENT });
  const apple = sandbox.apple([APPLE_MERCHANT]);
  return {
    apple_pay(token, due, now) {
      const given = token ?? sandbox.applePayToken(APPLE_MERCHANT, CARD, approvedOf(due), now);
      return openApplePay(given, APPLE_MERCHANT, apple, now);
    },
    google_pay(token, _due, now) {
      const given = token ?? sandbox.googlePayToken(GOOGLE_MERCHANT, CARD, now);
      return openGooglePay(given, GOOGLE_MERCHANT, sandbox.google, now);
    },
  };
}

/** The sandbox's wallets: `seed` makes their keys; a button's press makes a token. */
export function sandboxWallets(seed: Seed): WalletKeys {
  let reads: Promise<Reads> | null = null;
  const opened = (): Promise<Reads> =>
    (reads ??= sandboxReads(seed).catch((error: unknown) => {
      reads = null;
      throw error;
    }));
  return {
    offered: WALLETS,
    async open(wallet, token, due, now) {
      return meansOf((await opened())[wallet](token, due, now), due);
    },
  };
}
