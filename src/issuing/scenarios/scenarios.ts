// GET /simulator/scenarios: for every documented error of the issuing API one request that provokes it.
import { logout, sendCode, sessionOf, verifyCode } from '../access/index.ts';
import type { Issuer, RefusalCode } from '../issuer/index.ts';
import { refusals } from '../issuer/index.ts';
import { SANDBOX_PASSWORD, sandboxTenants } from '../tenants/index.ts';
import { creationScenarios, goodCard } from './creation.ts';
import { type Caller, type Scenario, scenario } from './scenario.ts';
import { SECRET, type Stage, type StagedCard, stageFor } from './stage.ts';

const CONSUMER = 'consumer@sandbox.test';
const MINUTE_MS = 60_000;

type Request = Parameters<typeof scenario>[3];

const conflict = (code: RefusalCode): Scenario['expect'] => ({ status: 409, errorCode: code });
const invalid = (params: readonly string[], fieldName: string, error: string): Scenario['expect'] => ({
  status: 400,
  invalidField: { params, fieldName, error },
});
const says = (code: RefusalCode): string => refusals[code][1];
const requestCard = (data: object, type = 'consumer'): Request => [
  'POST',
  '/cards/request',
  { type, data: { ...goodCard, ...data } },
];

/** One wrong field each: the codes that the requests of the contract can give. */
const FIELDS: readonly (readonly [
  name: string,
  data: object,
  params: readonly string[],
  field: string,
  error: string,
])[] = [
  ['REQUIRED', { friendlyName: null }, ['data'], 'friendlyName', 'REQUIRED'],
  ['HAS_TEXT', { friendlyName: ' ' }, ['data'], 'friendlyName', 'HAS_TEXT'],
  ['SIZE', { friendlyName: 'x'.repeat(51) }, ['data'], 'friendlyName', 'SIZE'],
  ['REGEX', { profileId: 'letters' }, ['data'], 'profileId', 'REGEX'],
  ['NOT_IN', { mode: 'CREDIT_MODE' }, ['data'], 'mode', 'NOT_IN'],
];

/** Errors of single cards: which card, what is asked of it. */
const LIFE: readonly (readonly [code: RefusalCode, card: StagedCard, verb: string, body?: object])[] = [
  ['INSTRUMENT_DESTROYED', 'destroyed', 'activate', { activationCode: '004711' }],
  ['INSTRUMENT_BLOCKED', 'blocked', 'activate', { activationCode: '004711' }],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'activate', { activationCode: '004711' }],
  ['INSTRUMENT_ALREADY_ACTIVATED', 'activated', 'activate', { activationCode: '004711' }],
  ['ACTIVATION_CODE_INVALID', 'ordered', 'activate', { activationCode: '999999' }],
  ['INSTRUMENT_ALREADY_BLOCKED', 'blocked', 'block'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'block'],
  ['INSTRUMENT_NOT_BLOCKED', 'virtual', 'unblock'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'unblock'],
  ['INSTRUMENT_MARKED_LOST_STOLEN', 'lost', 'unblock'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'remove'],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'report-lost'],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'report-stolen'],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'replace-damaged', {}],
  ['INSTRUMENT_NOT_MARKED_LOST_STOLEN', 'virtual', 'replace-lost-stolen', {}],
];

const order = (fields: object): object => ({
  activationCode: '004711',
  productReference: 'FLORIN-STANDARD',
  carrierType: 'FLORIN-CARRIER',
  deliveryMethod: 'STANDARD_DELIVERY',
  deliveryAddress: { name: 'Ada', surname: 'Example', ...(goodCard.billingAddress as object) },
  ...fields,
});

const UPGRADES: readonly (readonly [code: RefusalCode, card: StagedCard, fields: object])[] = [
  ['INSTRUMENT_DESTROYED', 'destroyed', {}],
  ['INSTRUMENT_BLOCKED', 'blocked', {}],
  ['INSTRUMENT_ALREADY_UPGRADED_TO_PHYSICAL', 'ordered', {}],
  ['PRODUCT_REFERENCE_INVALID', 'virtual', { productReference: 'NO-SUCH-PRODUCT' }],
  ['CARRIER_TYPE_INVALID', 'virtual', { carrierType: 'NO-SUCH-CARRIER' }],
];

