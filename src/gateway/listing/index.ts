// listing: orders as they are read: one, a list of them, their operations, and for the operator everything that is known of one.
// No tables of its own: it reads those of orders.
// Rule: nothing is written here, and a list is read some rows at a time.
export { afterOf, type ListingDeps, listOperations, listOrders, readOrder } from './read.ts';
export { orderTrace } from './trace.ts';
