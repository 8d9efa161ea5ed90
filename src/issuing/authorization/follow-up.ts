// What follows an authorization: increment, clearing, reversal, refund, expiry. Each message is one command, found by its reference.
// Rule: what the network has settled is posted whatever the card or its funds are; what it only asks for is decided.
import type { EventType } from '../../events/index.ts';
import type { Rate } from '../../ledger/index.ts';
import type { Decision, Loaded, Told } from '../../store/index.ts';
import { accountKind, fundsKind, needAccount, needFunds } from '../accounts/index.ts';
import { type Card, cardKind, needCard } from '../cards/index.ts';
import { billed, type Demand, decide, given, REASONS, type Reason, type Step } from '../decision/index.ts';
import {
  type Authorization,
  answerOf,
  authorizationGet,
  authorizationKind,
  type Booked,
  clear,
  clearedShare,
  giveMoney,
  hold,
  holdAdded,
  type Message,
  messageGet,
  messageKind,
  messageWritten,
  needAuthorization,
  needMessage,
  openShare,
  release,
  storedAnswer,
  takeBack,
  written,
} from '../payments/index.ts';
import { type Identity, identityKind, needIdentity } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { counterKind, needCounter, type Windows } from '../rules/index.ts';
import { judging, notFound, type Outcome } from './authorize.ts';
import { answerWith, DAY_MS, emptyRow, freshAnswer, type Wire } from './beginning.ts';
import type { CardPlace, Surroundings } from './find.ts';

type FollowUpDeps = Pick<IssuingDeps, 'committer' | 'db' | 'events' | 'permutation'>;

interface Facts {
  readonly deps: Pick<IssuingDeps, 'events' | 'permutation'>;
  readonly place: CardPlace;
  readonly around: Surroundings;
  readonly wire: Wire;
  readonly card: Card;
  readonly identity: Identity;
  /** What the message names, and the authorization that it belongs to; null: never heard of. */
  readonly original: Message | null;
  readonly row: Authorization | null;
  readonly windows: Windows;
  readonly loaded: Loaded;
  readonly told: Told;
}

interface Done {
  readonly booked: Booked;
  readonly event: EventType<'authorization'>;
  readonly explanation?: readonly Step[];
}
interface Declined {
  readonly declined: Reason;
  readonly explanation?: readonly Step[];
}
type Rule = (facts: Facts) => Done | Declined;

/** The latest rate of a message's own day; where there is none any more, the one that the authorization was held at. */
function rateNow({ around, wire: { amount }, card, row }: Facts): Rate | null {
  const kept = row?.rate && row.currency === amount.currency ? { ...row.rate, micro: BigInt(row.rate.micro) } : null;
  return around.rate(amount.currency, card.currency) ?? kept;
}

const increment: Rule = (facts) => {
  const { place, around, wire, card, identity, row, windows, loaded, told } = facts;
  if (row?.kind !== 'purchase' || row.state === 'DECLINED') return { declined: 'ORIGINAL_NOT_FOUND' };
  if (row.state !== 'OPEN' || row.currency !== wire.amount.currency) return { declined: 'OPERATION_INVALID' };
  const rate = around.rate(wire.amount.currency, card.currency);
  const more = billed(wire.amount, card.currency, rate, row.amount);
  const demand: Demand = {
    amount: wire.amount.minor,
    currency: wire.amount.currency,
    billed: more,
    total: more === null ? null : row.authorized + more,
    hold: more === null ? 0n : holdAdded(row, more),
    channel: row.channel,
    device: row.details.walletTokenId === null ? 'none' : 'active',
    mcc: row.merchant.mcc,
    merchantId: row.merchant.id,
    country: row.merchant.country,
    expiry: null,
    cvv: 'absent',
    pin: 'absent',
    sca: 'not_needed',
  };
  const { parentId } = place;
  const { reason, explanation } = decide(demand, {
    card,
    funds: loaded.get(fundsKind, { tenantId: place.tenantId, id: place.instrumentId }),
    account:
      parentId === null
        ? null
        : (loaded.get(accountKind, { tenantId: place.tenantId, id: parentId })?.state ?? 'DESTROYED'),
    windows,
    ...judging(around, identity, card),
    forwarded: false,
    now: told.now,
  });
  if (reason || more === null) return { declined: reason ?? 'RATE_MISSING', explanation };
  const longer = { ...row, expires_at: new Date(told.now.getTime() + row.details.holdDays * DAY_MS) };
  const booked = hold(longer, windows, { asked: wire.amount.minor, billed: more }, told.now, false);
  return { booked, event: 'authorization.incremented', explanation };
};

