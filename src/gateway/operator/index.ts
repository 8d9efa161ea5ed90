// operator: what operators do with orders: links to pay, operations that are stuck, the trace of an order. Owns no table.
export { type OrdersDesk, orderOperatorEndpoints } from './operator-routes.ts';
