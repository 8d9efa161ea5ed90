// The operator API: `/operator`, JSON, a bearer secret, problem details (RFC 9457). Rule: every endpoint asks for the secret.
import { createHash, timingSafeEqual } from 'node:crypto';
import Type from 'typebox';
import { assert } from '../../base/index.ts';
import {
  type AnyEndpoint,
  type Api,
  type Authentication,
  Choice,
  type Envelope,
  Failure,
  type FailureKind,
  Matching,
  networkOf,
  Optional,
  pointerOf,
  problemEnvelope,
  type Rate,
  type RateLimiter,
  Shape,
} from '../../http/index.ts';
import { ProjectRefusal, type ProjectRefusalCode } from '../projects/index.ts';
import { OperatorRefusal, type OperatorRefusalCode } from './errors.ts';
import type { Office, Operator } from './office.ts';
import { accessEndpoints } from './routes-access.ts';
import { cardEndpoints } from './routes-cards.ts';
import { inspectionEndpoints } from './routes-inspection.ts';
import { operationEndpoints } from './routes-operations.ts';
import { pageEndpoints } from './routes-pages.ts';
import { projectEndpoints } from './routes-projects.ts';

export interface BearerOptions {
  /** Any of them is right: two while the secret is being changed. */
  readonly secrets: readonly string[];
  /** Wrong secrets from one address beyond this rate are 429 instead of 401; null: no limit. */
  readonly failures: { readonly limiter: RateLimiter; readonly rate: Rate } | null;
  /** Told of every 401, so no more often than the rate. */
  readonly onRefused?: (remoteAddress: string) => void;
}

const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** `Authorization: Bearer …` (RFC 6750), compared in constant time. */
export function bearerAuthentication({ secrets, failures, onRefused }: BearerOptions): Authentication<Operator> {
  assert(
    secrets.every((secret) => BEARER.test(`Bearer ${secret}`)),
    "an operator's secret can be sent as a bearer token",
  );
  const known = secrets.map(digest);
  const operator: Operator = { name: 'operator' };
  return {
    check({ headers, remoteAddress }) {
      const token = BEARER.exec(headers.authorization ?? '')?.[1];
      const given = digest(token ?? '');
      let right = false;
      for (const secret of known) right = timingSafeEqual(secret, given) || right;
      // Nothing is never a secret, whatever the secrets are.
      if (right && token !== undefined) return operator;
      const taken = failures?.limiter.take(`operator ${networkOf(remoteAddress)}`, failures.rate);
      if (taken && !taken.allowed)
        throw new Failure('rate_limited', { retryAfterSeconds: taken.retryAfterSeconds, rate: taken.state });
      onRefused?.(remoteAddress);
      throw new Failure('unauthenticated');
    },
    schemes: { operator: { type: 'http', scheme: 'bearer', description: "The operator's secret." } },
  };
}

const conflictProblem = Shape(
  {
    type: Choice(['about:blank']),
    title: Choice(['Conflict']),
    status: Type.Integer(),
    detail: Optional(Type.String({ description: 'What the change is in conflict with.' })),
    errorCode: Optional(Matching('^[A-Z_]+$')),
  },
  { title: 'ConflictProblem' },
);

/** Problem details; a conflict here has nothing to do with idempotency keys, and says what it is about in `detail`. */
export const operatorEnvelope: Envelope = {
  ...problemEnvelope,
  failure(kind, detail) {
    const answer = problemEnvelope.failure(kind, detail);
    if (kind === 'conflict') {
      const code = detail.code === undefined ? {} : { errorCode: detail.code };
      return { ...answer, body: { ...answer.body, title: 'Conflict', ...code } };
    }
    if (kind !== 'unauthenticated') return answer;
    return { ...answer, headers: { ...answer.headers, 'www-authenticate': 'Bearer realm="operator"' } };
  },
  schema: (status) => (status === 409 ? conflictProblem : problemEnvelope.schema(status)),
};

const KINDS: Readonly<Record<ProjectRefusalCode | OperatorRefusalCode, FailureKind>> = {
  project_unknown: 'not_found',
  terminal_unknown: 'not_found',
  credential_unknown: 'not_found',
  rule_unknown: 'not_found',
  range_unknown: 'not_found',
  order_unknown: 'not_found',
  template_unknown: 'not_found',
  operation_not_in_flight: 'conflict',
  operation_not_stuck: 'conflict',
  operation_being_asked: 'conflict',
  operation_owed: 'conflict',
  project_closed: 'conflict',
  login_taken: 'conflict',
  credentials_full: 'conflict',
  credential_ended: 'conflict',
  invalid: 'validation',
  unfit: 'validation',
};

/** The failure that a refusal is to the client; null: not a refusal. */
export function failureOf(error: unknown): Failure | null {
  if (!(error instanceof ProjectRefusal || error instanceof OperatorRefusal)) return null;
  const kind = KINDS[error.code];
  if (kind !== 'validation') return new Failure(kind, { message: error.message });
  const errors = error.problems.map(({ path, message, details }) => ({
    message,
    uri: pointerOf(path),
    ...(details.length > 0 ? { attribute: 'rule', details } : {}),
  }));
  return new Failure('validation', { errors });
}

/** The API as a declaration for `api` and `openapiOf`. `more`: endpoints of other rooms under the same prefix and secret. */
export function operatorApi(
  office: Office,
  authentication: Authentication<Operator>,
  more: readonly AnyEndpoint<Operator>[] = [],
): Api<Operator> {
  return {
    prefix: '/operator',
    patient: true,
    name: 'Operator API',
    description: 'Sets up the installation. JSON; date-times are ISO 8601 in UTC; a project is named by its login.',
    envelope: operatorEnvelope,
    authentication,
    failures: ['rate_limited'],
    turns: { turns: office.turns, ownerOf: ({ name }) => name },
    endpoints: [
      ...projectEndpoints(office),
      ...accessEndpoints(office),
      ...pageEndpoints(office),
      ...cardEndpoints(office),
      ...operationEndpoints(office),
      ...inspectionEndpoints(office),
      ...more,
    ],
    failureOf,
  };
}
