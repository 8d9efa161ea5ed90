// Replacement: a damaged card gets new plastic with the same number; a lost or stolen one gives way to a new card, and its money or its debt
// moves there.

import type { Change, Loaded, Once, Told } from '../../store/index.ts';
import type { Sealer } from '../../vault/index.ts';
import {
  destroyed,
  emptyFunds,
  type Funds,
  fundsInsert,
  fundsKind,
  replaced,
  transferFunds,
} from '../accounts/index.ts';
import {
  type Asker,
  type Card,
  type CardCommand,
  cardWritten,
  commitOnCard,
  drawNumber,
  dueAtOf,
  fundsLoaded,
  monthAfter,
  numbersFor,
  type PhysicalCard,
} from '../cards/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import { type NumberSource, needsOfNumber, withLent } from '../lending/index.ts';
import { needsOfChange, type OpenHolds, restand, tokensLoaded } from '../life/index.ts';
import type { CardViewer } from '../reading/index.ts';
import type { CommittedAnswer, Ending, IssuingDeps } from '../requests/index.ts';
import type { Profile } from '../tenants/index.ts';
import { followed, liveTokens, tokenRepointed } from '../tokens/index.ts';
import { activationHash, orderedPlastic } from './order.ts';

export type Replacement = 'replace-damaged' | 'replace-lost-stolen';

const REFUSALS: Readonly<Record<Replacement, readonly (readonly [RefusalCode, (card: Card) => boolean])[]>> = {
  'replace-damaged': [
    ['INSTRUMENT_DESTROYED', (card) => card.state === 'DESTROYED'],
    ['INSTRUMENT_MARKED_LOST_STOLEN', (card) => card.details.lostStolen !== null],
    ['INSTRUMENT_BLOCKED', (card) => card.state === 'BLOCKED'],
    ['INSTRUMENT_NOT_PHYSICAL', (card) => card.details.physical === null],
  ],
  'replace-lost-stolen': [
    ['INSTRUMENT_ALREADY_REPLACED', (card) => card.details.replacedBy !== null],
    ['INSTRUMENT_NOT_MARKED_LOST_STOLEN', (card) => card.details.lostStolen === null],
  ],
};

export interface ReplaceRequest {
  readonly kind: Replacement;
  /** For the new plastic; null: the code that was set up before. */
  readonly activationCode: string | null;
}

export async function replaceCard(
  deps: IssuingDeps,
  asker: Asker,
  card: Card,
  profile: Profile,
  request: ReplaceRequest,
  view: CardViewer,
  openHolds: OpenHolds,
  once: Once | null,
): Promise<CommittedAnswer> {
  const numbers = numbersFor(profile, card.currency, card.details.billingAddress.country);
  const newId = deps.ids.next();
  const seal = deps.vault.sealer();
  const command: CardCommand = {
    name: `card.${request.kind}`,
    asker,
    id: card.id,
    needs: [
      ...needsOfChange(asker.tenantId, card.id, openHolds),
      ...(request.kind === 'replace-lost-stolen' ? needsOfNumber(numbers) : []),
    ],
    decide(locked, loaded, told) {
      const refused = REFUSALS[request.kind].find(([, applies]) => applies(locked));
      if (refused) throw refuse(refused[0]);
      return request.kind === 'replace-damaged'
        ? remade(deps, told, loaded, locked, request, view)
        : succeeded(deps, told, loaded, locked, { request, numbers, newId, seal, view });
    },
  };
  return withLent(deps, () => commitOnCard(deps, once, command));
}

type PlasticDeps = Pick<IssuingDeps, 'events' | 'permutation' | 'sandbox' | 'vault'>;

/** Plastic again, in the state of an order that was just made. */
function plasticAgain(
  deps: PlasticDeps,
  card: Card,
  of: Card,
  { activationCode }: ReplaceRequest,
  reason: 'DAMAGED' | 'LOST_STOLEN',
  at: Date,
): PhysicalCard | null {
  const { physical } = of.details;
  if (!physical) return null;
  const code =
    activationCode === null
      ? { activationHash: physical.activationHash, activationOf: physical.activationOf ?? of.id.toString() }
      : { activationHash: activationHash(deps, card, activationCode) };
  const { productReference, carrierType, bulkDelivery, deliveryAddress, deliveryMethod, nameOnCardLine2 } = physical;
  return orderedPlastic(
    deps,
    {
      productReference,
      carrierType,
      bulkDelivery,
      deliveryAddress,
      deliveryMethod,
      nameOnCardLine2,
      ...code,
      // Without a new code, plastic in place of what was in use works as it comes; a lost card's waits, unless nobody knows a code of it.
      pendingActivation:
        reason === 'DAMAGED' ? physical.pendingActivation || activationCode !== null : code.activationHash !== null,
      pinOffset: reason === 'DAMAGED' ? physical.pinOffset : '0000',
      replacement: { replacementReason: reason, replacementId: deps.permutation.outward(card.id) },
    },
    at,
  );
}