const daily = (currency: string, amount: number) => ({ value: { currency, amount }, interval: 'DAILY' });

const LIMITS: readonly (readonly [code: RefusalCode, card: StagedCard, spendLimit: readonly object[]])[] = [
  ['SPEND_LIMIT_NOT_SUPPORTED_FOR_PREPAID_MODE_CARD', 'virtual', [daily('EUR', 100)]],
  ['SPEND_LIMIT_CURRENCY_DIFFERENT_FROM_CARD_CURRENCY', 'debit', [daily('USD', 100)]],
  ['SPEND_LIMIT_DUPLICATE_INTERVAL', 'debit', [daily('EUR', 100), daily('EUR', 200)]],
  ['SPEND_LIMIT_AMOUNT_INVALID', 'debit', [daily('EUR', 1_000_000_000_000)]],
];

interface Transfer {
  readonly code: RefusalCode;
  readonly from: readonly [type: string, id: string];
  readonly to: readonly [type: string, id: string];
  readonly currency?: string;
  readonly amount: number;
}
const account = (id: string) => ['managed_accounts', id] as const;
const card = (state: string) => ['managed_cards', state] as const;

const TRANSFERS: readonly Transfer[] = [
  { code: 'AMOUNT_INVALID', from: account('2001'), to: card('virtual'), amount: 0 },
  { code: 'SOURCE_NOT_FOUND', from: account('2999'), to: card('virtual'), amount: 1 },
  { code: 'DESTINATION_NOT_FOUND', from: account('2001'), to: card('12345'), amount: 1 },
  { code: 'SOURCE_AND_DESTINATION_MUST_DIFFER', from: account('2001'), to: account('2001'), amount: 1 },
  { code: 'SOURCE_CANNOT_BE_DEBIT_MODE_CARD', from: card('debit'), to: account('2001'), amount: 1 },
  { code: 'DESTINATION_CANNOT_BE_DEBIT_MODE_CARD', from: account('2001'), to: card('debit'), amount: 1 },
  { code: 'SOURCE_BLOCKED', from: account('2003'), to: account('2001'), amount: 1 },
  { code: 'DESTINATION_BLOCKED', from: account('2001'), to: account('2003'), amount: 1 },
  { code: 'DESTINATION_DESTROYED', from: account('2001'), to: card('destroyed'), amount: 1 },
  { code: 'CURRENCY_MISMATCH', from: account('2001'), to: account('2004'), amount: 1 },
  { code: 'FUNDS_INSUFFICIENT', from: account('2001'), to: card('virtual'), amount: 99_999_999_999 },
];

export async function issuingScenarios(issuer: Issuer): Promise<Scenario[]> {
  const stage = stageFor(issuer);
  const consumer: Caller = { secret: SECRET, token: await stage.token(CONSUMER) };
  return [
    ...(await creation(stage, consumer)),
    ...fields(consumer),
    ...(await life(stage, consumer)),
    ...(await transfers(stage, consumer)),
    ...(await accessTo(issuer, stage, consumer)),
    ...service(consumer),
  ];
}

async function creation(stage: Stage, consumer: Caller): Promise<Scenario[]> {
  const tokens = new Map<string, string>();
  for (const { email } of creationScenarios)
    if (email !== undefined && !tokens.has(email)) tokens.set(email, await stage.token(email));
  return creationScenarios.map(({ code, email, type, data }) => {
    const caller = email === undefined ? consumer : { secret: SECRET, token: tokens.get(email) ?? '' };
    return scenario(`cards.request.${code}`, says(code), caller, requestCard(data, type), conflict(code));
  });
}

