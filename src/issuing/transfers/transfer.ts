// POST /transfers: money between managed accounts and prepaid cards of one identity, at once.
// Rule: both instruments and both funds are locked by the commit that moves the money; refusals come in the order of RULES.

import type { Change, Loaded, Need, Once, Told } from '../../store/index.ts';
import {
  accountKind,
  availableOf,
  type Funds,
  fundsKind,
  type InstrumentState,
  needAccount,
  needFunds,
  transferFunds,
} from '../accounts/index.ts';
import { cardKind, needCard } from '../cards/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import type { Identity } from '../people/index.ts';
import { type CommittedAnswer, commitAnswer, type Ending, type IssuingDeps } from '../requests/index.ts';
import type { Tenant } from '../tenants/index.ts';
import { transferView } from './present.ts';
import { type InstrumentType, type Transfer, transferInsert } from './queries.ts';

export interface InstrumentRef {
  readonly type: InstrumentType;
  /** As the outside names it. */
  readonly id: string;
}

export interface TransferRequest {
  readonly source: InstrumentRef;
  readonly destination: InstrumentRef;
  readonly destinationAmount: { readonly currency: string; readonly amount: number };
  readonly tag?: string | undefined;
  readonly description?: string | undefined;
}

/** An instrument as a transfer sees it; null: none of this identity's. */
interface Side {
  readonly identityId: bigint;
  readonly state: InstrumentState;
  readonly debitMode: boolean;
  readonly funds: Funds | undefined;
}

interface Facts {
  readonly source: Side | null;
  readonly destination: Side | null;
  readonly same: boolean;
  readonly amount: bigint;
  readonly currency: string;
}

const RULES: readonly (readonly [RefusalCode, (facts: Facts) => boolean])[] = [
  ['AMOUNT_INVALID', ({ amount }) => amount <= 0n],
  ['SOURCE_NOT_FOUND', ({ source }) => source === null],
  ['DESTINATION_NOT_FOUND', ({ destination }) => destination === null],
  ['SOURCE_AND_DESTINATION_MUST_DIFFER', ({ same }) => same],
  ['SOURCE_CANNOT_BE_DEBIT_MODE_CARD', ({ source }) => source?.debitMode ?? false],
  ['DESTINATION_CANNOT_BE_DEBIT_MODE_CARD', ({ destination }) => destination?.debitMode ?? false],
  // What is left on a destroyed card (it expired, or a hold ended after it was replaced) is still its owner's: it may leave.
  ['SOURCE_BLOCKED', ({ source }) => source?.state === 'BLOCKED'],
  ['DESTINATION_DESTROYED', ({ destination }) => destination?.state === 'DESTROYED'],
  ['DESTINATION_BLOCKED', ({ destination }) => destination?.state === 'BLOCKED'],
  [
    'CURRENCY_MISMATCH',
    ({ source, destination, currency }) =>
      source?.funds?.currency !== currency || destination?.funds?.currency !== currency,
  ],
  ['FUNDS_INSUFFICIENT', ({ source, amount }) => !source?.funds || availableOf(source.funds) < amount],
];

export const transferRefusal = (facts: Facts): RefusalCode | null =>
  RULES.find(([, applies]) => applies(facts))?.[0] ?? null;

const needsOf = (tenantId: bigint, type: InstrumentType, id: bigint): Need[] => [
  type === 'managed_cards' ? needCard(tenantId, id) : needAccount(tenantId, id),
  needFunds(tenantId, id),
];

function sideOf(loaded: Loaded, tenantId: bigint, identityId: bigint, type: InstrumentType, id: bigint): Side | null {
  const key = { tenantId, id };
  const row = type === 'managed_cards' ? loaded.get(cardKind, key) : loaded.get(accountKind, key);
  if (!row || row.identity_id !== identityId) return null;
  const debitMode = 'mode' in row && row.mode === 'DEBIT_MODE';
  return { identityId: row.identity_id, state: row.state, debitMode, funds: loaded.get(fundsKind, key) };
}

/** Its row and its event. What stands on both instruments is told by it, and by no event of theirs. */
const transferWritten = (
  { events, permutation }: Pick<IssuingDeps, 'events' | 'permutation'>,
  told: Told,
  row: Transfer,
): Change[] => [
  transferInsert(row),
  ...events.of(told, {
    owner: row.tenant_id,
    type: 'transfer.completed',
    resource: { type: 'transfer', id: row.id, sequence: row.events },
    object: transferView(permutation, row),
    before: null,
  }),
];

/** No such id: 0 is never an instrument's. */
const NOBODY = 0n;

export function transfer(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'ids' | 'permutation'>,
  { tenant, identity }: { readonly tenant: Tenant; readonly identity: Identity },
  request: TransferRequest,
  once: Once | null,
): Promise<CommittedAnswer> {
  const { permutation, ids } = deps;
  const from = permutation.inward(request.source.id) ?? NOBODY;
  const to = permutation.inward(request.destination.id) ?? NOBODY;
  const amount = BigInt(request.destinationAmount.amount);
  const { currency } = request.destinationAmount;
  const transferId = ids.next();
  return commitAnswer(deps, once, {
    name: 'transfer',
    owner: tenant.id,
    needs: [...needsOf(tenant.id, request.source.type, from), ...needsOf(tenant.id, request.destination.type, to)],
    decide(loaded, told): Ending {
      const source = sideOf(loaded, tenant.id, identity.id, request.source.type, from);
      const destination = sideOf(loaded, tenant.id, identity.id, request.destination.type, to);
      const refused = transferRefusal({ source, destination, same: from === to, amount, currency });
      if (refused || !source?.funds || !destination?.funds) throw refuse(refused ?? 'SOURCE_NOT_FOUND');
      const row: Transfer = {
        tenant_id: tenant.id,
        id: transferId,
        identity_id: identity.id,
        source_type: request.source.type,
        source_id: from,
        destination_type: request.destination.type,
        destination_id: to,
        amount,
        currency,
        tag: request.tag ?? null,
        description: request.description ?? null,
        state: 'COMPLETED',
        events: 1,
        created_at: told.now,
      };
      const details = request.description === undefined ? {} : { description: request.description };
      const moved = transferFunds(told, source.funds, destination.funds, amount, {
        types: ['TRANSFER_OUT', 'TRANSFER_IN'],
        subject: { type: 'transfer', id: transferId },
        details,
      });
      return {
        status: 200,
        body: transferView(permutation, row),
        changes: [...transferWritten(deps, told, row), ...moved.changes],
      };
    },
  });
}
