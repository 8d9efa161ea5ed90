// Managed accounts, and the funds that accounts and prepaid cards hold.
export type InstrumentState = 'ACTIVE' | 'BLOCKED' | 'DESTROYED';
export type BlockReason = 'USER' | 'SYSTEM' | 'LOST';
export type DestroyedReason = 'SYSTEM' | 'USER' | 'LOST' | 'STOLEN' | 'EXPIRED';

export interface ManagedAccount {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly identity_id: bigint;
  readonly profile_id: bigint;
  readonly friendly_name: string;
  readonly tag: string | null;
  readonly currency: string;
  readonly state: InstrumentState;
  /** The newest last; what is shown is the last. */
  readonly blocks: readonly BlockReason[];
  readonly destroyed_reason: DestroyedReason | null;
  readonly events: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** available = actual - held. */
export interface Funds {
  readonly tenant_id: bigint;
  readonly instrument_id: bigint;
  readonly currency: string;
  readonly actual: bigint;
  readonly held: bigint;
  readonly entries: number;
}

export type StatementType =
  | 'DEPOSIT'
  | 'TRANSFER_IN'
  | 'TRANSFER_OUT'
  | 'FEE'
  | 'AUTHORISATION'
  | 'AUTHORISATION_INCREMENT'
  | 'AUTHORISATION_REVERSAL'
  | 'AUTHORISATION_EXPIRY'
  | 'SETTLEMENT'
  | 'REFUND'
  | 'REFUND_REVERSAL'
  | 'REPLACEMENT_IN'
  | 'REPLACEMENT_OUT';

export interface StatementEntry {
  readonly tenant_id: bigint;
  readonly instrument_id: bigint;
  readonly sequence: number;
  readonly id: bigint;
  readonly type: StatementType;
  /** Change of the actual balance. */
  readonly amount: bigint;
  readonly available_change: bigint;
  readonly actual_after: bigint;
  readonly available_after: bigint;
  readonly reference_id: bigint | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
}