function fields(consumer: Caller): Scenario[] {
  const limits: Request = ['PUT', '/cards/limits/1', { data: { minTransactionAmount: -1 } }];
  const bounds: Request = ['PUT', '/cards/limits/1', { data: { minTransactionAmount: 2, maxTransactionAmount: 1 } }];
  return [
    ...FIELDS.map(([name, data, params, field, error]) =>
      scenario(
        `cards.request.${name}`,
        `A field error: ${error}`,
        consumer,
        requestCard(data),
        invalid(params, field, error),
      ),
    ),
    scenario(
      'cards.limits.AT_LEAST',
      'A field error: AT_LEAST',
      consumer,
      limits,
      invalid(['data'], 'minTransactionAmount', 'AT_LEAST'),
    ),
    scenario(
      'cards.limits.RANGE',
      'A field error: RANGE',
      consumer,
      bounds,
      invalid(['data'], 'minTransactionAmount', 'RANGE'),
    ),
    scenario('cards.request.NOT_JSON', 'Not JSON', consumer, ['POST', '/cards/request', '{'], { status: 400 }),
  ];
}

async function life(stage: Stage, consumer: Caller): Promise<Scenario[]> {
  const found: Scenario[] = [];
  for (const [code, state, verb, body] of LIFE) {
    const path = `/cards/${verb}/${await stage.card(state)}`;
    found.push(scenario(`cards.${verb}.${code}`, says(code), consumer, ['POST', path, body ?? null], conflict(code)));
  }
  for (const [code, state, changes] of UPGRADES) {
    const request: Request = ['POST', `/cards/upgrade/${await stage.card(state)}`, order(changes)];
    found.push(scenario(`cards.upgrade.${code}`, says(code), consumer, request, conflict(code)));
  }
  for (const [code, state, spendLimit] of LIMITS) {
    const request: Request = ['PUT', `/cards/limits/${await stage.card(state)}`, { data: { spendLimit } }];
    found.push(scenario(`cards.limits.${code}`, says(code), consumer, request, conflict(code)));
  }
  const unknown: Request = ['POST', '/cards/activate/12345', { activationCode: '004711' }];
  found.push(
    scenario('cards.activate.RESOURCE_NOT_FOUND', says('RESOURCE_NOT_FOUND'), consumer, unknown, {
      status: 404,
      errorCode: 'RESOURCE_NOT_FOUND',
    }),
  );
  return found;
}

async function transfers(stage: Stage, consumer: Caller): Promise<Scenario[]> {
  const idOf = async ([type, id]: readonly [string, string]): Promise<{ type: string; id: string }> => ({
    type,
    id: /^\d+$/.test(id) ? id : await stage.card(id as StagedCard),
  });
  return Promise.all(
    TRANSFERS.map(async ({ code, from, to, currency = 'EUR', amount }) => {
      const body = { source: await idOf(from), destination: await idOf(to), destinationAmount: { currency, amount } };
      return scenario(`transfers.${code}`, says(code), consumer, ['POST', '/transfers', body], conflict(code));
    }),
  );
}

