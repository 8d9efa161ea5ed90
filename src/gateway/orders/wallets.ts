// Wallets as the payment page knows them: which ones it shows, and a token as what pays. Opening tokens is the wallets room's work.
import type { Money, Pan } from '../../base/index.ts';
import type { ExternalResult } from '../../threeds/index.ts';
import type { Project } from '../projects/index.ts';
import type { OrderOptions } from './model.ts';

export type Wallet = 'apple_pay' | 'google_pay';
export const WALLETS: readonly Wallet[] = ['apple_pay', 'google_pay'];

/** What an authorization is asked with instead of what a payer types. */
export interface WalletMeans {
  readonly card: { readonly pan: Pan; readonly expiry: string; readonly cvv: null; readonly holder: null };
  /** The device's proof; null: a plain card, to be authenticated as any other. */
  readonly external: ExternalResult | null;
  /** Id of the token: it pays once. */
  readonly onceOnly: string;
}

/** Port, filled by app.ts: the installation's wallet keys. */
export interface WalletKeys {
  /** Which wallets there are keys for. */
  readonly offered: readonly Wallet[];
  /**
   * What a wallet's token pays with: the card, and the device's cryptogram as a proof of authentication. null: it is no good, or was
   * approved for another amount. `token` null: a token of the sandbox's own wallet, which exists in sandbox mode only.
   */
  open(wallet: Wallet, token: string | null, due: Money, now: Date): WalletMeans | null;
}

/** Shown: what the installation has keys for, and the project or the order asks for. */
export function walletsOf(keys: WalletKeys | null, { settings }: Project, options: OrderOptions): Wallet[] {
  const asked: Readonly<Record<Wallet, boolean | undefined>> = {
    apple_pay: options.apple_pay_enabled,
    google_pay: options.google_pay_enabled,
  };
  return WALLETS.filter((wallet) => keys?.offered.includes(wallet) && (settings.wallets || asked[wallet]));
}
