// Looking into the running installation: invariants, what fails, the payment page, the audit log; and the vault's keys.
// Rule: looking changes nothing, and shows no secret.
import { jsonText } from '../base/index.ts';
import {
  type Changes,
  Digits,
  Flag,
  Integer,
  listOf,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
} from '../http/index.ts';
import type { Db, Transaction } from '../store/index.ts';
import type { Keyed } from './audit.ts';
import { auditBreaks } from './proof.ts';
import { type AuditRow, auditBefore } from './queries.ts';
import { auditLog, dueFailure, pageCheck, proof, vaultKey } from './schemas.ts';

/** One invariant, asked of the running installation. */
export interface Check {
  readonly id: string;
  readonly ok: boolean;
  /** What breaks it, at most a hundred. */
  readonly violations: readonly unknown[];
}

/** What a proof has looked at, and what it relies on. */
export interface Coverage {
  /** Orders, authorizations, instruments and cards that were changed, and looked at now. */
  readonly lookedAt: number;
  /** Groups that are committed and not looked at yet. */
  readonly waiting: bigint;
  readonly owners: bigint;
  /** Owners of whom the whole history was proved, and the earliest end of such a proof; null: of some it never was. */
  readonly proved: bigint;
  readonly oldest: Date | null;
  /** Owners whose history is being proved, and the slices that are done. */
  readonly underWay: bigint;
  readonly slices: bigint;
}

/** Where a page is not as it was written. */
export interface PageDifference {
  readonly where: string;
  readonly expected: string;
  readonly found: string;
}

export interface Inspection {
  readonly database: Db;
  readonly keyed: Keyed;
  readonly changes: Changes;
  /** `full`: of the whole history in one go; else of what has changed since it was proved. */
  readonly invariants: (full: boolean) => Promise<{ readonly checks: readonly Check[]; readonly covered: Coverage }>;
  /** Port: what was proved, for who is told what is wrong. */
  readonly told: (checks: readonly Check[]) => Promise<void>;
  /** What is due and fails, longest first: as it is shown. */
  readonly failing: (limit: number) => Promise<readonly object[]>;
  readonly keys: {
    /** A new key-encrypting key, in force once the transaction is committed and `activateKey` was called; its name. */
    prepareKey(db: Transaction): Promise<string>;
    activateKey(): Promise<void>;
  };
  /** Looks at the payment page as it is served: every difference to the page as it was written. */
  readonly checkPages: () => Promise<readonly PageDifference[]>;
}

const LAST = 2n ** 63n - 1n;
const MOST_SHOWN = 100;

const auditJson = ({ hash, owner_id, sequence, id, ...row }: AuditRow): object => ({
  id: id.toString(),
  owner: owner_id.toString(),
  sequence: sequence.toString(),
  ...row,
  hash: hash.toString('hex'),
});

const coveredJson = (covered: Coverage): object => ({
  looked_at: covered.lookedAt,
  waiting: Number(covered.waiting),
  owners: Number(covered.owners),
  proved: Number(covered.proved),
  oldest_at: covered.oldest,
  under_way: Number(covered.underWay),
  slices: Number(covered.slices),
});

/** Endpoints for looking, and for the keys. */
export function inspectionEndpoints(inspection: Inspection): OperatorEndpoint[] {
  const { database, keyed, changes, invariants, told, keys, checkPages, failing } = inspection;

  const auditChain = async (): Promise<Check> => {
    const violations = await auditBreaks(database, keyed);
    return {
      id: 'audit_chain',
      ok: violations.length === 0,
      violations: violations.slice(0, MOST_SHOWN),
    };
  };

  return [
    operatorEndpoint({
      method: 'GET',
      path: '/invariants',
      operation: 'invariants',
      summary: 'Proves on the running installation what must always be true',
      description:
        'Looks at all that has changed since it was last looked at, and again at what was found wrong. Rows that were changed past the server are found by the proof of the whole history, which goes on beside the load and ends for each owner once a day; `full=true` makes it now, in one go.',
      right: null,
      query: Shape({ full: Optional(Flag()) }),
      answers: { 200: { description: 'Every check; `ok` when all of them are', schema: proof } },
      async handler({ query: { full = false } }) {
        const proved = await invariants(full);
        const checks = [...proved.checks, await auditChain()];
        await told(checks);
        const covered = coveredJson(proved.covered);
        return { status: 200, body: jsonText({ ok: checks.every(({ ok }) => ok), checks, covered }) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/due',
      operation: 'dueList',
      summary: 'Lists work that is due and fails, the longest first',
      description:
        'On orders, cards and authorizations: the kind of work, how often it was tried, since when, when it is tried next, and the code of the last error. What is done at last is gone from the list.',
      right: null,
      query: Shape({ per_page: Optional(Integer(1, 1000)) }),
      answers: { 200: { description: 'What fails', schema: listOf('failing', dueFailure) } },
      handler: async ({ query: { per_page = 100 } }) => ({ status: 200, body: { failing: await failing(per_page) } }),
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/page-check',
      operation: 'pageCheck',
      summary: 'Compares the payment page as it is served with the page as it was written',
      description:
        'Scripts, styles, security header fields and every byte besides. It is done once a day by itself, too.',
      right: null,
      answers: { 200: { description: 'Every difference; `ok` when there is none', schema: pageCheck } },
      async handler() {
        const differences = await checkPages();
        return { status: 200, body: { ok: differences.length === 0, differences } };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/audit',
      operation: 'auditList',
      cost: ({ per_page = 100 }) => per_page,
      summary: 'Lists what operators did, the latest first',
      right: null,
      query: Shape({ before: Optional(Digits({ max: 18 })), per_page: Optional(Integer(1, 1000)) }),
      answers: {
        200: { description: 'Audit rows; each hash covers its row and the hash before it', schema: auditLog },
      },
      async handler({ query: { before, per_page = 100 } }) {
        const rows = await auditBefore(database, before === undefined ? LAST : BigInt(before), per_page);
        return { status: 200, body: { audit: rows.map(auditJson) } };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/keys/rotate',
      operation: 'keysRotate',
      summary: 'Makes a new key of the vault; what older keys seal is sealed anew behind the scenes',
      right: null,
      answers: { 200: { description: 'Name of the new key', schema: vaultKey } },
      async handler(input) {
        const key = await changes.inTransaction(
          input,
          { owner: null, action: 'keys.rotate', target: 'vault' },
          (db) => keys.prepareKey(db),
          () => keys.activateKey(),
        );
        return { status: 200, body: { key } };
      },
    }),
  ];
}
