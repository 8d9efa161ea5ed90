// A card and everything that is kept of it. The number stands in the vault under the card's id; CVV and PIN are derived, never kept.
import type { BlockReason, DestroyedReason, InstrumentState } from '../accounts/index.ts';
import type { SpendRules } from '../rules/index.ts';
import type { AuthChannel, Brand, DeliveryMethod, Mode } from '../tenants/index.ts';

export interface Address {
  readonly addressLine1: string;
  readonly addressLine2?: string;
  readonly city: string;
  readonly postCode: string;
  readonly state?: string;
  /** Alpha-2. */
  readonly country: string;
}

export interface DeliveryAddress extends Address {
  readonly name: string;
  readonly surname: string;
  readonly contactNumber?: string;
}

export const MANUFACTURING_STATES = ['REQUESTED', 'SENT_FOR_FULFILLMENT', 'DISPATCHED', 'DELIVERED'] as const;
export type ManufacturingState = (typeof MANUFACTURING_STATES)[number];
export const REPLACEMENT_REASONS = ['DAMAGED', 'LOST_STOLEN', 'EXPIRED'] as const;
export type ReplacementReason = (typeof REPLACEMENT_REASONS)[number];

export interface PhysicalCard {
  readonly productReference: string;
  readonly carrierType: string;
  readonly bulkDelivery: boolean;
  readonly deliveryAddress: DeliveryAddress;
  readonly deliveryMethod: DeliveryMethod;
  readonly deliveryTrackingCode: string | null;
  readonly deliveryTrackingMethod: string | null;
  readonly nameOnCardLine2: string | null;
  readonly pendingActivation: boolean;
  readonly manufacturingState: ManufacturingState;
  /** When the simulated bureau takes its next step, ISO 8601; null: it is done, or there is a real one. */
  readonly nextStepAt: string | null;
  readonly replacement: { readonly replacementReason: ReplacementReason; readonly replacementId: string } | null;
  /** Keyed hash of the activation code, hex; kept for the next plastic. null: nobody knows one. */
  readonly activationHash: string | null;
  /** The id under which the code was hashed, where that is the card that was lost. */
  readonly activationOf?: string | undefined;
  readonly wrongActivationCodes: number;
  readonly pinBlocked: boolean;
  readonly wrongPins: number;
  /** What is added to the natural PIN, digit by digit (IBM 3624): says nothing without the key. */
  readonly pinOffset: string;
}

export interface CardDetails {
  readonly nameOnCardLine2?: string;
  readonly billingAddress: Address;
  readonly digitalWallets: {
    readonly pushProvisioningEnabled: boolean;
    readonly walletsEnabled: boolean;
    readonly artworkReference: string | null;
  };
  /** null: the profile's. */
  readonly timeoutDecision: 'APPROVE' | 'DECLINE' | null;
  readonly threeDs: {
    readonly linkedUserId: string;
    readonly primaryChannel: AuthChannel;
    readonly primaryAlias?: string | undefined;
    readonly fallbackChannel: AuthChannel | null;
  } | null;
  readonly externalData: readonly { readonly name: string; readonly value: string }[];
  readonly externalHandle: string | null;
  readonly rules: SpendRules;
  readonly physical: PhysicalCard | null;
  readonly wrongCvvs: number;
  /** What the card was replaced by, or replaces. */
  readonly replacedBy: string | null;
  readonly replaces: string | null;
  readonly lostStolen: 'LOST' | 'STOLEN' | null;
  /** Wallet tokens that ended with the card, by id, and whether they were in use: what a replacement re-points. */
  readonly endedTokens?: Readonly<Record<string, 'REQUESTED' | 'ACTIVE'>>;
  readonly expiryPeriodMonths: number;
}

export interface Card {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly identity_id: bigint;
  readonly programme_id: bigint;
  readonly profile_id: bigint;
  readonly mode: Mode;
  readonly currency: string;
  /** DEBIT_MODE only. */
  readonly parent_account_id: bigint | null;
  readonly state: InstrumentState;
  /** The newest last; what is shown is the last. */
  readonly blocks: readonly BlockReason[];
  readonly destroyed_reason: DestroyedReason | null;
  readonly type: 'VIRTUAL' | 'PHYSICAL';
  readonly brand: Brand;
  readonly classification: 'CONSUMER' | 'CORPORATE';
  readonly first_six: string;
  readonly last_four: string;
  /** YYMM; valid to the end of that month, UTC. */
  readonly starts: string;
  readonly expires: string;
  readonly renewal: 'AUTO_RENEW' | 'NO_RENEW';
  readonly friendly_name: string;
  readonly name_on_card: string;
  readonly tag: string | null;
  readonly mobile: string | null;
  readonly details: CardDetails;
  readonly due_at: Date | null;
  /** How many events have told of it. */
  readonly events: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Whose funds the card spends: its own, or its parent's. */
export const instrumentOf = (card: Card): bigint => card.parent_account_id ?? card.id;

const MOST_WRONG_CVVS = 3;
/** No CVV is tried any more: a payment that brings one is refused, right or wrong. Other payments go on. */
export const isCvvBlocked = ({ details }: Pick<Card, 'details'>): boolean => details.wrongCvvs >= MOST_WRONG_CVVS;
