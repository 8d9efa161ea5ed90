// How an operator names a project in an address, and what is answered about it, as schemas.
// Rule: closed, as every answer is; a secret stands only in the answer that makes it.
import Type, { type TSchema } from 'typebox';
import { Choice, Id, Instant, Matching, Nullable, Shape, ShownCertificates, Text } from '../../http/index.ts';
import { ALL_RIGHTS } from './credentials.ts';
import { settingRules } from './setting-rules.ts';

export const ProjectLogin = Text({ max: 64, description: 'Login of the project.' });
export const ProjectPath = Shape({ login: ProjectLogin });

const text = Type.String();
const flag = Type.Boolean();
const currency = Matching('^[A-Z]{3}$', { description: 'ISO 4217.' });
const whole = (minimum: number): TSchema => Type.Integer({ minimum });

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
