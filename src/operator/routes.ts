// The operator API as a whole: `/operator`, JSON, a bearer secret, problem details. Rule: every endpoint asks for the secret.
import type { Turns } from '../base/index.ts';
import {
  type Api,
  type Authentication,
  Failure,
  type Operator,
  type OperatorEndpoint,
  OperatorRefusal,
  pointerOf,
} from '../http/index.ts';
import type { RefusalOf } from './changes.ts';
import { operatorEnvelope } from './envelope.ts';

/** The failure that a refusal is to the client; null: not a refusal. */
function failureOf(error: unknown, refusalOf: RefusalOf): Failure | null {
  const refusal = error instanceof OperatorRefusal ? error : refusalOf(error);
  if (!refusal) return null;
  if (refusal.kind !== 'validation') return new Failure(refusal.kind, { message: refusal.message });
  const errors = refusal.problems.map(({ path, message, details }) => ({
    message,
    uri: pointerOf(path),
    ...(details.length > 0 ? { attribute: 'rule', details } : {}),
  }));
  return new Failure('validation', { errors });
}

export interface OperatorApiOptions {
  readonly authentication: Authentication<Operator>;
  /** For what reads much. */
  readonly turns: Turns;
  /** Of this room and of all others. */
  readonly endpoints: readonly OperatorEndpoint[];
  readonly refusalOf: RefusalOf;
}

/** The API as a declaration for `api` and `openapiOf`. */
export const operatorApi = ({ authentication, turns, endpoints, refusalOf }: OperatorApiOptions): Api<Operator> => ({
  prefix: '/operator',
  patient: true,
  name: 'Operator API',
  description: 'Sets up the installation. JSON; date-times are ISO 8601 in UTC; a project is named by its login.',
  envelope: operatorEnvelope,
  authentication,
  failures: ['rate_limited'],
  turns: { turns, ownerOf: ({ name }) => name },
  endpoints,
  failureOf: (error) => failureOf(error, refusalOf),
});
