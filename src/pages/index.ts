// pages: what people see. Owns no table.
// Rule: enters other rooms through their doors, and never the vault.
export { formTokens } from './checkout/form-token.ts';
export { landingRoutes } from './checkout/landing-routes.ts';
export { previewPage } from './checkout/preview.ts';
export { checkoutRoutes } from './checkout/routes.ts';
export { PAGE_RATES, type PageRates, pageThrottle, throttlePages } from './rates.ts';
export { PREVIEW_PATH, pageWatch } from './self-check.ts';
