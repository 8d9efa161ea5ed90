// What an operator is answered about the installation, as schemas. Rule: closed, as every answer is.
import Type, { type TSchema } from 'typebox';
import { Id, Instant, Matching, Nullable, Optional, Shape } from '../http/index.ts';

const text = Type.String();
const flag = Type.Boolean();
const country = Matching('^[A-Z]{3}$', { description: 'ISO 3166-1 alpha-3.' });
const whole = (minimum: number): TSchema => Type.Integer({ minimum });

export const range = Shape(
  {
    prefix: Matching('^\\d{6,8}$'),
    brand: text,
    subtype: text,
    title: Nullable(text),
    country: Nullable(country),
    own: flag,
  },
  { title: 'CardRange' },
);

/** Rows of whatever columns the check looks at. */
const anyRow = Type.Unsafe({ type: 'object', additionalProperties: true });
export const proof = Shape({
  ok: flag,
  checks: Type.Array(
    Shape(
      { id: text, ok: flag, violations: Type.Array(anyRow, { maxItems: 100, description: 'What breaks it.' }) },
      { title: 'Invariant' },
    ),
  ),
  covered: Shape(
    {
      looked_at: Type.Integer({
        minimum: 0,
        description: 'Orders, authorizations, instruments and cards that had changed and were looked at now.',
      }),
      waiting: Type.Integer({ minimum: 0, description: 'Commits that were not looked at yet.' }),
      owners: Type.Integer({ minimum: 0, description: 'Projects and tenants that have something to prove.' }),
      proved: Type.Integer({ minimum: 0, description: 'Of how many of them the whole history was proved.' }),
      oldest_at: Nullable(
        Instant({ description: 'When the first of these proofs ended; null: some were never proved.' }),
      ),
      under_way: Type.Integer({ minimum: 0, description: 'Of how many the whole history is being proved.' }),
      slices: Type.Integer({ minimum: 0, description: 'Slices of it that are done.' }),
    },
    { title: 'Covered' },
  ),
});

export const pageCheck = Shape({
  ok: flag,
  differences: Type.Array(Shape({ where: text, expected: text, found: text }, { title: 'PageDifference' })),
});

export const auditLog = Shape({
  audit: Type.Array(
    Shape(
      {
        id: Matching('^\\d+$'),
        owner: Matching('^\\d+$', {
          description: 'In whose chain it stands: the id of a project or tenant, or 0: the installation.',
        }),
        sequence: Matching('^\\d+$', { description: 'Its number in that chain, without gaps.' }),
        at: Instant(),
        actor: text,
        origin: Type.String({ description: 'The address that the request came from.' }),
        action: text,
        target: text,
        result: text,
        hash: Matching('^[0-9a-f]+$', { description: 'Covers the row and the hash before it in its chain.' }),
      },
      { title: 'AuditRow' },
    ),
  ),
});

/** Work that is due and fails; what an error said is in the log alone. */
export const dueFailure = Shape(
  {
    about: text,
    id: Id(),
    project: Optional(Nullable(text)),
    tenant: Optional(Nullable(text)),
    kind: text,
    tries: whole(1),
    since: Instant(),
    next_try_at: Instant(),
    code: Nullable(text),
  },
  { title: 'DueFailure' },
);

export const vaultKey = Shape({ key: text });