/** A row for what no authorization stands before. */
const newRow = ({ place, around, card, wire, told }: Facts, kind: 'forced' | 'refund'): Authorization => ({
  ...emptyRow(told, place, around, card, wire, { kind, state: 'CLOSED' }),
  amount: wire.amount.minor,
});

const charge: Rule = (facts) => {
  const { wire, card, row, windows, told } = facts;
  if (row && (row.state === 'PENDING' || row.currency !== wire.amount.currency))
    return { declined: 'OPERATION_INVALID' };
  if (row && (row.state === 'DECLINED' || row.kind !== 'purchase')) return { declined: 'ORIGINAL_NOT_FOUND' };
  const minor = billed(wire.amount, card.currency, rateNow(facts), BigInt(row?.asked.cleared ?? 0));
  if (wire.amount.minor <= 0n) return { declined: 'AMOUNT_INVALID' };
  if (minor === null) return { declined: 'RATE_MISSING' };
  const amount = { asked: wire.amount.minor, billed: minor };
  return {
    booked: clear(row ?? newRow(facts, 'forced'), windows, amount, wire.final, told.now),
    event: 'authorization.cleared',
  };
};

/** Gives back a part of what was cleared: a refund, or a clearing that is taken back. */
const giveBackCleared = (
  { wire, row, windows, told }: Facts & { readonly row: Authorization },
  event: EventType<'authorization'>,
): Done | Declined => {
  const left = BigInt(row.asked.cleared) - BigInt(row.asked.refunded);
  if (wire.amount.minor <= 0n || wire.amount.minor > left) return { declined: 'AMOUNT_INVALID' };
  const amount = { asked: wire.amount.minor, billed: clearedShare(row, wire.amount.minor) };
  return { booked: giveMoney(row, windows, amount, wire.reference, told.now), event };
};

const releaseOpen = ({ wire, row, windows, told }: Facts & { readonly row: Authorization }): Done | Declined => {
  const open = BigInt(row.asked.open);
  const { minor } = wire.amount;
  if (minor === 0n && row.authorized === 0n && row.state === 'CLOSED')
    return { booked: { row, windows, movements: [] }, event: 'authorization.reversed' };
  if (open === 0n) return { declined: 'ORIGINAL_NOT_FOUND' };
  if (minor <= 0n || minor > open) return { declined: 'AMOUNT_INVALID' };
  // Nobody waits any more for what the tenant says of a payment that the merchant gave up.
  const known: Authorization = row.state === 'PENDING' ? { ...row, state: 'CLOSED' } : row;
  const amount = row.state === 'PENDING' ? 'all' : { asked: minor, billed: openShare(row, minor) };
  return {
    booked: release(known, windows, amount, told.now, 'AUTHORISATION_REVERSAL'),
    event: 'authorization.reversed',
  };
};

const undoRefund = ({
  wire,
  row,
  original,
  windows,
  told,
}: Facts & { readonly row: Authorization }): Done | Declined => {
  const reference = original?.reference ?? '';
  const given = row.details.refunds[reference];
  const booked = takeBack(row, windows, reference, told.now);
  if (!given || !booked) return { declined: 'ORIGINAL_NOT_FOUND' };
  return wire.amount.minor === BigInt(given.asked)
    ? { booked, event: 'authorization.refund_reversed' }
    : { declined: 'AMOUNT_INVALID' };
};

