// What a wallet's token pays with, as authorize takes it. Rule: only what the payer approved on the device is paid: another amount or
// currency in the token is no payment, and a token pays once.
import { type Money, numericOf, type Random } from '../../base/index.ts';
import { lookupBin } from '../../network/index.ts';
import { checkExternal, type ExternalResult, eciOf } from '../../threeds/index.ts';
import { type Opened, openApplePay, openGooglePay, type WalletPayment, walletSandbox } from '../../wallets/index.ts';
import type { Wallet, WalletKeys } from '../orders/index.ts';
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
export function meansOf(opened: Opened, due: Money): ReturnType<WalletKeys['open']> {
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

/** The sandbox's wallets: `seed` makes their keys; a button's press makes a token. */
export function sandboxWallets({ seed, random }: { readonly seed: Buffer; readonly random: Random }): WalletKeys {
  const sandbox = walletSandbox({ seed, random, recipientId: RECIPIENT });
  const apple = sandbox.apple([APPLE_MERCHANT]);
  const opens: Readonly<Record<Wallet, (token: string, now: Date) => Opened>> = {
    apple_pay: (token, now) => openApplePay(token, APPLE_MERCHANT, apple, now),
    google_pay: (token, now) => openGooglePay(token, GOOGLE_MERCHANT, sandbox.google, now),
  };
  const makes: Readonly<Record<Wallet, (due: Money, now: Date) => string>> = {
    apple_pay: (due, now) => sandbox.applePayToken(APPLE_MERCHANT, CARD, approvedOf(due), now),
    google_pay: (_due, now) => sandbox.googlePayToken(GOOGLE_MERCHANT, CARD, now),
  };
  return {
    offered: WALLETS,
    open: (wallet, token, due, now) => meansOf(opens[wallet](token ?? makes[wallet](due, now), now), due),
  };
}
