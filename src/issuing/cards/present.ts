// A card as the API shows it (card-issuing-api.md, "Card"). Rule: number, CVV and PIN appear only as what the caller was given for them.
import type { Permutation } from '../../base/index.ts';
import { balancesView, type Funds, stateView } from '../accounts/index.ts';
import { mmyy } from './dates.ts';
import type { Card, PhysicalCard } from './model.ts';

/** One-time reveal tokens, or the values themselves (reveal.ts). */
export interface Secrets {
  readonly number: string;
  readonly cvv: string;
}

const physicalView = ({
  activationHash: _hash,
  wrongActivationCodes: _codes,
  wrongPins: _pins,
  pinOffset: _offset,
  nextStepAt: _step,
  deliveryTrackingCode,
  deliveryTrackingMethod,
  nameOnCardLine2,
  replacement,
  ...shown
}: PhysicalCard): object => ({
  ...shown,
  ...(deliveryTrackingCode === null ? {} : { deliveryTrackingCode }),
  ...(deliveryTrackingMethod === null ? {} : { deliveryTrackingMethod }),
  ...(nameOnCardLine2 === null ? {} : { nameOnCardLine2 }),
  ...(replacement === null ? {} : { replacement }),
});

/** What creation echoes and every view has. */
export const optionsView = ({ outward }: Permutation, card: Card): object => {
  const { details } = card;
  return {
    profileId: outward(card.profile_id),
    ...(card.tag === null ? {} : { tag: card.tag }),
    friendlyName: card.friendly_name,
    nameOnCard: card.name_on_card,
    ...(details.nameOnCardLine2 === undefined ? {} : { nameOnCardLine2: details.nameOnCardLine2 }),
    ...(card.mobile === null ? {} : { cardholderMobileNumber: card.mobile }),
    billingAddress: details.billingAddress,
    digitalWallets: {
      pushProvisioningEnabled: details.digitalWallets.pushProvisioningEnabled,
      walletsEnabled: details.digitalWallets.walletsEnabled,
      ...(details.digitalWallets.artworkReference === null
        ? {}
        : { artworkReference: details.digitalWallets.artworkReference }),
    },
    ...(details.timeoutDecision === null ? {} : { authForwardingDefaultTimeoutDecision: details.timeoutDecision }),
    ...(details.threeDs === null
      ? {}
      : {
          threeDSecureAuthConfig: {
            linkedUserId: details.threeDs.linkedUserId,
            primaryChannel: details.threeDs.primaryAlias ?? details.threeDs.primaryChannel,
            ...(details.threeDs.fallbackChannel === null ? {} : { fallbackChannel: details.threeDs.fallbackChannel }),
          },
        }),
    mode: card.mode,
    currency: card.currency,
    externalData: details.externalData,
    ...(details.externalHandle === null ? {} : { externalHandle: details.externalHandle }),
    ...(card.parent_account_id === null ? {} : { parentManagedAccountId: outward(card.parent_account_id) }),
  };
};

/** `funds`: the card's own; null for a debit card, whose balance is its account's. `secrets`: null for who may see neither. */
export const cardView = (
  permutation: Permutation,
  card: Card,
  funds: Funds | null,
  secrets: Secrets | null,
): object => {
  const { details } = card;
  return {
    id: permutation.outward(card.id),
    ...optionsView(permutation, card),
    state: stateView(card),
    type: card.type,
    cardBrand: card.brand,
    ...(secrets === null ? {} : { cardNumber: { value: secrets.number }, cvv: { value: secrets.cvv } }),
    cardNumberFirstSix: card.first_six,
    cardNumberLastFour: card.last_four,
    startMmyy: mmyy(card.starts),
    expiryMmyy: mmyy(card.expires),
    cardLevelClassification: card.classification,
    expiryPeriodMonths: details.expiryPeriodMonths,
    renewalType: card.renewal,
    creationTimestamp: card.created_at.getTime(),
    ...(details.physical === null ? {} : { physicalCardDetails: physicalView(details.physical) }),
    ...(details.replaces === null ? {} : { replaces: details.replaces }),
    ...(details.replacedBy === null ? {} : { replacedBy: details.replacedBy }),
    ...(funds === null ? {} : { balances: balancesView(funds) }),
  };
};
