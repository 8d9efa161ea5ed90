// How operators change what issuing holds: in a transaction, or by commands of use cases, and each time together with its audit row.
// Rule: nothing is changed for an operator by another way. Endpoints that only read are given neither.
import type { Transaction } from '../../store/index.ts';
import type { IssuingDeps } from '../requests/index.ts';

/** Who asks, from where. */
interface OperatorAsks {
  readonly principal: { readonly name: string };
  readonly remoteAddress: string;
}

/** In which tenant's chain of the audit log it is told; null, or none found: the installation's. */
type AuditOwner = bigint | null | (() => Promise<bigint | null>);

/**
 * Port: runs a change in one transaction together with its audit row; a refused one leaves a row that says so. What is changed is in force
 * in this process once it resolves.
 */
export type Change = <Value>(
  asks: OperatorAsks,
  owner: AuditOwner,
  action: string,
  target: string,
  work: (db: Transaction) => Promise<Value>,
) => Promise<Value>;

/** Port: the same for what commands change. They go to the dependencies that `work` gets, and to no other. */
export type ChangeByCommands = <Value>(
  asks: OperatorAsks,
  owner: AuditOwner,
  action: string,
  target: string,
  work: (deps: IssuingDeps) => Promise<Value>,
) => Promise<Value>;
