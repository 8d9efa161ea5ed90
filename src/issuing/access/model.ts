// A session as requests see it.
import type { Identity, Tenant, User } from '../tenants/index.ts';

/** Who asks: what both headers stand for. Every issuing endpoint but login gets it as its principal. */
export interface Session {
  readonly tenant: Tenant;
  readonly identity: Identity;
  readonly user: User;
  /** Keyed hash of the token, hex. */
  readonly tokenHash: string;
  readonly steppedUp: boolean;
}
