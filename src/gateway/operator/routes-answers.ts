// What the operator API answers, as schemas. Rule: closed, as every answer is; a secret stands only in the answer that makes it.
import Type, { type TSchema } from 'typebox';
import { Choice, Id, Instant, Matching, Nullable, Optional, Shape, ShownCertificates } from '../../http/index.ts';
import { ALL_RIGHTS, settingRules } from '../projects/index.ts';
import { CLASSES } from '../risk/index.ts';
import { FIELD_NAMES } from '../templates/index.ts';

const text = Type.String();
const flag = Type.Boolean();
const currency = Matching('^[A-Z]{3}$', { description: 'ISO 4217.' });
const country = Matching('^[A-Z]{3}$', { description: 'ISO 3166-1 alpha-3.' });
const whole = (minimum: number, description?: string): TSchema =>
  Type.Integer({ minimum, ...(description ? { description } : {}) });

export const listOf = (name: string, schema: TSchema): TSchema => Shape({ [name]: Type.Array(schema) });

export const project = Shape(
  { login: text, name: text, accounting_currency: currency, active: flag, created_at: Instant() },
  { title: 'Project' },
);

/** Each setting has the value that its rule describes. */
export const settings = Shape(
  Object.fromEntries(
    Object.entries(settingRules).map(([name, { says }]) => [
      name,
      Type.Unsafe({
        anyOf: [
          { type: ['null', 'boolean', 'number', 'string'] },
          { type: 'array', items: { type: 'string' } },
          Shape({ per_second: whole(1), burst: whole(1) }),
        ],
        description: says,
      }),
    ]),
  ),
  { title: 'ProjectSettings' },
);

export const terminal = Shape(
  {
    id: text,
    descriptor: text,
    currencies: Type.Array(currency),
    link: text,
    merchant_id: text,
    mcc: Matching('^\\d{1,4}$'),
    secure3d: Choice(['when_needed', 'always']),
    multicapture: flag,
    cvv_must_match: flag,
    position: whole(1),
  },
  { title: 'ShownTerminal' },
);

const credentialFields = {
  id: Id(),
  label: text,
  rights: Type.Array(Choice(ALL_RIGHTS)),
  certificates: ShownCertificates(),
  state: Choice(['valid', 'expired', 'revoked']),
  created_at: Instant(),
  expires_at: Nullable(Instant()),
  revoked_at: Nullable(Instant()),
};
export const credential = Shape(credentialFields, { title: 'Credential' });
export const newCredential = Shape(
  { login: text, ...credentialFields, secret: Type.String({ description: 'Told once.' }) },
  { title: 'NewCredential' },
);

const colour = Matching('^#[0-9A-Fa-f]{6}$');
const templateFields = {
  id: text,
  version: whole(1, 'One more after each change.'),
  updated_at: Instant(),
  brand: colour,
  ground: colour,
  paper: colour,
  ink: colour,
  fields: Type.Array(Choice(FIELD_NAMES)),
  radius: whole(0),
};
export const template = Shape(
  { ...templateFields, logo: Nullable(Type.String({ description: 'A data: address.' })) },
  { title: 'ShownPageTemplate' },
);
export const listedTemplate = Shape({ ...templateFields, has_logo: flag }, { title: 'ListedPageTemplate' });

export const rate = Shape(
  {
    from: currency,
    to: currency,
    rate: Matching('^\\d+\\.\\d{6}$'),
    day: Matching('^\\d{4}-\\d{2}-\\d{2}$'),
    source: text,
  },
  { title: 'StoredRate' },
);

export const rule = Shape(
  {
    id: text,
    version: whole(1, 'One more after each change.'),
    name: text,
    class: Choice(CLASSES),
    expression: text,
    action: Choice(['refuse', 'force3d']),
    dry_run: flag,
    active: flag,
    position: Type.Integer(),
    created_at: Instant(),
  },
  { title: 'FraudRule' },
);

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
        at: Instant(),
        actor: text,
        origin: Type.String({ description: 'The address that the request came from.' }),
        action: text,
        target: text,
        result: text,
        hash: Matching('^[0-9a-f]+$', { description: 'Covers the row and the hash before it.' }),
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

/** An operation of which the acquirer has to be asked by telephone, and what it is once that was done. */
const operationFields = {
  id: Matching('^\\d+$', { description: 'Our own reference, by which the acquirer knows it.' }),
  order_id: Id(),
  project: Nullable(text),
  type: Choice(['authorize', 'charge', 'reverse', 'refund', 'credit', 'chargeback', 'representment']),
};
export const stuckOperation = Shape(
  {
    ...operationFields,
    owed: Type.Boolean({ description: 'A reversal of an authorization that got no answer.' }),
    amount: Matching('^\\d+\\.\\d{2}$'),
    currency,
    since: Instant(),
    tries: whole(0),
    why: Choice(['not_bookable', 'given_up', 'no_answer']),
    answer: Type.Union([Shape({ response_code: text, auth_code: text, problem: text }), Type.Null()]),
    next_try: Nullable(Instant()),
  },
  { title: 'StuckOperation' },
);
export const resolvedOperation = Shape(
  {
    ...operationFields,
    status: Choice(['success', 'failure', 'error', 'done']),
    iso_response_code: text,
    auth_code: text,
  },
  { title: 'ResolvedOperation' },
);

export const vaultKey = Shape({ key: text });

export const paymentLink = Shape(
  {
    order_id: Id(),
    url: Type.String({ format: 'uri' }),
    qr_svg: Type.String({ description: 'SVG, black on white, with quiet zone.' }),
  },
  { title: 'ShownPaymentLink' },
);
