// The one way in which money on an account or prepaid card moves: funds, statement and ledger change together. Pure.
// Rule: what is held is never more than what a hold put there; actual may go below zero only where the network forces it (a clearing).
import { assert } from '../../base/index.ts';
import { account, type Line, postGroup, type Subject } from '../../ledger/index.ts';
import type { Change, Told } from '../../store/index.ts';
import type { Funds, StatementType } from './model.ts';
import { fundsUpdate, statementInsert } from './queries.ts';

/** The other side of a movement in the ledger. */
export type Counter = 'issuer_bank' | 'scheme_payable' | 'issuing_fees';

export interface Movement {
  readonly type: StatementType;
  /** Change of the actual balance, minor units; negative takes away. */
  readonly actual: bigint;
  /** Change of what is held. */
  readonly held: bigint;
  /** Whom the actual amount comes from or goes to; null when the caller posts the other side itself (a transfer between instruments). */
  readonly counter: Counter | null;
  /** What the movement belongs to. */
  readonly subject: Subject;
  /** What a person reads on the statement. No card number, no code. */
  readonly details?: Readonly<Record<string, unknown>>;
}

type Stamp = Pick<Told, 'now' | 'ids'>;

export interface Moved {
  readonly funds: Funds;
  readonly changes: readonly Change[];
}

export const availableOf = ({ actual, held }: Funds): bigint => actual - held;

/** New funds with nothing on them: made together with their instrument. */
export const emptyFunds = (tenantId: bigint, instrumentId: bigint, currency: string): Funds => ({
  tenant_id: tenantId,
  instrument_id: instrumentId,
  currency,
  actual: 0n,
  held: 0n,
  entries: 0,
});

const instrumentName = ({ instrument_id }: Funds): string => instrument_id.toString();

/** The ledger lines of a movement's own side. */
function linesOf(funds: Funds, { actual, held, counter }: Movement): Line[] {
  const { currency } = funds;
  return [
    [account('cardholder', instrumentName(funds)), currency, -actual],
    ...(counter ? [[account(counter), currency, actual] as const] : []),
    [account('card_hold', instrumentName(funds)), currency, held],
    [account('card_hold_contra'), currency, -held],
  ];
}

function applied({ now, ids }: Stamp, funds: Funds, movement: Movement): { funds: Funds; changes: Change[] } {
  const after: Funds = {
    ...funds,
    actual: funds.actual + movement.actual,
    held: funds.held + movement.held,
    entries: funds.entries + 1,
  };
  assert(after.held >= 0n, 'more was released than was held');
  return {
    funds: after,
    changes: [
      fundsUpdate(after),
      statementInsert({
        tenant_id: after.tenant_id,
        instrument_id: after.instrument_id,
        sequence: after.entries,
        id: ids.next(),
        type: movement.type,
        amount: movement.actual,
        available_change: movement.actual - movement.held,
        actual_after: after.actual,
        available_after: availableOf(after),
        reference_id: movement.subject.id,
        details: movement.details ?? {},
        created_at: now,
      }),
    ],
  };
}

/** One movement of loaded (locked) funds. The caller has checked that the money is there. */
export function moveFunds(told: Stamp, funds: Funds, movement: Movement): Moved {
  assert(movement.counter !== null || movement.actual === 0n, 'a movement with one side only');
  const done = applied(told, funds, movement);
  const origin = { owner: funds.tenant_id, subject: movement.subject, operationId: null, at: told.now };
  const { changes } = postGroup(origin, told.ids.next(), movement.type.toLowerCase(), linesOf(funds, movement));
  return { funds: done.funds, changes: [...done.changes, ...changes] };
}

/** From one instrument to another of the same tenant and currency, as one ledger group. */
export function transferFunds(
  told: Stamp,
  from: Funds,
  to: Funds,
  amount: bigint,
  what: {
    readonly types: readonly [out: StatementType, into: StatementType];
    readonly subject: Subject;
    readonly details?: Movement['details'];
  },
): { readonly from: Funds; readonly to: Funds; readonly changes: readonly Change[] } {
  assert(amount > 0n, 'a transfer moves something');
  assert(
    from.tenant_id === to.tenant_id && from.currency === to.currency,
    'a transfer stays in its tenant and currency',
  );
  assert(from.instrument_id !== to.instrument_id, 'a transfer has two sides');
  const side = {
    held: 0n,
    counter: null,
    subject: what.subject,
    ...(what.details ? { details: what.details } : {}),
  };
  const out: Movement = { ...side, type: what.types[0], actual: -amount };
  const into: Movement = { ...side, type: what.types[1], actual: amount };
  const left = applied(told, from, out);
  const arrived = applied(told, to, into);
  const origin = { owner: from.tenant_id, subject: what.subject, operationId: null, at: told.now };
  const { changes } = postGroup(origin, told.ids.next(), 'transfer', [...linesOf(from, out), ...linesOf(to, into)]);
  return {
    from: left.funds,
    to: arrived.funds,
    changes: [...left.changes, ...arrived.changes, ...changes],
  };
}
