// Wallets as the payment page knows them: which ones it shows, and a token as what pays. Opening tokens is the wallets room's work.
import type { OrderOptions, Wallet, WalletKeys } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

export const WALLETS: readonly Wallet[] = ['apple_pay', 'google_pay'];

/** Shown: what the installation has keys for, and the project or the order asks for. */
export function walletsOf(keys: WalletKeys | null, { settings }: Project, options: OrderOptions): Wallet[] {
  const asked: Readonly<Record<Wallet, boolean | undefined>> = {
    apple_pay: options.apple_pay_enabled,
    google_pay: options.google_pay_enabled,
  };
  return WALLETS.filter((wallet) => keys?.offered.includes(wallet) && (settings.wallets || asked[wallet]));
}
