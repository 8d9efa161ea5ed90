// Sessions: as they are kept, and as requests see them.
import type { Identity, User } from '../people/index.ts';
import type { Tenant } from '../tenants/index.ts';

/** Who asks: what both headers stand for. Every issuing endpoint but login gets it as its principal. */
export interface Session {
  readonly tenant: Tenant;
  readonly identity: Identity;
  readonly user: User;
  /** Keyed hash of the token, hex. */
  readonly tokenHash: string;
  readonly steppedUp: boolean;
}

/** A one-time code that was asked for. */
export interface Challenge {
  /** Keyed hash of the code, hex. */
  readonly codeHash: string;
  readonly sentAt: string;
  readonly tries: number;
  /** When codes were sent lately, oldest first: what the limit counts. */
  readonly sends: readonly string[];
}

export interface SessionRow {
  readonly tenant_id: bigint;
  readonly token_hash: string;
  readonly user_id: bigint;
  readonly identity_id: bigint;
  readonly created_at: Date;
  readonly used_at: Date;
  readonly stepped_up_at: Date | null;
  readonly ended_at: Date | null;
  readonly challenge: Challenge | null;
}

export interface Message {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly channel: 'SMS' | 'EMAIL';
  readonly recipient: string;
  readonly text: string;
  readonly created_at: Date;
}
