// The operator API as a whole: `/operator`, JSON, a bearer secret, problem details. Rule: every endpoint asks for the secret.
import type { Refusal, Turns } from '../base/index.ts';
import {
  type Api,
  type Authentication,
  Failure,
  type Operator,
  type OperatorEndpoint,
  pointerOf,
} from '../http/index.ts';
import { operatorEnvelope } from './envelope.ts';

/** Codes of refusals are for the audit log; a client is told in words, and every wrong field. */
function failureOf({ kind, message, problems }: Refusal): Failure {
  if (kind !== 'validation') return new Failure(kind, { message });
  const errors = problems.map((problem) => ({
    message: problem.message,
    uri: pointerOf(problem.path),
    ...(problem.details.length > 0 ? { attribute: 'rule', details: problem.details } : {}),
  }));
  return new Failure('validation', { errors });
}

export interface OperatorApiOptions {
  readonly authentication: Authentication<Operator>;
  /** For what reads much. */
  readonly turns: Turns;
  /** Of this room and of all others. */
  readonly endpoints: readonly OperatorEndpoint[];
}

/** The API as a declaration for `api` and `openapiOf`. */
export const operatorApi = ({ authentication, turns, endpoints }: OperatorApiOptions): Api<Operator> => ({
  prefix: '/operator',
  cause: 'operator',
  patient: true,
  name: 'Operator API',
  description: 'Sets up the installation. JSON; date-times are ISO 8601 in UTC; a project is named by its login.',
  envelope: operatorEnvelope,
  authentication,
  failures: ['rate_limited'],
  turns: { turns, ownerOf: ({ name }) => name },
  endpoints,
  failureOf,
});
