// What the operator's endpoints for issuing work with.
// Rule: nothing is changed for an operator but through `change` and `command`, which audit it.
import type { Transaction } from '../../store/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { TenantsRoom, Tools } from '../tenants/index.ts';

/** Who asks, from where. */
interface OperatorAsks {
  readonly principal: { readonly name: string };
  readonly remoteAddress: string;
}

/** In which tenant's chain of the audit log it is told; null, or none found: the installation's. */
type AuditOwner = bigint | null | (() => Promise<bigint | null>);

export interface IssuingOffice {
  readonly deps: IssuingDeps;
  readonly tenants: TenantsRoom;
  readonly tools: Tools;
  /** Port: runs a change in one transaction together with its audit row; a refused one leaves a row that says so. */
  change<Value>(
    asks: OperatorAsks,
    owner: AuditOwner,
    action: string,
    target: string,
    work: (db: Transaction) => Promise<Value>,
  ): Promise<Value>;
  /** Port: the same for what commands change. They go to the dependencies that `work` gets, and to no other. */
  command<Value>(
    asks: OperatorAsks,
    owner: AuditOwner,
    action: string,
    target: string,
    work: (deps: IssuingDeps) => Promise<Value>,
  ): Promise<Value>;
}
