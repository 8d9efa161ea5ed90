// A card as the API shows it (docs/contract/issuing.md#card).
// Rule: number, CVV and PIN appear only as what the caller was given for them, and members come in one order wherever a card is shown.
import type { Permutation } from '../../base/index.ts';
import { balancesView, type Funds, stateView } from '../accounts/index.ts';
import { shown } from '../fields/index.ts';
import { mmyy } from './dates.ts';
import type { Address, Card, DeliveryAddress, PhysicalCard } from './model.ts';

/** One-time reveal tokens, or the values themselves (the secrets room). */
export interface Secrets {
  readonly number: string;
  readonly cvv: string;
}

const ADDRESS = [
  'addressLine1',
  'addressLine2',
  'city',
  'postCode',
  'state',
  'country',
] as const satisfies readonly (keyof Address)[];
const DELIVERY_ADDRESS = ['name', 'surname', ...ADDRESS, 'contactNumber'] as const;

const PLASTIC = [
  'bulkDelivery',
  'productReference',
  'carrierType',
  'pendingActivation',
  'pinBlocked',
  'manufacturingState',
  'replacement',
  'deliveryAddress',
  'deliveryMethod',
  'deliveryTrackingCode',
  'deliveryTrackingMethod',
  'nameOnCardLine2',
] as const satisfies readonly (keyof PhysicalCard)[];

const physicalView = (physical: PhysicalCard): object => ({
  ...shown(PLASTIC, physical),
  ...(physical.replacement ? { replacement: shown(['replacementReason', 'replacementId'], physical.replacement) } : {}),
  deliveryAddress: shown<DeliveryAddress>(DELIVERY_ADDRESS, physical.deliveryAddress),
});

const threeDsView = ({ linkedUserId, primaryChannel, primaryAlias, fallbackChannel }: ThreeDs): object =>
  shown(['linkedUserId', 'primaryChannel', 'fallbackChannel'], {
    linkedUserId,
    primaryChannel: primaryAlias ?? primaryChannel,
    fallbackChannel,
  });
type ThreeDs = NonNullable<Card['details']['threeDs']>;

/** `funds`: the card's own; null for a debit card, whose balance is its account's. `secrets`: null for who may see neither. */
export function cardView(
  { outward }: Permutation,
  card: Card,
  funds: Funds | null,
  secrets: Secrets | null,
): Record<string, unknown> {
  const { details } = card;
  const members = {
    id: outward(card.id),
    profileId: outward(card.profile_id),
    externalHandle: details.externalHandle,
    tag: card.tag,
    friendlyName: card.friendly_name,
    currency: card.currency,
    state: stateView(card),
    type: card.type,
    cardBrand: card.brand,
    cardNumber: secrets && { value: secrets.number },
    cvv: secrets && { value: secrets.cvv },
    cardNumberFirstSix: card.first_six,
    cardNumberLastFour: card.last_four,
    nameOnCard: card.name_on_card,
    nameOnCardLine2: details.nameOnCardLine2,
    startMmyy: mmyy(card.starts),
    expiryMmyy: mmyy(card.expires),
    cardLevelClassification: card.classification,
    expiryPeriodMonths: details.expiryPeriodMonths,
    renewalType: card.renewal,
    creationTimestamp: card.created_at.getTime(),
    cardholderMobileNumber: card.mobile,
    billingAddress: shown(ADDRESS, details.billingAddress),
    physicalCardDetails: details.physical && physicalView(details.physical),
    digitalWallets: shown(['pushProvisioningEnabled', 'walletsEnabled', 'artworkReference'], details.digitalWallets),
    authForwardingDefaultTimeoutDecision: details.timeoutDecision,
    threeDSecureAuthConfig: details.threeDs && threeDsView(details.threeDs),
    mode: card.mode,
    externalData: details.externalData.map((entry) => shown(['name', 'value'], entry)),
    parentManagedAccountId: card.parent_account_id === null ? null : outward(card.parent_account_id),
    replaces: details.replaces,
    replacedBy: details.replacedBy,
    balances: funds && balancesView(funds),
  };
  return shown(Object.keys(members) as (keyof typeof members)[], members);
}

/** What creation echoes of the request. */
const ECHOED = [
  'id',
  'profileId',
  'externalHandle',
  'tag',
  'friendlyName',
  'currency',
  'nameOnCard',
  'nameOnCardLine2',
  'cardholderMobileNumber',
  'billingAddress',
  'digitalWallets',
  'authForwardingDefaultTimeoutDecision',
  'threeDSecureAuthConfig',
  'mode',
  'externalData',
  'parentManagedAccountId',
] as const;

export const createdView = (permutation: Permutation, card: Card): Record<string, unknown> =>
  shown<Record<string, unknown>>(ECHOED, cardView(permutation, card, null, null));
