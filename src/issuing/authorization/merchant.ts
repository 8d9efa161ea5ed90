// A foreign merchant, as the simulator plays it: the messages that it sends. Rule: they differ in nothing from those of the network.
import type { Money } from '../../base/index.ts';
import { makeStan, type NetworkRequest } from '../../network/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { Wire } from './beginning.ts';

/** Everybody that has no merchant of its own shops here. */
export const SHOP: Wire['terminal'] = {
  id: 'SIM',
  merchantId: 'SIMULATED1',
  mcc: '5999',
  descriptor: 'SIMULATED SHOP',
  country: 'LTU',
  cvvMustMatch: false,
};

/** A message about a payment, e-commerce and final unless the fields say otherwise. */
export const merchantWire = <Operation extends Wire['operation']>(
  { permutation, ids, clock }: Pick<IssuingDeps, 'clock' | 'ids' | 'permutation'>,
  operation: Operation,
  amount: Money,
  fields: Partial<Wire>,
): Wire & { readonly operation: Operation } => ({
  reference: permutation.outward(ids.next()),
  original: null,
  amount,
  stan: makeStan(),
  transmittedAt: clock.now(),
  terminal: SHOP,
  channel: 'ecommerce',
  final: true,
  ...fields,
  operation,
});

/** The first message of a payment, with the card that was shown. */
export const presenting = (
  wire: Wire,
  {
    pan,
    expiry = null,
    cvv = null,
    pin = null,
  }: Pick<NetworkRequest, 'pan'> & Partial<Pick<NetworkRequest, 'expiry' | 'cvv' | 'pin'>>,
): NetworkRequest => ({
  ...wire,
  owner: 0n,
  orderId: 0n,
  attempt: 1,
  pan,
  expiry,
  cvv,
  holder: null,
  entryMode: 'ecommerce',
  pin,
  initiator: 'customer',
  indicator: null,
  originalTraceId: null,
  exemption: null,
  authentication: null,
});
