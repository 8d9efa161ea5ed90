// What a room needs to offer endpoints to operators: who asks and how a change is made for him.
// Rule: a room changes nothing for an operator but through `Changes`, so that no change can do without its row in the audit log.
import Type, { type TSchema } from 'typebox';
import type { Committer, Transaction } from '../store/index.ts';
import { type AnyEndpoint, endpointOf } from './api/index.ts';
import { Shape } from './fields/index.ts';

export interface Operator {
  readonly name: string;
}

export type OperatorEndpoint = AnyEndpoint<Operator>;
export const operatorEndpoint = endpointOf<Operator>();

/** Who asks, from where. */
export interface OperatorAsks {
  readonly principal: Operator;
  readonly remoteAddress: string;
}

/** What is to be told of a change: `terminal.put`, `sandbox/1`. */
export interface AuditEntry {
  /** In whose chain: a project's or tenant's. null: the installation's, also where nobody of that name is known. */
  readonly owner: bigint | null | (() => Promise<bigint | null>);
  readonly action: string;
  readonly target: string;
}

/** Port: what was done is told in the same transaction; what `work` refuses, or fails in, in a row of its own. */
export interface Changes {
  /** `refresh` brings what is kept in memory up to what was committed: before this resolves, or as soon as it can be read. */
  inTransaction<Value>(
    asks: OperatorAsks,
    entry: AuditEntry,
    work: (db: Transaction) => Promise<Value>,
    refresh?: () => Promise<unknown>,
  ): Promise<Value>;
  /**
   * For what commands change: the first of them that does something has the row in its commit. `work` gets the committer to give them to,
   * and must give none to another.
   */
  byCommands<Value>(
    asks: OperatorAsks,
    entry: AuditEntry,
    work: (committer: Committer) => Promise<Value>,
  ): Promise<Value>;
}

export const listOf = (name: string, schema: TSchema): TSchema => Shape({ [name]: Type.Array(schema) });
