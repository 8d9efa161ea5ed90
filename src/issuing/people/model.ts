// Who holds cards: identities (consumers and corporates), their users, and what is known of them.
import { type CardLimits, type SpendRules, UNLIMITED } from '../rules/index.ts';
import type { KycLevel, KycState, OwnerType } from '../tenants/index.ts';

export interface Identity {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly programme_id: bigint;
  readonly type: OwnerType;
  readonly name: string;
  readonly kyc_state: KycState;
  readonly kyc_level: KycLevel;
  readonly active: boolean;
  readonly settings: IdentitySettings;
  readonly events: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}
export interface IdentitySettings {
  readonly cardLimits: CardLimits;
  readonly rules: SpendRules;
  /** Alpha-2. */
  readonly country: string | null;
}
export const defaultIdentity: IdentitySettings = { cardLimits: UNLIMITED, rules: {}, country: null };

export interface User {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly identity_id: bigint;
  readonly kind: 'root' | 'authorised';
  readonly name: string;
  readonly surname: string;
  readonly email: string;
  readonly mobile: string | null;
  readonly active: boolean;
  readonly roles: readonly string[];
  readonly events: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}
