// The issuing half, put together.
import type { Common } from './app-common.ts';
import type { Half } from './app-half.ts';
import { systemClock } from './base/index.ts';
import { createForwarding, eventMaker, tellSetup } from './events/index.ts';
import {
  createIssuing,
  createPasswords,
  createTenants,
  type Issuing,
  type IssuingDeps,
  rangesExhausting,
  sandboxTenantSecrets,
  seedIssuing,
  tenantDesk,
} from './issuing/index.ts';
import { rowReader } from './store/index.ts';
import { verifyCavv } from './threeds/index.ts';

export interface IssuingHalf extends Half {
  /** What the network, 3-D Secure and an order's trace ask about the cards that are issued here. */
  readonly issuing: Issuing;
}

export async function openIssuing(common: Common): Promise<IssuingHalf> {
  const { database, clock, ids, random, log, keyed, vault, rates, inSandbox, limiter, turns, refusals } = common;
  const tenants = createTenants({ database, keyed, clock, log });
  const tools = { clock, ids, random, keyed, links: [...common.links.keys()] };
  const deps: IssuingDeps = {
    clock,
    ids,
    random,
    log,
    db: database,
    readRow: rowReader(database.prepared),
    committer: common.committer,
    vault,
    permutation: common.permutation,
    events: eventMaker({
      permutation: common.permutation,
      mode: common.config.mode,
      ownerType: 'tenant',
      nameOf: tenants.nameOf,
      nameIn: tenants.nameIn,
    }),
    publicUrl: common.publicUrl,
    sandbox: inSandbox,
    rates: () => rates.standing(),
    tenants,
    passwords: createPasswords({ clock, random }),
  };
  const issuing = createIssuing({
    deps,
    ground: common.events,
    throttle: {
      limiter,
      turns,
      rate: common.config.rateLimit,
      failures: common.failures,
      onRefused: (from) => refusals.refused(from, 'issuing', null),
    },
    ports: {
      verifyCavv: (claim) => verifyCavv(vault, claim),
      forward: createForwarding({ clock: systemClock, log, egress: common.egress }),
    },
    operator: { tenants, tools, changes: common.changes, tellSetup: tellSetup(common.alarms) },
  });
  return {
    ...issuing,
    issuing,
    endpointsOf: {
      type: 'tenant',
      async desk(owner) {
        const tenant = await tenants.tenant(owner);
        return tenant && tenantDesk({ ...deps, ground: common.events }, tenant);
      },
    },
    orphans: [],
    async ownerOf(about, id) {
      if (about === 'order') return {};
      const tenant = await tenants.tenant(id);
      return tenant || about !== 'webhook' ? { tenant: tenant?.name ?? null } : {};
    },
    chores: {
      issuing: () => issuing.purge(),
      exhausting: async () => common.alarms.standing('range.exhausting', await rangesExhausting(database)),
    },
    servePages: async () => undefined,
    checkPages: async () => [],
    seed: () => seedIssuing(deps, tenants, tools),
    sandboxSecrets: () => sandboxTenantSecrets(tenants),
  };
}
