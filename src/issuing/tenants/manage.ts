// Makes tenants and their secrets; the operator API and the seed come here.
// Rule: settings arrive checked (routes-*.ts); a secret is told once, by the call that makes it.
import type { Clock, IdMaker, Random } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import type { SecretKind, TenantSettings } from './model.ts';
import { secretInsert, tenantUpsert } from './queries.ts';
import { type Keyed, secretHash } from './tenants.ts';

export interface Tools {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly random: Random;
  readonly keyed: Keyed;
}

export async function tenantCreate(
  db: Db,
  { clock }: Tools,
  { id, name, settings }: { readonly id: bigint; readonly name: string; readonly settings: Partial<TenantSettings> },
): Promise<void> {
  await tenantUpsert(db, { id, name, active: true, settings, created_at: clock.now() });
}

/** 256 random bits unless a secret is given (the sandbox's are published). */
export async function secretCreate(
  db: Db,
  { clock, ids, random, keyed }: Tools,
  tenantId: bigint,
  {
    label,
    kind = 'api',
    certificates = [],
  }: { readonly label: string; readonly kind?: SecretKind; readonly certificates?: readonly string[] },
  given: string | null = null,
): Promise<{ readonly id: bigint; readonly secret: string }> {
  const secret = given ?? `fl_${random.bytes(32).toString('base64url')}`;
  const id = ids.next();
  await secretInsert(db, {
    tenant_id: tenantId,
    id,
    label,
    kind,
    secret_hash: secretHash(keyed, secret),
    created_at: clock.now(),
    expires_at: null,
    revoked_at: null,
    certificates,
  });
  return { id, secret };
}
