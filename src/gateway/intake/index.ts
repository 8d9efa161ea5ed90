// intake: how an order comes to be: what a request asks for as typed input, the merchant's own id, and who is told of what was made.
// Owns merchant_order_ids.
// Rule: what a client wrote is stored without card numbers in it.
export { type Draft, newOrder, sessionEnd } from './draft.ts';
export { making } from './making.ts';
export { uniqueId } from './merchant-order-id.ts';
