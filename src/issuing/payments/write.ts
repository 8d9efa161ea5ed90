// How what was booked becomes changes of one commit: the row, the money, the counters, the event.
// Rule: this is the only way in which an authorization reaches its tables.
import { assert } from '../../base/index.ts';
import type { EventType } from '../../events/index.ts';
import type { Change, Told } from '../../store/index.ts';
import { type Funds, moveFunds } from '../accounts/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { counterInsert, counterUpdate, type SpendCounter } from '../rules/index.ts';
import type { Booked } from './book.ts';
import type { Authorization, Message } from './model.ts';
import { paymentView } from './present.ts';
import { authorizationInsert, authorizationUpdate, messageInsert, messageUpdate } from './queries.ts';

interface Writing {
  /** null: the row is new. */
  readonly before: Authorization | null;
  readonly booked: Booked;
  readonly counter: SpendCounter | undefined;
  readonly funds: Funds | undefined;
  /** `authorization.approved` and its like. */
  readonly event: EventType<'authorization'>;
}

function counterWritten(row: Authorization, counter: SpendCounter | undefined, booked: Booked, held: bigint): Change[] {
  const after: SpendCounter = {
    tenant_id: row.tenant_id,
    card_id: row.card_id,
    windows: booked.windows,
    held: (counter?.held ?? 0n) + held,
  };
  if (counter && counter.windows === after.windows && held === 0n) return [];
  return [counter ? counterUpdate(after) : counterInsert(after)];
}

export function written(
  { events, permutation }: Pick<IssuingDeps, 'events' | 'permutation'>,
  told: Pick<Told, 'now' | 'ids' | 'cause'>,
  { before, booked, counter, funds, event }: Writing,
): Change[] {
  const row: Authorization = { ...booked.row, events: booked.row.events + 1, updated_at: told.now };
  const changes: Change[] = [
    before ? authorizationUpdate(row) : authorizationInsert(row),
    ...events.of(told, {
      owner: row.tenant_id,
      type: event,
      resource: { type: 'authorization', id: row.id, sequence: row.events },
      object: paymentView(permutation, row),
      before: before && paymentView(permutation, before),
    }),
  ];
  let current = funds;
  for (const movement of booked.movements) {
    assert(current, 'the instrument of an authorization has funds');
    // A parent account's statement is read card by card: by this id, as the outside sees it.
    const details = {
      cardId: permutation.outward(row.card_id),
      merchantName: row.merchant.name,
      merchantId: row.merchant.id,
      mcc: row.merchant.mcc,
    };
    const moved = moveFunds(told, current, { ...movement, subject: { type: 'authorization', id: row.id }, details });
    current = moved.funds;
    changes.push(...moved.changes);
  }
  return [...changes, ...counterWritten(row, counter, booked, row.held - (before?.held ?? 0n))];
}

export const messageWritten = (message: Message, known: Message | null): Change =>
  known ? messageUpdate(message) : messageInsert(message);
