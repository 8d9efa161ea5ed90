// Looking into the running installation: invariants, the trace of an order, the audit log; and the vault's keys.
import { type AnyEndpoint, Digits, endpointOf, Integer, Optional, Shape, Text } from '../../http/index.ts';
import { traceSchema } from '../api/index.ts';
import { auditViolations } from './audit.ts';
import { OperatorRefusal } from './errors.ts';
import { audited, type Check, type Office, type Operator } from './office.ts';
import { type AuditRow, auditBefore } from './queries.ts';
import { auditLog, dueFailure, listOf, pageCheck, proof, vaultKey } from './routes-answers.ts';

const endpoint = endpointOf<Operator>();
const LAST = 2n ** 63n - 1n;
const MOST_SHOWN = 100;

const auditJson = ({ hash, id, ...row }: AuditRow): object => ({
  id: id.toString(),
  ...row,
  hash: hash.toString('hex'),
});

/** Numbers of 63 bits as digits. */
const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part));

/** Endpoints for looking, and for the keys. */
export function inspectionEndpoints(office: Office): AnyEndpoint<Operator>[] {
  const { database, tools, permutation, invariants, trace, keys, checkPages, failing } = office;

  const auditChain = async (): Promise<Check> => {
    const violations = await auditViolations(database, tools.keyed);
    return {
      id: 'audit_chain',
      ok: violations.length === 0,
      violations: violations.slice(0, MOST_SHOWN).map((id) => ({ id })),
    };
  };

  return [
    endpoint({
      method: 'GET',
      path: '/invariants',
      operation: 'invariants',
      summary: 'Proves on the running installation what must always be true',
      right: null,
      answers: { 200: { description: 'Every check; `ok` when all of them are', schema: proof } },
      async handler() {
        const checks = [...(await invariants()), await auditChain()];
        return { status: 200, body: jsonText({ ok: checks.every(({ ok }) => ok), checks }) };
      },
    }),
    endpoint({
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
    endpoint({
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
    endpoint({
      method: 'GET',
      path: '/orders/:id/trace',
      operation: 'orderTrace',
      summary: 'Shows the whole way of an order',
      description:
        "The merchant's operations, the network messages, the issuer's decision, every ledger entry. Card numbers are masked.",
      right: null,
      params: Shape({ id: Text({ max: 20 }) }),
      answers: { 200: { description: 'The trace', schema: traceSchema }, 404: { description: 'No such order' } },
      async handler({ params }) {
        const id = permutation.inward(params.id);
        const found = id === null ? null : await trace(id);
        if (!found) throw new OperatorRefusal('order_unknown');
        return { status: 200, body: jsonText(found) };
      },
    }),
    endpoint({
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
    endpoint({
      method: 'POST',
      path: '/keys/rotate',
      operation: 'keysRotate',
      summary: 'Makes a new key of the vault; what older keys seal is sealed anew behind the scenes',
      right: null,
      answers: { 200: { description: 'Name of the new key', schema: vaultKey } },
      async handler(input) {
        const key = await audited(
          office,
          input,
          'keys.rotate',
          'vault',
          (db) => keys.prepareKey(db),
          () => keys.activateKey(),
        );
        return { status: 200, body: { key } };
      },
    }),
  ];
}
