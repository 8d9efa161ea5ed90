// What operators are served with: the endpoints of every room, each given what it needs.
import { createLink } from './gateway/checkout/index.ts';
import { resolveOperation, stuckOperations } from './gateway/flight/index.ts';
import { gatewayOperatorEndpoints } from './gateway/index.ts';
import { orderTrace } from './gateway/listing/index.ts';
import type { Gateway } from './gateway/orders/index.ts';
import type { Projects, Tools } from './gateway/projects/index.ts';
import type { Changes, OperatorEndpoint } from './http/index.ts';
import type { Issuing } from './issuing/index.ts';
import type { Rates } from './ledger/index.ts';
import { type Inspection, inspectionEndpoints, rangeEndpoints, rateEndpoints } from './operator/index.ts';
import { previewPage } from './pages/index.ts';

export interface Operated extends Pick<Inspection, 'invariants' | 'failing' | 'checkPages'> {
  readonly gateway: Gateway;
  readonly issuing: Issuing;
  readonly projects: Projects;
  readonly tools: Tools;
  readonly rates: Rates;
  readonly changes: Changes;
}

export function operatorEndpoints(of: Operated): OperatorEndpoint[] {
  const { gateway, issuing, projects, tools, rates, changes, invariants, failing, checkPages } = of;
  const { db: database, clock, permutation, publicUrl, risk, vault } = gateway;
  return [
    ...gatewayOperatorEndpoints({
      database,
      projects,
      tools,
      permutation,
      publicUrl,
      clock,
      risk,
      changes,
      previewPage: (template, language) => previewPage(template, language, clock.now()),
      createLink: (committer, project, fields) => createLink({ ...gateway, committer }, project, fields),
      stuckOperations: (after, limit) => stuckOperations(gateway, after, limit),
      resolveOperation: (committer, reference, told) => resolveOperation({ ...gateway, committer }, reference, told),
      trace: (id) => orderTrace(gateway, id, issuing.decisionsOf),
    }),
    ...rateEndpoints({ database, rates, clock, publicUrl, changes }),
    ...rangeEndpoints({ database, changes, clock }),
    ...inspectionEndpoints({ database, keyed: vault.keyed, changes, invariants, failing, keys: vault, checkPages }),
    ...issuing.operator,
  ];
}
