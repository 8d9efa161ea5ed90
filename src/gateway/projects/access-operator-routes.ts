// A project's terminals and credentials, under `/operator/projects/:login`.
// Rule: a secret stands in the answer that makes it, in no other.
import Type from 'typebox';
import type { Permutation } from '../../base/index.ts';
import type { TellSetup } from '../../events/index.ts';
import {
  Certificates,
  type Changes,
  Choice,
  Currency,
  Digits,
  Duration,
  Flag,
  Integer,
  listOf,
  type OperatorAsks,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
  Text,
} from '../../http/index.ts';
import type { Db, Transaction } from '../../store/index.ts';
import {
  ALL_RIGHTS,
  type CredentialView,
  credentialBind,
  credentialCreate,
  credentialList,
  credentialRevoke,
  credentialRotate,
} from './credentials.ts';
import { projectRefusal } from './errors.ts';
import { projectGet, type Tools } from './manage.ts';
import type { Projects } from './projects.ts';
import type { TerminalRow } from './queries.ts';
import { credential, newCredential, ProjectLogin, ProjectPath, terminal } from './schemas.ts';
import { terminalGet, terminalList, terminalPut, terminalRemove } from './terminals.ts';

/** What an operator's requests about projects are served with. */
export interface ProjectsDesk {
  readonly database: Db;
  readonly projects: Pick<Projects, 'refresh' | 'byLogin'>;
  readonly tools: Tools;
  readonly permutation: Permutation;
  /** Without trailing slash. */
  readonly publicUrl: string;
  readonly changes: Changes;
  /** Port: who sets projects up is told of it. */
  readonly tellSetup: TellSetup;
}

/** A change that is in force here once it resolves; `login`: of the project whose it is, null while there is none. */
export type ProjectChange = <Value>(
  asks: OperatorAsks,
  entry: { readonly login: string | null; readonly action: string; readonly target: string },
  work: (db: Transaction) => Promise<Value>,
) => Promise<Value>;

const OfPart = Shape({ login: ProjectLogin, id: Text({ max: 64 }) });

const Terminal = Shape(
  {
    descriptor: Text({ max: 25, description: "What the cardholder's statement shows." }),
    currencies: Type.Array(Currency(), { minItems: 1, maxItems: 200 }),
    link: Text({ max: 64, description: 'The acquirer link that carries its payments.' }),
    merchant_id: Text({ max: 15 }),
    mcc: Digits({ max: 4 }),
    secure3d: Optional(Choice(['when_needed', 'always'])),
    multicapture: Optional(Flag({ description: 'More than one charge up to the authorized amount.' })),
    cvv_must_match: Optional(Flag({ description: 'A wrong CVV is declined.' })),
    position: Optional(Integer(1, 10_000, { description: 'Rank in the order of preference.' })),
  },
  { title: 'Terminal' },
);

const EXAMPLE_FINGERPRINT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const terminalJson = ({ project_id: _project, removed_at: _removed, ...terminal }: TerminalRow): object => terminal;

const unknownProject = { 404: { description: 'No such project' } };
const unknownPart = { 404: { description: 'No such project, or nothing under this id' } };
const wrong = { 422: { description: 'Wrong fields' } };

