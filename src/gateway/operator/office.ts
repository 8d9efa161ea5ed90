// What the operator's endpoints work with, and the one way in which they change anything.
// Rule: nothing is changed for an operator outside of `audited`.
import type { Clock, Log, Permutation, Turns } from '../../base/index.ts';
import type { Rates } from '../../ledger/index.ts';
import type { Db } from '../../store/index.ts';
import type { LinkFields, LinkResult } from '../checkout/index.ts';
import type { Resolved, StuckOperation, Told } from '../flight/index.ts';
import { type Project, ProjectRefusal, type Projects, type Tools } from '../projects/index.ts';
import type { Risk } from '../risk/index.ts';
import type { PageTemplate } from '../templates/index.ts';
import { auditAppend } from './audit.ts';
import { OperatorRefusal } from './errors.ts';

export interface Operator {
  readonly name: string;
}

/** One invariant, asked of the running installation. */
export interface Check {
  readonly id: string;
  readonly ok: boolean;
  /** What breaks it, at most a hundred. */
  readonly violations: readonly unknown[];
}

/** Where a page is not as it was written. */
export interface PageDifference {
  readonly where: string;
  readonly expected: string;
  readonly found: string;
}

export interface Office {
  readonly database: Db & { transaction<Value>(work: (db: Db) => Promise<Value>): Promise<Value> };
  /** For what reads much. */
  readonly turns: Turns;
  readonly projects: Projects;
  readonly tools: Tools;
  readonly rates: Rates;
  readonly risk: Risk;
  readonly permutation: Permutation;
  readonly clock: Clock;
  readonly log: Log;
  /** Without trailing slash. */
  readonly publicUrl: string;
  readonly invariants: () => Promise<readonly Check[]>;
  /** Everything that is known of an order: operations, network messages, the issuer's decision, ledger entries. null: no such order. */
  readonly trace: (orderId: bigint) => Promise<object | null>;
  /** What is due and fails, longest first: as it is shown. */
  readonly failing: (limit: number) => Promise<readonly object[]>;
  /** Operations that the acquirer was asked for in vain, behind the one with this id. */
  readonly stuckOperations: (after: bigint, limit: number) => Promise<readonly StuckOperation[]>;
  /** Settles the one with this reference as the acquirer told. */
  readonly resolveOperation: (reference: string, told: Told) => Promise<Resolved>;
  /** Makes a new key-encrypting key the active one; its name. */
  readonly rotateKeys: () => string | Promise<string>;
  /** The payment page of an order that is none: its text, and the header fields that it needs. */
  readonly previewPage: (
    template: PageTemplate,
    language: string,
  ) => { readonly html: string; readonly headers: Readonly<Record<string, string>> };
  /** Looks at the payment page as it is served: every difference to the page as it was written. */
  readonly checkPages: () => Promise<readonly PageDifference[]>;
  /** Makes an order and the address of its page. */
  readonly createLink: (project: Project, fields: LinkFields) => Promise<LinkResult>;
}

/** Who asks, from where. */
export interface Asked {
  readonly principal: Operator;
  readonly remoteAddress: string;
}

/**
 * Runs a change in one transaction together with its audit row; a refused or failed one leaves a row that says so. What `work` does
 * outside of the given `db` is done before the row is committed.
 */
export async function audited<Value>(
  office: Office,
  asked: Asked,
  what: string,
  target: string,
  work: (db: Db) => Promise<Value>,
): Promise<Value> {
  const { clock, projects, database, log } = office;
  const { keyed } = office.tools;
  const action = { actor: asked.principal.name, origin: asked.remoteAddress, action: what, target };
  try {
    return await projects.change(async (db) => {
      const value = await work(db);
      await auditAppend(db, keyed, action, 'done', clock.now());
      return value;
    });
  } catch (error) {
    const result = error instanceof ProjectRefusal || error instanceof OperatorRefusal ? error.code : 'failed';
    await database
      .transaction((db) => auditAppend(db, keyed, action, result, clock.now()))
      .catch((cause: unknown) =>
        log.error({ err: cause, action: what, result }, 'an operator action could not be audited'),
      );
    throw error;
  }
}
