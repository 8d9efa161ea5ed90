// /transfers.
import { type AnyEndpoint, Choice, endpointOf, Optional, Shape } from '../../http/index.ts';
import { currency, PAGE, tag } from '../accounts/index.ts';
import { amount, choice, dateOf, digits, object, pathId, refuse, shape, text } from '../fields/index.ts';
import type { Identity } from '../people/index.ts';
import { conflict, type IssuingDeps, milliseconds, money, page, shownId, shownText } from '../requests/index.ts';
import type { Tenant } from '../tenants/index.ts';
import { transferView } from './present.ts';
import { transferGet, transfersList } from './queries.ts';
import { transfer } from './transfer.ts';

interface Asking {
  readonly tenant: Tenant;
  readonly identity: Identity;
}
const endpoint = endpointOf<Asking>();
const TAG = 'Transfers';

const instrument = object(
  { type: choice(['managed_accounts', 'managed_cards'], { required: true }), id: digits({ required: true }) },
  { required: true },
);

const TransferBody = shape({
  source: instrument,
  destination: instrument,
  destinationAmount: object({ currency, amount: amount({ required: true }) }, { required: true }),
  tag,
  description: text({ max: 140 }),
});

const shownInstrument = Shape({ type: Choice(['managed_accounts', 'managed_cards']), id: shownId });
const shownTransfer = Shape(
  {
    id: shownId,
    source: shownInstrument,
    destination: shownInstrument,
    destinationAmount: money,
    tag: Optional(shownText),
    description: Optional(shownText),
    state: Choice(['COMPLETED']),
    creationTimestamp: milliseconds,
  },
  { title: 'Transfer' },
);

export function transferEndpoints(deps: IssuingDeps): AnyEndpoint<Asking>[] {
  const { db, permutation } = deps;
  return [
    endpoint({
      method: 'POST',
      path: '/transfers',
      operation: 'createTransfer',
      summary: "Move money between the identity's accounts and prepaid cards",
      description: 'Amounts are in minor units.',
      tag: TAG,
      right: null,
      body: TransferBody,
      example: {
        source: { type: 'managed_accounts', id: '2001' },
        destination: { type: 'managed_cards', id: '1234567890' },
        destinationAmount: { currency: 'EUR', amount: 1000 },
      },
      answers: {
        200: { description: 'The transfer, done', schema: shownTransfer },
        ...conflict(
          'AMOUNT_INVALID',
          'SOURCE_NOT_FOUND',
          'DESTINATION_NOT_FOUND',
          'SOURCE_AND_DESTINATION_MUST_DIFFER',
          'SOURCE_CANNOT_BE_DEBIT_MODE_CARD',
          'DESTINATION_CANNOT_BE_DEBIT_MODE_CARD',
          'SOURCE_BLOCKED',
          'DESTINATION_BLOCKED',
          'DESTINATION_DESTROYED',
          'CURRENCY_MISMATCH',
          'FUNDS_INSUFFICIENT',
        ),
      },
      async handler({ principal, body, once }) {
        const { status, body: answer, replayed } = await transfer(deps, principal, body, once);
        return { status, body: answer, replayed };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/transfers',
      operation: 'listTransfers',
      cost: ({ offset = 0, limit = 100 }) => offset + limit,
      summary: 'List transfers, the newest first',
      tag: TAG,
      right: null,
      query: shape({ ...PAGE, instrumentId: digits({}), tag: text({ max: 50, exact: true }) }),
      answers: { 200: { description: 'A page of transfers', schema: page('transfers', shownTransfer) } },
      async handler({ principal: { tenant, identity }, query }) {
        const filter = {
          instrumentId: query.instrumentId === undefined ? null : (permutation.inward(query.instrumentId) ?? 0n),
          tag: query.tag ?? null,
          createdFrom: dateOf(query.createdFrom),
          createdTo: dateOf(query.createdTo),
        };
        const { transfers, count } = await transfersList(db, tenant.id, identity.id, filter, {
          offset: query.offset ?? 0,
          limit: query.limit ?? 100,
        });
        const shown = transfers.map((row) => transferView(permutation, row));
        return { status: 200, body: { transfers: shown, count, responseCount: shown.length } };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/transfers/:id',
      operation: 'readTransfer',
      summary: 'Show a transfer',
      tag: TAG,
      right: null,
      params: shape({ id: pathId('The transfer.') }),
      answers: {
        200: { description: 'The transfer', schema: shownTransfer },
        404: { description: 'No such transfer' },
      },
      async handler({ principal: { tenant, identity }, params }) {
        const id = permutation.inward(params.id);
        const row = id === null ? null : await transferGet(db, tenant.id, id);
        if (row?.identity_id !== identity.id) throw refuse('RESOURCE_NOT_FOUND');
        return { status: 200, body: transferView(permutation, row) };
      },
    }),
  ];
}
