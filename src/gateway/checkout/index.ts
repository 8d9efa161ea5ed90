// checkout: the payment page's side of an order: its creation and its address, what a payer sees and may do there, wallets, and the way
// back from the bank.
// Owns pay_links.
// Rule: what a payer does is decided again on the locked order; what it is not allowed to do there changes nothing.
export { create } from './create.ts';
export { type Landing, land, landingView } from './landing.ts';
export { createLink, type LinkFields, type LinkResult } from './link.ts';
export { type LinksDesk, linkOperatorEndpoints } from './operator-routes.ts';
export { type CheckoutDoor, checkoutDoor, type PageStep, type Payer } from './page.ts';
export type { PageCard, WrongField } from './page-card.ts';
export { isOver } from './page-states.ts';
export type { PageView } from './page-view.ts';
export { sandboxWallets } from './wallet-keys.ts';
export { WALLETS } from './wallets.ts';
