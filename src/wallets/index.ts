// wallets: opens the payment tokens of Apple Pay and Google Pay, and makes such tokens for the sandbox. Owns no table, knows no HTTP.
// Rule: pure. Time, keys and roots are given; a token is opened or its flaw told in one word, and its id is what the caller accepts once.
export {
  APPLE_TOLERANCE_MS,
  type AppleKey,
  type AppleSettings,
  appleKey,
  appleRoot,
  openApplePay,
} from './apple.ts';
export { type GoogleRoot, type GoogleSettings, googleKey, googleRoots, openGooglePay } from './google.ts';
export { type SandboxCard, type WalletSandbox, walletSandbox } from './sandbox.ts';
export { type Flaw, flaws, type Opened, type WalletPayment } from './token.ts';