/** Sessions and codes. */
async function accessTo(issuer: Issuer, stage: Stage, consumer: Caller): Promise<Scenario[]> {
  const { tenant } = await stage.session(CONSUMER);
  const aged = async (ageMs: number): Promise<Caller> => ({
    secret: SECRET,
    token: await stage.oldToken(CONSUMER, ageMs),
  });
  const asked = async (then: 'verify' | 'nothing'): Promise<Caller> => {
    const token = await stage.token(CONSUMER);
    const session = await sessionOf(issuer, tenant, token, 'allowed');
    await sendCode(issuer, session, 'SMS');
    if (then === 'verify') await verifyCode(issuer, session, '123456');
    return { secret: SECRET, token };
  };
  const ended = await stage.token(CONSUMER);
  await logout(issuer, await sessionOf(issuer, tenant, ended, 'allowed'));
  const wrong = { verificationCode: '999999' };
  const verify = (body: object): Request => ['POST', '/auth/stepup/verify-otp', body];
  const send = (body: object): Request => ['POST', '/auth/stepup/send-otp', body];
  const login = (email: string, password: string): Request => [
    'POST',
    '/auth/login',
    { email, password: { value: password } },
  ];
  const good = requestCard({});
  const noMobile: Caller = { secret: SECRET, token: await stage.token('no-mobile@sandbox.test') };
  const forbidden = (code: RefusalCode): Scenario['expect'] => ({ status: 403, errorCode: code });
  const unauthorized = { status: 401, errorCode: 'UNAUTHORIZED' };
  return [
    scenario('secret.missing', 'x-secret is wrong', { secret: 'wrong', token: consumer.token }, good, unauthorized),
    scenario('token.missing', 'Authorization-key is missing', { secret: SECRET, token: null }, good, unauthorized),
    scenario(
      'token.foreign',
      "The token is another tenant's",
      { secret: 'sandbox-two-secret', token: consumer.token },
      good,
      unauthorized,
    ),
    scenario(
      'token.STEP_UP_REQUIRED',
      says('STEP_UP_REQUIRED'),
      await aged(6 * MINUTE_MS),
      good,
      forbidden('STEP_UP_REQUIRED'),
    ),
    scenario(
      'token.ACCESS_TOKEN_REQUIRED',
      says('ACCESS_TOKEN_REQUIRED'),
      await aged(25 * 60 * MINUTE_MS),
      good,
      forbidden('ACCESS_TOKEN_REQUIRED'),
    ),
    scenario(
      'token.loggedOut',
      'The session was logged out',
      { secret: SECRET, token: ended },
      good,
      forbidden('ACCESS_TOKEN_REQUIRED'),
    ),
    scenario(
      'login.UNAUTHORIZED',
      says('UNAUTHORIZED'),
      { secret: SECRET, token: null },
      login('nobody@sandbox.test', 'x'),
      unauthorized,
    ),
    scenario(
      'login.USER_DEACTIVATED',
      says('USER_DEACTIVATED'),
      { secret: SECRET, token: null },
      login('inactive@sandbox.test', SANDBOX_PASSWORD),
      { status: 410, errorCode: 'USER_DEACTIVATED' },
    ),
    scenario(
      'stepup.CHANNEL_NOT_SUPPORTED',
      says('CHANNEL_NOT_SUPPORTED'),
      consumer,
      send({ channel: 'FAX' }),
      conflict('CHANNEL_NOT_SUPPORTED'),
    ),
    scenario(
      'stepup.CHANNEL_NOT_REGISTERED',
      says('CHANNEL_NOT_REGISTERED'),
      noMobile,
      send({}),
      conflict('CHANNEL_NOT_REGISTERED'),
    ),
    scenario(
      'stepup.RETRY_IN_15SEC',
      says('RETRY_IN_15SEC'),
      await asked('nothing'),
      send({}),
      conflict('RETRY_IN_15SEC'),
    ),
    scenario('stepup.STATE_INVALID', says('STATE_INVALID'), consumer, verify(wrong), conflict('STATE_INVALID')),
    scenario(
      'stepup.VERIFICATION_CODE_INVALID',
      says('VERIFICATION_CODE_INVALID'),
      await asked('nothing'),
      verify(wrong),
      conflict('VERIFICATION_CODE_INVALID'),
    ),
    scenario(
      'stepup.ALREADY_VERIFIED',
      says('ALREADY_VERIFIED'),
      await asked('verify'),
      verify(wrong),
      conflict('ALREADY_VERIFIED'),
    ),
  ];
}

/** Tenants that answer nothing but these. */
function service({ token }: Caller): Scenario[] {
  const secretOf = (name: string): string => sandboxTenants.find((tenant) => tenant.name === name)?.secret ?? '';
  const from = (name: string): Caller => ({ secret: secretOf(name), token });
  const good = requestCard({});
  return [
    scenario('service.TOO_MANY_REQUESTS', 'Too many requests', from('sandbox-limited'), good, {
      status: 429,
      errorCode: 'TOO_MANY_REQUESTS',
    }),
    scenario('service.SERVER_ERROR', 'Server problem', from('sandbox-failing'), good, {
      status: 500,
      errorCode: 'SERVER_ERROR',
    }),
    scenario('service.MAINTENANCE', 'Offline for maintenance', from('sandbox-maintenance'), good, {
      status: 503,
      errorCode: 'MAINTENANCE',
    }),
  ];
}