/** Endpoints for terminals and credentials. */
export function accessEndpoints(
  { database, tools, permutation }: ProjectsDesk,
  change: ProjectChange,
): OperatorEndpoint[] {
  const credentialJson = (credential: CredentialView): object => ({
    ...credential,
    id: permutation.outward(credential.id),
  });
  const credentialId = (text: string): bigint => {
    const id = permutation.inward(text);
    if (id === null) throw projectRefusal('credential_unknown');
    return id;
  };

  return [
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/terminals',
      operation: 'terminalList',
      summary: 'Lists terminals in the order of preference',
      right: null,
      params: ProjectPath,
      answers: { 200: { description: 'Terminals', schema: listOf('terminals', terminal) }, ...unknownProject },
      handler: async ({ params }) => ({
        status: 200,
        body: { terminals: (await terminalList(database, params.login)).map(terminalJson) },
      }),
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/terminals/:id',
      operation: 'terminalGet',
      summary: 'Shows a terminal',
      right: null,
      params: OfPart,
      answers: { 200: { description: 'The terminal', schema: terminal }, ...unknownPart },
      handler: async ({ params }) => ({
        status: 200,
        body: terminalJson(await terminalGet(database, params.login, params.id)),
      }),
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/projects/:login/terminals/:id',
      operation: 'terminalPut',
      summary: 'Makes a terminal or replaces it whole',
      right: null,
      params: OfPart,
      body: Terminal,
      example: {
        descriptor: 'SHOP*BERLIN',
        currencies: ['EUR'],
        link: 'simulator',
        merchant_id: 'SHOP0001',
        mcc: '5999',
      },
      answers: { 200: { description: 'The terminal', schema: terminal }, ...unknownProject, ...wrong },
      async handler(input) {
        const { login, id } = input.params;
        const terminal = {
          secure3d: 'when_needed' as const,
          multicapture: false,
          cvv_must_match: false,
          ...input.body,
        };
        const row = await change(input, { login, action: 'terminal.put', target: `${login}/${id}` }, (db) =>
          terminalPut(db, tools, login, id, terminal),
        );
        return { status: 200, body: terminalJson(row) };
      },
    }),
    operatorEndpoint({
      method: 'DELETE',
      path: '/projects/:login/terminals/:id',
      operation: 'terminalRemove',
      summary: 'Takes a terminal out of use; its open orders are still served',
      right: null,
      params: OfPart,
      answers: { 204: { description: 'Removed' }, ...unknownPart },
      async handler(input) {
        const { login, id } = input.params;
        await change(input, { login, action: 'terminal.remove', target: `${login}/${id}` }, (db) =>
          terminalRemove(db, tools, login, id),
        );
        return { status: 204, body: null };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/credentials',
      operation: 'credentialList',
      summary: 'Lists credentials, the latest first; secrets are not shown',
      right: null,
      params: ProjectPath,
      answers: { 200: { description: 'Credentials', schema: listOf('credentials', credential) }, ...unknownProject },
      async handler({ params }) {
        const { id } = await projectGet(database, params.login);
        return { status: 200, body: { credentials: (await credentialList(database, tools, id)).map(credentialJson) } };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/projects/:login/credentials',
      operation: 'credentialCreate',
      summary: 'Makes a credential and shows its secret, once',
      right: null,
      params: ProjectPath,
      body: Shape({
        label: Text({ max: 64, description: 'For people: which program holds it.' }),
        rights: Type.Array(Choice(ALL_RIGHTS), { minItems: 1, maxItems: ALL_RIGHTS.length }),
        certificates: Optional(Certificates()),
      }),
      example: { label: 'shop server', rights: ['read', 'create', 'capture', 'refund'] },
      answers: {
        201: { description: 'The credential with its secret', schema: newCredential },
        409: { description: 'Too many are valid' },
        ...unknownProject,
        ...wrong,
      },
      async handler(input) {
        const { login } = input.params;
        const made = await change(input, { login, action: 'credential.create', target: login }, (db) =>
          credentialCreate(db, tools, login, {
            ...input.body,
            certificates: [...new Set(input.body.certificates)],
          }),
        );
        return { status: 201, body: { login, ...credentialJson(made) } };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/projects/:login/credentials/:id/rotate',
      operation: 'credentialRotate',
      summary: 'Makes a new secret, bound to the same certificates; the old one is valid for the overlap',
      right: null,
      params: OfPart,
      body: Shape({ overlap: Optional(Duration({ description: 'At most 30 days; a day by default.' })) }),
      example: { overlap: '1h' },
      answers: {
        201: { description: 'The new credential with its secret', schema: newCredential },
        409: { description: 'The old one is not valid' },
        ...unknownPart,
        ...wrong,
      },
      async handler(input) {
        const { login, id } = input.params;
        const { overlap = 86_400_000 } = input.body;
        const made = await change(input, { login, action: 'credential.rotate', target: `${login}/${id}` }, (db) =>
          credentialRotate(db, tools, login, credentialId(id), overlap),
        );
        return { status: 201, body: { login, ...credentialJson(made) } };
      },
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/projects/:login/credentials/:id/certificates',
      operation: 'credentialBind',
      summary:
        'Binds a credential to client certificates: it works on the client port with one of them, and nowhere else',
      right: null,
      params: OfPart,
      body: Shape({ certificates: Certificates() }),
      example: { certificates: [EXAMPLE_FINGERPRINT] },
      answers: {
        200: { description: 'The credential', schema: credential },
        409: { description: 'It is not valid' },
        ...unknownPart,
        ...wrong,
      },
      async handler(input) {
        const { login, id } = input.params;
        const certificates = [...new Set(input.body.certificates)];
        const bound = await change(
          input,
          { login, action: 'credential.certificates', target: `${login}/${id}` },
          (db) => credentialBind(db, tools, login, credentialId(id), certificates),
        );
        return { status: 200, body: credentialJson(bound) };
      },
    }),
    operatorEndpoint({
      method: 'DELETE',
      path: '/projects/:login/credentials/:id',
      operation: 'credentialRevoke',
      summary: 'Revokes a credential at once',
      right: null,
      params: OfPart,
      answers: { 204: { description: 'Revoked' }, ...unknownPart },
      async handler(input) {
        const { login, id } = input.params;
        await change(input, { login, action: 'credential.revoke', target: `${login}/${id}` }, (db) =>
          credentialRevoke(db, tools, login, credentialId(id)),
        );
        return { status: 204, body: null };
      },
    }),
  ];
}