/** What a reversal undoes, by the operation of the message that it names. */
const UNDO: Readonly<Record<string, (facts: Facts & { readonly row: Authorization }) => Done | Declined>> = {
  authorize: releaseOpen,
  increment: releaseOpen,
  charge: (facts) => giveBackCleared(facts, 'authorization.voided'),
  refund: undoRefund,
  credit: undoRefund,
};

const reverse: Rule = (facts) => {
  const { row, original, wire } = facts;
  const undo = original && UNDO[original.operation];
  if (!row || !undo || row.state === 'DECLINED') return { declined: 'ORIGINAL_NOT_FOUND' };
  return row.currency === wire.amount.currency ? undo({ ...facts, row }) : { declined: 'OPERATION_INVALID' };
};

const refund: Rule = (facts) => {
  const { wire, card, row, windows, told } = facts;
  if (row)
    return row.currency === wire.amount.currency
      ? giveBackCleared({ ...facts, row }, 'authorization.refunded')
      : { declined: 'OPERATION_INVALID' };
  const minor = given(wire.amount, card.currency, rateNow(facts));
  if (wire.amount.minor <= 0n) return { declined: 'AMOUNT_INVALID' };
  if (minor === null) return { declined: 'RATE_MISSING' };
  const amount = { asked: wire.amount.minor, billed: minor };
  return {
    booked: giveMoney(newRow(facts, 'refund'), windows, amount, wire.reference, told.now),
    event: 'authorization.refunded',
  };
};

const RULES = { increment, charge, reverse, refund } as const;
export type FollowUp = keyof typeof RULES;
export type FollowUpWire = Wire & { readonly operation: FollowUp };

/** The amount of a message that means all there is, minor units; null: nothing is left. Read under the authorization's lock. */
export type Everything = (row: Authorization) => bigint | null;

/** The message's original became known between looking and locking. */
class Overtaken extends Error {}

async function attempt(
  deps: FollowUpDeps,
  place: CardPlace,
  around: Surroundings,
  wire: FollowUpWire,
  everything?: Everything,
): Promise<Outcome> {
  const { tenantId, cardId, instrumentId, parentId, identityId } = place;
  const named = wire.original === null ? null : await messageGet(deps.db, tenantId, wire.original);
  const authorizationId = named?.authorization_id ?? null;
  const cardKey = { tenantId, id: cardId };
  return deps.committer.submit<Outcome>({
    name: `card.${wire.operation}`,
    owner: tenantId,
    needs: [
      needCard(tenantId, cardId),
      needMessage(tenantId, wire.reference),
      ...(wire.original === null ? [] : [needMessage(tenantId, wire.original)]),
      ...(authorizationId === null ? [] : [needAuthorization(tenantId, authorizationId)]),
      needCounter(tenantId, cardId),
      needFunds(tenantId, instrumentId),
      needIdentity(tenantId, identityId),
      ...(parentId === null ? [] : [needAccount(tenantId, parentId)]),
    ],
    decide(loaded, told) {
      const known = loaded.get(messageKind, { tenantId, reference: wire.reference })?.message;
      if (known?.answer)
        return { value: { answer: answerOf(known.answer), row: null, reason: null, explanation: [] }, changes: [] };
      const card = loaded.get(cardKind, cardKey);
      const identity = loaded.get(identityKind, { tenantId, id: identityId });
      if (!card || !identity) return { value: notFound(wire), changes: [] };
      const original =
        wire.original === null
          ? null
          : (loaded.get(messageKind, { tenantId, reference: wire.original })?.message ?? null);
      if ((original?.authorization_id ?? null) !== authorizationId) throw new Overtaken();
      const found =
        authorizationId === null ? undefined : loaded.get(authorizationKind, { tenantId, id: authorizationId });
      // A message about another card's payment names nothing of this one.
      const row = found?.card_id === cardId ? found : null;
      const minor = everything && row ? everything(row) : wire.amount.minor;
      const facts = {
        deps,
        place,
        around,
        wire: { ...wire, amount: { ...wire.amount, minor: minor ?? 0n } },
        card,
        identity,
        original: row ? original : null,
        row,
        windows: loaded.get(counterKind, cardKey)?.windows ?? {},
        loaded,
        told,
      };
      const ruling = minor === null ? ({ declined: 'ORIGINAL_NOT_FOUND' } as const) : RULES[wire.operation](facts);
      return ended(facts, wire.operation, ruling);
    },
  });
}

