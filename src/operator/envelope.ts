// The shape of the operator API's failures: problem details (RFC 9457).
import Type from 'typebox';
import { Choice, type Envelope, Matching, Optional, problemEnvelope, Shape } from '../http/index.ts';

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
