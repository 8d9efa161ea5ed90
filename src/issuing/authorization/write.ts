// How what was booked becomes changes of one commit: the row, the money, the counters, the event; and the state for whoever comes next.
// Rule: this is the only way in which an authorization reaches its tables.
import { assert } from '../../base/index.ts';
import { eventInsert } from '../../events/index.ts';
import type { Change, Next } from '../../store/index.ts';
import { type Funds, moveFunds } from '../accounts/index.ts';
import type { Issuer } from '../issuer/index.ts';
import { counterInsert, counterUpdate, needCounter, openHolds, type SpendCounter } from '../rules/index.ts';
import type { Booked } from './book.ts';
import type { Authorization, Message } from './model.ts';
import {
  authorizationInsert,
  authorizationUpdate,
  messageInsert,
  messageUpdate,
  needAuthorization,
  needMessage,
} from './queries.ts';

export interface Written {
  readonly changes: readonly Change[];
  readonly next: readonly Next[];
}

interface Writing {
  /** null: the row is new. */
  readonly before: Authorization | null;
  readonly booked: Booked;
  readonly counter: SpendCounter | undefined;
  readonly funds: Funds | undefined;
  /** `authorization.approved` and its like. */
  readonly event: string;
  readonly now: Date;
}

const shown = (row: Authorization, { outward }: Issuer['permutation']): Record<string, unknown> => ({
  id: outward(row.id),
  cardId: outward(row.card_id),
  state: row.state,
  amount: row.amount.toString(),
  currency: row.currency,
  authorized: row.authorized.toString(),
  held: row.held.toString(),
  cleared: row.cleared.toString(),
  refunded: row.refunded.toString(),
  billingCurrency: row.billing_currency,
  responseCode: row.response_code,
  reason: row.reason,
});

function counterWritten(row: Authorization, counter: SpendCounter | undefined, booked: Booked, held: bigint): Written {
  const after: SpendCounter = {
    tenant_id: row.tenant_id,
    card_id: row.card_id,
    windows: booked.windows,
    held: (counter?.held ?? 0n) + held,
  };
  if (counter && counter.windows === after.windows && held === 0n) return { changes: [], next: [] };
  return {
    changes: [counter ? counterUpdate(after) : counterInsert(after)],
    next: [
      { need: needCounter(row.tenant_id, row.card_id), state: after },
      { need: { kind: openHolds, key: { tenantId: row.tenant_id, id: row.card_id } }, state: after.held },
    ],
  };
}

export function written(
  issuer: Pick<Issuer, 'ids' | 'permutation'>,
  { before, booked, counter, funds, event, now }: Writing,
): Written {
  const row: Authorization = { ...booked.row, events: booked.row.events + 1, updated_at: now };
  const changes: Change[] = [
    before ? authorizationUpdate(row) : authorizationInsert(row),
    eventInsert({
      project_id: row.tenant_id,
      id: issuer.ids.next(),
      order_id: row.id,
      sequence: row.events,
      type: event,
      data: shown(row, issuer.permutation),
      created_at: now,
    }),
  ];
  const next: Next[] = [{ need: needAuthorization(row.tenant_id, row.id), state: row }];
  let current = funds;
  for (const movement of booked.movements) {
    assert(current, 'the instrument of an authorization has funds');
    // A parent account's statement is read card by card: by this id, as the outside sees it.
    const details = {
      cardId: issuer.permutation.outward(row.card_id),
      merchantName: row.merchant.name,
      merchantId: row.merchant.id,
      mcc: row.merchant.mcc,
    };
    const moved = moveFunds(issuer.ids, current, { ...movement, referenceId: row.id, details }, now);
    current = moved.funds;
    changes.push(...moved.changes);
    next.push(...moved.next);
  }
  const counted = counterWritten(row, counter, booked, row.held - (before?.held ?? 0n));
  return { changes: [...changes, ...counted.changes], next: [...next, ...counted.next] };
}

/** A message and its answer. `early`: a reversal whose request has not come yet; that request will find it. */
export function messageWritten(message: Message, known: Message | null, early: boolean): Written {
  const { tenant_id, reference, original } = message;
  return {
    changes: [known ? messageUpdate(message) : messageInsert(message)],
    next: [
      { need: needMessage(tenant_id, reference), state: { message, reversed: false } },
      ...(early && original !== null
        ? [{ need: needMessage(tenant_id, original), state: { message: null, reversed: true } }]
        : []),
    ],
  };
}

export const together = (...parts: readonly Written[]): Written => ({
  changes: parts.flatMap(({ changes }) => changes),
  next: parts.flatMap(({ next }) => next),
});
