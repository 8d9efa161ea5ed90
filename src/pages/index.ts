// pages: what people see. Owns no table; enters other rooms through their doors, never the vault.
export { checkoutRoutes } from './checkout/routes.ts';
