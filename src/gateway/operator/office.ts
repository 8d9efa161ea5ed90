// What the operator's endpoints work with, and the one way in which they change anything.
// Rule: nothing is changed for an operator outside of `audited`.
import type { Clock, Log, Permutation, Turns } from '../../base/index.ts';
import type { Rates } from '../../ledger/index.ts';
import type { Committer, Db, Transaction } from '../../store/index.ts';
import type { LinkFields, LinkResult } from '../checkout/index.ts';
import type { Resolved, StuckOperation, Told } from '../flight/index.ts';
import { type Project, ProjectRefusal, type Projects, type Tools } from '../projects/index.ts';
import type { Risk } from '../risk/index.ts';
import type { PageTemplate } from '../templates/index.ts';
import { type Action, auditAppend, auditingCommitter } from './audit.ts';
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
  readonly database: Db & { transaction<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value> };
  readonly committer: Committer;
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
  readonly resolveOperation: (committer: Committer, reference: string, told: Told) => Promise<Resolved>;
  readonly keys: {
    /** A new key-encrypting key, in force once the transaction is committed and `activateKey` was called; its name. */
    prepareKey(db: Transaction): Promise<string>;
    activateKey(): Promise<void>;
  };
  /** The payment page of an order that is none: its text, and the header fields that it needs. */
  readonly previewPage: (
    template: PageTemplate,
    language: string,
  ) => { readonly html: string; readonly headers: Readonly<Record<string, string>> };
  /** Looks at the payment page as it is served: every difference to the page as it was written. */
  readonly checkPages: () => Promise<readonly PageDifference[]>;
  /** Makes an order and the address of its page. */
  readonly createLink: (committer: Committer, project: Project, fields: LinkFields) => Promise<LinkResult>;
}

/** Who asks, from where. */
export interface Asked {
  readonly principal: Operator;
  readonly remoteAddress: string;
}

/** For what is kept in memory: brings it up to what was committed. */
type Refresh = () => Promise<unknown>;
const nothingKept: Refresh = () => Promise.resolve();

/** Runs a change in one transaction together with its audit row; a refused or failed one leaves a row that says so. */
export function audited<Value>(
  office: Office,
  asked: Asked,
  action: string,
  target: string,
  work: (db: Transaction) => Promise<Value>,
  refresh: Refresh = nothingKept,
): Promise<Value> {
  const told = actionOf(asked, action, target);
  return telling(office, told, async () => {
    try {
      return await office.projects.change(async (db) => {
        const value = await work(db);
        await auditAppend(db, office.tools.keyed, told, 'done', office.clock.now());
        return value;
      });
    } finally {
      // Also after a failure: a COMMIT without answer may have taken effect.
      await refresh().catch((cause: unknown) =>
        office.log.error({ err: cause, action }, 'memory could not be renewed'),
      );
    }
  });
}

/**
 * The same for a change that commands make: the first of them that does something has the audit row in its commit. `work` gets the
 * committer to give them to, and must give none to another.
 */
export function auditedCommand<Value>(
  office: Office,
  asked: Asked,
  action: string,
  target: string,
  work: (committer: Committer) => Promise<Value>,
): Promise<Value> {
  const told = actionOf(asked, action, target);
  return telling(office, told, async () => {
    const { keyed } = office.tools;
    const committer = auditingCommitter(office.committer, keyed, told, () => office.clock.now());
    const value = await work(committer);
    // Nothing had to be changed: there is no commit that the row could be a part of.
    if (!committer.told)
      await office.database.transaction((db) => auditAppend(db, keyed, told, 'done', office.clock.now()));
    return value;
  });
}

const actionOf = ({ principal, remoteAddress }: Asked, action: string, target: string): Action => ({
  actor: principal.name,
  origin: remoteAddress,
  action,
  target,
});

/** What `work` refuses, or fails in, is told in a row of its own. */
async function telling<Value>(
  { database, tools, clock, log }: Office,
  action: Action,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const result = error instanceof ProjectRefusal || error instanceof OperatorRefusal ? error.code : 'failed';
    await database
      .transaction((db) => auditAppend(db, tools.keyed, action, result, clock.now()))
      .catch((cause: unknown) =>
        log.error({ err: cause, action: action.action, result }, 'an operator action could not be audited'),
      );
    throw error;
  }
}
