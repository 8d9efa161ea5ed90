// All of the operator's endpoints for issuing, each group with what it needs: deps to read with, and a way to change.
import type { TellSetup } from '../../events/index.ts';
import type { Changes, OperatorEndpoint } from '../../http/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { setupHold, type TenantsRoom, type Tools } from '../tenants/index.ts';
import type { Change, ChangeByCommands } from './changes.ts';
import { holdingEndpoints } from './routes-holdings.ts';
import { instrumentEndpoints } from './routes-instruments.ts';
import { loginEndpoints } from './routes-logins.ts';
import { peopleEndpoints } from './routes-people.ts';
import { setupEndpoints } from './routes-setup.ts';
import { tenantEndpoints } from './routes-tenants.ts';

export interface OperatorOptions {
  readonly deps: IssuingDeps;
  /** Tenants as memory has them, which is renewed after each change. */
  readonly tenants: Pick<TenantsRoom, 'refresh'>;
  readonly tools: Tools;
  readonly changes: Changes;
  /** Port: who sets tenants up is told of it. */
  readonly tellSetup: TellSetup;
}

/** What is changed is in force in this process once the change resolves; where memory could not be read, it is read before it is used again. */
const changing =
  ({ tenants, changes }: OperatorOptions): Change =>
  (asks, owner, action, target, work) =>
    changes.inTransaction(asks, { owner, action, target }, work, () => tenants.refresh());

const changingByCommands =
  ({ deps, changes }: OperatorOptions): ChangeByCommands =>
  (asks, owner, action, target, work) =>
    changes.byCommands(asks, { owner, action, target }, (committer) => work({ ...deps, committer }));

/** Changes of what is set up come one after another: each reads what the one before it has left, and no name or number is taken twice. */
const inTurn =
  (change: Change): Change =>
  (asks, owner, action, target, work) =>
    change(asks, owner, action, target, async (db) => {
      await setupHold(db);
      return work(db);
    });

export function operatorEndpoints(options: OperatorOptions): OperatorEndpoint[] {
  const { deps, tools, tellSetup } = options;
  const change = changing(options);
  const setup = inTurn(change);
  const command = changingByCommands(options);
  return [
    ...tenantEndpoints(deps, { tools, tellSetup }, setup),
    ...setupEndpoints(deps, setup),
    ...peopleEndpoints(deps, setup),
    ...loginEndpoints(deps, change),
    ...holdingEndpoints(deps, command),
    ...instrumentEndpoints(deps, command),
  ];
}
