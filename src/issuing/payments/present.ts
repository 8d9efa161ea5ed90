// A payment with an issued card as lists and events show it.
// Rule: what is shown follows from the row alone, so that an event says what the list says at its moment.
import type { Permutation } from '../../base/index.ts';
import type { Step } from '../decision/index.ts';
import { shown } from '../fields/index.ts';
import { COUNTERS } from '../rules/index.ts';
import type { Authorization } from './model.ts';

/** One check of a decision. */
export const stepView = ({ remained, ...step }: Step): object => ({
  ...shown<Omit<Step, 'remained'>>(['check', 'result', 'note', 'level', 'rule', 'interval'], step),
  ...(remained === undefined
    ? {}
    : {
        remained: typeof remained === 'string' ? remained : shown<Readonly<Record<string, string>>>(COUNTERS, remained),
      }),
});

/** Amounts are minor units; times milliseconds, as everywhere in this API. */
export const paymentView = ({ outward }: Pick<Permutation, 'outward'>, row: Authorization): object => ({
  id: outward(row.id),
  cardId: outward(row.card_id),
  state: row.state,
  type: row.kind,
  channel: row.channel,
  ...(row.details.walletTokenId === null ? {} : { walletTokenId: row.details.walletTokenId }),
  merchant: shown(['id', 'mcc', 'name', 'country'], row.merchant),
  transactionAmount: { currency: row.currency, amount: Number(row.amount) },
  // Of a credit, a refund or a forced clearing: what it moved.
  cardAmount: {
    currency: row.billing_currency,
    amount: Number(row.kind === 'purchase' ? row.authorized : row.cleared + row.refunded),
  },
  held: Number(row.held),
  cleared: Number(row.cleared),
  refunded: Number(row.refunded),
  fees: Number(row.fees),
  ...(row.rate ? { rate: shown(['micro', 'day', 'source'], row.rate) } : {}),
  approved: row.state !== 'DECLINED',
  responseCode: row.response_code,
  ...(row.reason ? { reason: row.reason } : {}),
  explanation: row.explanation.map(stepView),
  ...(row.details.forwarding === null ? {} : { forwarding: row.details.forwarding }),
  ...(row.details.forced ? { forced: true } : {}),
  ...(row.expires_at ? { expiryTimestamp: row.expires_at.getTime() } : {}),
  creationTimestamp: row.created_at.getTime(),
});