/** Same card, same number, new plastic. */
function remade(
  deps: PlasticDeps,
  told: Told,
  loaded: Loaded,
  card: Card,
  request: ReplaceRequest,
  view: CardViewer,
): Ending {
  const { now } = told;
  const physical = plasticAgain(deps, card, card, request, 'DAMAGED', now);
  const changed: Card = { ...card, details: { ...card.details, physical }, updated_at: now };
  const after: Card = { ...changed, due_at: dueAtOf(changed) };
  return {
    status: 200,
    body: view(after, told),
    changes: cardWritten(deps, told, {
      before: card,
      after,
      event: 'card.plastic_requested',
      funds: fundsLoaded(loaded, card),
    }),
  };
}

/**
 * A new card in place of one that is lost or stolen; the money of a prepaid one moves, but for what is held on the old. Long: what goes over
 * to the new card, one thing after the other.
 */
function succeeded(
  deps: PlasticDeps,
  told: Told,
  loaded: Loaded,
  old: Card,
  {
    request,
    numbers,
    newId,
    seal,
    view,
  }: {
    readonly request: ReplaceRequest;
    readonly numbers: NumberSource | null;
    readonly newId: bigint;
    readonly seal: Sealer;
    readonly view: CardViewer;
  },
): Ending {
  const drawn = drawNumber(deps, seal, loaded, numbers);
  const { brand, pan } = drawn;
  const { now } = told;
  const { outward } = deps.permutation;
  const { endedTokens, ...details } = old.details;
  const base: Card = {
    ...old,
    ...replaced(old),
    id: newId,
    brand,
    first_six: pan.bin(6),
    last_four: pan.lastFour,
    starts: monthAfter(now, 0),
    expires: monthAfter(now, old.details.expiryPeriodMonths),
    details: {
      ...details,
      physical: null,
      wrongCvvs: 0,
      lostStolen: null,
      replaces: outward(old.id),
      replacedBy: null,
    },
    created_at: now,
    updated_at: now,
  };
  const physical = plasticAgain(deps, base, old, request, 'LOST_STOLEN', now);
  const plastic: Card = {
    ...base,
    type: physical?.pendingActivation === false ? 'PHYSICAL' : 'VIRTUAL',
    details: { ...base.details, physical },
  };
  const card: Card = { ...plastic, due_at: dueAtOf(plastic) };
  const money = card.parent_account_id === null ? moved(told, loaded, old, card) : null;
  const tokens = tokensLoaded(loaded, old);
  // The device keeps its token. One that was given up stays so; one that no device has taken into use yet still waits for it.
  const live = endedTokens ?? liveTokens(tokens);
  const pointed = tokens.flatMap((token) => {
    const state = live[token.id.toString()];
    return state ? [{ token, to: { card_id: card.id, state: followed(state, card.state) } }] : [];
  });
  // A lost card ends with its replacement; a stolen one has ended already.
  const ended = destroyed(old, 'LOST');
  const gone = restand(deps, told, loaded, old, typeof ended === 'string' ? old : ended, 'card.replaced', {
    details: {
      replacedBy: outward(card.id),
      physical: old.details.physical && { ...old.details.physical, replacement: physical?.replacement ?? null },
    },
    left: money?.left ?? null,
    tokens: tokens.filter(({ id }) => !(id.toString() in live)),
  });
  return {
    status: 200,
    body: view(card, told, money?.funds),
    changes: [
      ...drawn.changesFor(card, told, money?.funds ?? null),
      ...(money?.changes ?? []),
      ...pointed.flatMap(({ token, to }) => tokenRepointed(deps, told, token, to)),
      ...gone.changes,
    ],
  };
}

interface Moved {
  /** Of the new card. */
  readonly funds: Funds;
  /** Of the old one. */
  readonly left: Funds | null;
  readonly changes: readonly Change[];
}

/**
 * The available money goes to the new card, a debt too: nobody gets rid of it by losing a card. What is held stays until its authorizations
 * are over.
 */
function moved(told: Told, loaded: Loaded, old: Card, card: Card): Moved {
  const theirs = loaded.get(fundsKind, { tenantId: old.tenant_id, id: old.id });
  const fresh = emptyFunds(card.tenant_id, card.id, card.currency);
  const amount = theirs ? theirs.actual - theirs.held : 0n;
  if (!theirs || amount === 0n) return { funds: fresh, left: theirs ?? null, changes: [fundsInsert(fresh)] };
  const what = { types: ['REPLACEMENT_OUT', 'REPLACEMENT_IN'], subject: { type: 'card', id: card.id } } as const;
  const isDebt = amount < 0n;
  const { from, to, changes } = isDebt
    ? transferFunds(told, fresh, theirs, -amount, what)
    : transferFunds(told, theirs, fresh, amount, what);
  // The new funds are inserted, then changed, in one commit: the store folds both into one row.
  return { funds: isDebt ? from : to, left: isDebt ? to : from, changes: [fundsInsert(fresh), ...changes] };
}
