// What a card was asked to pay and what became of it. Amounts of the row are the card's currency unless they say `asked`.
import type { Channel, NetworkAnswer } from '../../network/index.ts';
import type { Reason, Step, Tariff } from '../decision/index.ts';
import type { Part } from '../rules/index.ts';

export type AuthorizationState = 'PENDING' | 'OPEN' | 'CLOSED' | 'DECLINED';
/** A purchase holds; a credit pays to the card; a forced clearing and a refund without original have no authorization before them. */
export type AuthorizationKind = 'purchase' | 'credit' | 'forced' | 'refund';

export interface Merchant {
  readonly id: string;
  readonly mcc: string;
  readonly name: string;
  /** Alpha-3; null: not said. */
  readonly country: string | null;
}

export interface Authorization {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly card_id: bigint;
  readonly instrument_id: bigint;
  readonly state: AuthorizationState;
  readonly kind: AuthorizationKind;
  readonly channel: Channel;
  readonly merchant: Merchant;
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
  /** In the merchant's currency, as text. */
  readonly asked: { readonly open: string; readonly cleared: string; readonly refunded: string };
  readonly billing_currency: string;
  readonly authorized: bigint;
  readonly open: bigint;
  readonly held: bigint;
  readonly cleared: bigint;
  readonly refunded: bigint;
  readonly fees: bigint;
  readonly rate: { readonly micro: string; readonly day: string; readonly source: string } | null;
  readonly parts: readonly Part[];
  readonly response_code: string;
  readonly reason: Reason | null;
  readonly explanation: readonly Step[];
  readonly details: {
    readonly tariff: Tariff;
    /** Days that its hold lives, counted from its last increment. */
    readonly holdDays: number;
    readonly answer: KeptAnswer;
    /** Refunds by reference, as the merchant wrote them and in the card's currency; one that is taken back is gone. */
    readonly refunds: Readonly<Record<string, { readonly asked: string; readonly billed: string }>>;
    /** What the tenant said, or why it was not heard; null: not asked. */
    readonly forwarding: string | null;
    /** The device that stood for the card, as the outside names its token; null: none was named. */
    readonly walletTokenId: string | null;
    /** Something was cleared that no hold stood for. */
    readonly forced: boolean;
    /** What was still held when its time was over, as the merchant wrote it. */
    readonly lapsed?: string | undefined;
  };
  readonly events: number;
  readonly expires_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What the network keeps of an authorization, and gets again with every message that belongs to it. */
export interface KeptAnswer {
  readonly authCode: string;
  readonly rrn: string;
  readonly networkTransactionId: string;
}

export interface Message {
  readonly tenant_id: bigint;
  readonly reference: string;
  readonly operation: string;
  readonly original: string | null;
  readonly authorization_id: bigint | null;
  readonly amount: bigint;
  /** null while forwarding is asked. */
  readonly answer: StoredNetworkAnswer | null;
  readonly created_at: Date;
}

export type StoredNetworkAnswer = Omit<NetworkAnswer, 'approvedMinor'> & { readonly approvedMinor: string | null };

export const storedAnswer = ({ approvedMinor, ...answer }: NetworkAnswer): StoredNetworkAnswer => ({
  ...answer,
  approvedMinor: approvedMinor === null ? null : approvedMinor.toString(),
});
export const answerOf = ({ approvedMinor, ...answer }: StoredNetworkAnswer): NetworkAnswer => ({
  ...answer,
  approvedMinor: approvedMinor === null ? null : BigInt(approvedMinor),
});