/** What a message is answered, and all that is written of it. */
function ended(facts: Facts, operation: FollowUp, ruling: Done | Declined): Decision<Outcome> {
  const { deps, place, wire, card, row, loaded, told } = facts;
  const { tenantId, cardId, instrumentId } = place;
  const done = 'booked' in ruling ? ruling : null;
  const reason = 'declined' in ruling ? ruling.declined : null;
  const after = done?.booked.row ?? row;
  const answer = answerWith(
    after?.details.answer ?? freshAnswer(told, card, wire),
    reason ? REASONS[reason] : '00',
    done ? wire.amount.minor : null,
  );
  const message: Message = {
    tenant_id: tenantId,
    reference: wire.reference,
    operation,
    original: wire.original,
    authorization_id: after?.id ?? null,
    amount: wire.amount.minor,
    answer: storedAnswer(answer),
    created_at: told.now,
  };
  return {
    value: { answer, row: after, reason, explanation: ruling.explanation ?? [] },
    changes: [
      ...(done
        ? written(deps, told, {
            before: row,
            booked: done.booked,
            counter: loaded.get(counterKind, { tenantId, id: cardId }),
            funds: loaded.get(fundsKind, { tenantId, id: instrumentId }),
            event: done.event,
          })
        : []),
      messageWritten(message, null),
    ],
  };
}

/** One message of a payment's later life. `everything`: its amount, for who names none. */
export async function followUp(
  deps: FollowUpDeps,
  place: CardPlace,
  around: Surroundings,
  wire: FollowUpWire,
  everything?: Everything,
): Promise<Outcome> {
  for (;;) {
    try {
      return await attempt(deps, place, around, wire, everything);
    } catch (error) {
      // Its original was committed meanwhile, and a message's authorization never changes: the next look finds it.
      if (!(error instanceof Overtaken)) throw error;
    }
  }
}

/** Ends a hold: when its time is over, or (the simulator) before. False: nothing is held any more. */
export async function expire(deps: FollowUpDeps, tenantId: bigint, id: bigint, when: 'due' | 'now'): Promise<boolean> {
  const known = await authorizationGet(deps.db, tenantId, id);
  if (!known) return false;
  const { card_id: cardId, instrument_id: instrumentId } = known;
  return deps.committer.submit<boolean>({
    name: 'card.expire_hold',
    owner: tenantId,
    needs: [
      needCard(tenantId, cardId),
      needAuthorization(tenantId, id),
      needCounter(tenantId, cardId),
      needFunds(tenantId, instrumentId),
    ],
    decide(loaded, told) {
      const row = loaded.get(authorizationKind, { tenantId, id });
      const { now } = told;
      const due = row?.state === 'OPEN' && (when === 'now' || (row.expires_at !== null && row.expires_at <= now));
      if (!row || !due) return { value: false, changes: [] };
      const counter = loaded.get(counterKind, { tenantId, id: cardId });
      const booked = release(row, counter?.windows ?? {}, 'all', now, 'AUTHORISATION_EXPIRY');
      const after = { ...booked.row, details: { ...booked.row.details, lapsed: row.asked.open } };
      const funds = loaded.get(fundsKind, { tenantId, id: instrumentId });
      return {
        value: true,
        changes: written(deps, told, {
          before: row,
          booked: { ...booked, row: after },
          counter,
          funds,
          event: 'authorization.expired',
        }),
      };
    },
  });
}
