// What the operator is answered about the issuing side, as schemas. Rule: settings are described by the rules that they are judged by.
import Type, { type TSchema } from 'typebox';
import { Choice, Id, Instant, Matching, Nullable, Optional, Shape, ShownCertificates } from '../../http/index.ts';
import { card } from '../cards/index.ts';
import { BRANDS, CHANNELS_3DS, KYC_LEVELS, KYC_STATES, OWNER_TYPES, SECRET_KINDS } from '../tenants/index.ts';
import { SETTINGS, type SettingsOf } from './settings.ts';

const id = Id();
const text = Type.String();
const flag = Type.Boolean();
const count = Type.Integer({ minimum: 0 });

export const counted = (name: string, schema: TSchema): TSchema => Shape({ [name]: Type.Array(schema), count });

interface Part {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
}

/** A setting where it is shown: any part of it may be absent, or null where it is none. */
function settingShown(schema: TSchema): TSchema {
  const { type, properties, items } = schema as Part;
  if (type === 'array' && items) return Type.Unsafe({ type: ['array', 'null'], items: settingShown(items) });
  // The sandbox's own may be less than an operator may ask for.
  if (type === 'integer') return Type.Unsafe({ type: ['number', 'null'] });
  if (type !== 'object') return Nullable(schema);
  const named = Object.entries(properties ?? {}).map(([name, part]) => [name, settingShown(part)]);
  // A map of free names counts or dates something.
  const others = named.length > 0 ? false : { type: 'integer' };
  return Type.Unsafe({ type: ['object', 'null'], properties: Object.fromEntries(named), additionalProperties: others });
}

const settingsOf = (of: SettingsOf): TSchema =>
  Type.Unsafe({
    ...settingShown(SETTINGS[of]),
    type: 'object',
    title: `${of.charAt(0).toUpperCase()}${of.slice(1)}Settings`,
    description: 'What is absent has its default.',
  });

export const tenant = Shape(
  { id, name: text, active: flag, settings: settingsOf('tenant'), created_at: Instant() },
  { title: 'Tenant' },
);
export const secret = Shape(
  {
    id,
    label: text,
    kind: Choice(SECRET_KINDS),
    created_at: Instant(),
    expires_at: Nullable(Instant()),
    revoked_at: Nullable(Instant()),
    certificates: ShownCertificates(),
  },
  { title: 'TenantSecret' },
);
export const newSecret = Shape(
  { id, label: Optional(text), secret: Type.String({ description: 'Told once.' }) },
  { title: 'NewTenantSecret' },
);
export const programme = Shape({ id, name: text, settings: settingsOf('programme') }, { title: 'Programme' });
export const profile = Shape(
  {
    id,
    programmeId: id,
    name: text,
    kind: Choice(['card', 'account']),
    active: flag,
    settings: settingsOf('profile'),
  },
  { title: 'Profile' },
);
export const cardRange = Shape(
  {
    name: text,
    brand: Choice(BRANDS),
    prefix: Matching('^\\d{6,15}$'),
    number_length: count,
    size: count,
    used: count,
  },
  { title: 'IssuedRange' },
);
export const installation = Shape({ settings: settingsOf('installation') });
export const ownedIdentity = Shape(
  {
    id,
    programmeId: id,
    type: Choice(OWNER_TYPES),
    name: text,
    kycState: Choice(KYC_STATES),
    kycLevel: Choice(KYC_LEVELS),
    active: flag,
    settings: settingsOf('identity'),
  },
  { title: 'OwnedIdentity' },
);

const userFields = {
  id,
  identityId: id,
  kind: Choice(['root', 'authorised']),
  name: text,
  surname: text,
  email: text,
  mobile: Nullable(text),
  active: flag,
};
const factorKinds = Type.Array(Choice(CHANNELS_3DS));
export const ownedUser = Shape(userFields, { title: 'OwnedUser' });
export const userWithFactors = Shape({ ...userFields, factors: factorKinds }, { title: 'OwnedUserWithFactors' });
export const factors = Shape({ factors: factorKinds });

export const cardNumber = Shape(
  {
    number: Matching('^\\d{13,19}$'),
    cvv: Matching('^\\d{3,4}$'),
    expiryMmyy: Matching('^\\d{4}$'),
    pin: Optional(Matching('^\\d{4,12}$', { description: 'Of a card with plastic.' })),
  },
  { title: 'CardNumber' },
);

export const heldCard = Shape(
  {
    ...card.properties,
    cvvBlocked: Optional(Type.Boolean({ description: 'After three wrong CVVs, until the card is unblocked here.' })),
  },
  { title: 'HeldCard' },
);
