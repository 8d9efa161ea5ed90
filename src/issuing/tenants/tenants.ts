// Tenants, programmes and profiles in memory: a request finds them without a query.
// Rule: a wrong secret costs the same work as a right one; what this process committed is seen by the next request, what another process
// committed by a request two seconds later.
import { assert, type Clock, type Log, opensTo } from '../../base/index.ts';
import { type Db, kept } from '../../store/index.ts';
import { filled } from '../fields/index.ts';
import {
  defaultInstallation,
  defaultProfile,
  defaultTenant,
  filledProgramme,
  type InstallationLimits,
  type InstallationSettings,
  type Profile,
  type Programme,
  type SecretKind,
  type Tenant,
  type Tenants,
} from './model.ts';
import {
  installationRow,
  type ProfileRow,
  type ProgrammeRow,
  profileRows,
  programmeRows,
  secretRows,
  type TenantRow,
  tenantName,
  tenantRows,
  versionNow,
} from './queries.ts';

export type Keyed = (purpose: string, data: Buffer | string) => Buffer;

export interface TenantsOptions {
  readonly database: Db;
  readonly keyed: Keyed;
  readonly clock: Clock;
  readonly log: Log;
}

export interface TenantsRoom extends Tenants {
  /** What was committed before this call is in force here when it resolves, or at the latest when memory is read next. */
  refresh(): Promise<void>;
}

/** Secrets are found by this hash, so that looking one up tells nothing of it. */
export const secretHash = (keyed: Keyed, secret: string): Buffer => keyed('tenant.secret', secret);

interface Opener {
  readonly kind: SecretKind;
  readonly tenant: Tenant;
  readonly expiresAt: Date | null;
  readonly certificates: readonly string[];
}

interface Memory {
  readonly version: bigint;
  readonly installation: InstallationSettings;
  readonly limits: InstallationLimits;
  readonly tenants: ReadonlyMap<bigint, Tenant>;
  readonly secrets: ReadonlyMap<string, Opener>;
  readonly programmes: ReadonlyMap<string, Programme>;
  readonly profiles: ReadonlyMap<string, Profile>;
}

const NOTHING: Memory = {
  version: -1n,
  installation: defaultInstallation,
  limits: { cardLimits: defaultInstallation.cardLimits, version: -1n },
  tenants: new Map(),
  secrets: new Map(),
  programmes: new Map(),
  profiles: new Map(),
};

const keyOf = (tenantId: bigint, id: bigint): string => `${tenantId}/${id}`;

const tenantFrom = ({ id, name, active, settings }: TenantRow): Tenant => ({
  id,
  name,
  active,
  settings: filled(defaultTenant, settings),
});
const programmeFrom = ({ tenant_id, id, name, settings }: ProgrammeRow): Programme => ({
  tenantId: tenant_id,
  id,
  name,
  settings: filledProgramme(settings),
});
const profileFrom = ({ tenant_id, id, programme_id, name, kind, active, settings }: ProfileRow): Profile => ({
  tenantId: tenant_id,
  id,
  programmeId: programme_id,
  name,
  kind,
  active,
  settings: filled(defaultProfile, settings),
});

async function read(db: Db, version: bigint): Promise<Memory> {
  const [row, tenants, secrets, programmes, profiles] = await Promise.all([
    installationRow(db),
    tenantRows(db),
    secretRows(db),
    programmeRows(db),
    profileRows(db),
  ]);
  const installation = filled(defaultInstallation, row.settings);
  const byId = new Map(tenants.map((row) => [row.id, tenantFrom(row)]));
  return {
    version,
    installation,
    limits: { cardLimits: installation.cardLimits, version: row.version },
    tenants: byId,
    secrets: new Map(
      secrets.flatMap((row) => {
        const tenant = byId.get(row.tenant_id);
        const { expires_at: expiresAt, certificates, kind } = row;
        return tenant ? [[row.secret_hash.toString('hex'), { kind, tenant, expiresAt, certificates }]] : [];
      }),
    ),
    programmes: new Map(programmes.map((row) => [keyOf(row.tenant_id, row.id), programmeFrom(row)])),
    profiles: new Map(profiles.map((row) => [keyOf(row.tenant_id, row.id), profileFrom(row)])),
  };
}

export function createTenants({ database, keyed, clock, log }: TenantsOptions): TenantsRoom {
  let memory = NOTHING;
  const { fresh, refresh } = kept(
    'tenants',
    async () => {
      const version = await versionNow(database);
      if (version !== memory.version) memory = await read(database, version);
    },
    { clock, log },
  );
  const current = async (): Promise<Memory> => {
    await fresh();
    return memory;
  };

  return {
    refresh,
    async authenticate(secret, certificate = null, kind = 'api') {
      const { secrets } = await current();
      const found = secrets.get(secretHash(keyed, secret).toString('hex'));
      if (!found?.tenant.active || found.kind !== kind || !opensTo(found.certificates, certificate)) return null;
      return found.expiresAt === null || found.expiresAt > clock.now() ? found.tenant : null;
    },
    nameOf(id) {
      const tenant = memory.tenants.get(id);
      assert(tenant, 'a tenant that nobody has asked for');
      return tenant.name;
    },
    async nameIn(inside, id) {
      const name = memory.tenants.get(id)?.name ?? (await tenantName(inside, id));
      assert(name !== null, 'an event of no tenant');
      return name;
    },
    tenant: async (id) => (await current()).tenants.get(id) ?? null,
    programme: async (tenantId, id) => (await current()).programmes.get(keyOf(tenantId, id)) ?? null,
    profile: async (tenantId, id) => (await current()).profiles.get(keyOf(tenantId, id)) ?? null,
    installation: async () => (await current()).installation,
    limits: async () => (await current()).limits,
    all: async () => [...(await current()).tenants.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
