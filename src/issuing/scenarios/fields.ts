// One wrong field each: the codes that our rules can give.
import { SANDBOX_PASSWORD } from '../tenants/index.ts';
import { goodCard } from './creation.ts';
import { type Caller, invalid, type Request, type Scenario, scenario } from './scenario.ts';

export const requestCard = (data: object, type = 'consumer'): Request => [
  'POST',
  '/cards/request',
  { type, data: { ...goodCard, ...data } },
];
const password = (value: string): Request => [
  'POST',
  '/users/password',
  { oldPassword: { value: SANDBOX_PASSWORD }, newPassword: { value } },
];
const limits = (data: object): Request => ['PUT', '/cards/limits/1', { data }];

const FIELDS: readonly (readonly [name: string, request: Request, params: readonly string[], field: string])[] = [
  ['cards.request.REQUIRED', requestCard({ friendlyName: null }), ['data'], 'friendlyName'],
  ['cards.request.HAS_TEXT', requestCard({ friendlyName: ' ' }), ['data'], 'friendlyName'],
  ['cards.request.SIZE', requestCard({ friendlyName: 'x'.repeat(51) }), ['data'], 'friendlyName'],
  ['cards.request.REGEX', requestCard({ profileId: 'letters' }), ['data'], 'profileId'],
  ['cards.request.NOT_IN', requestCard({ mode: 'CREDIT_MODE' }), ['data'], 'mode'],
  ['cards.limits.AT_LEAST', limits({ minTransactionAmount: -1 }), ['data'], 'minTransactionAmount'],
  [
    'cards.limits.RANGE',
    limits({ minTransactionAmount: 2, maxTransactionAmount: 1 }),
    ['data'],
    'minTransactionAmount',
  ],
  ['users.password.IN', password('password123456'), ['newPassword'], 'value'],
];

export const fieldScenarios = (consumer: Caller): Scenario[] => [
  ...FIELDS.map(([name, request, params, field]) => {
    const error = name.slice(name.lastIndexOf('.') + 1);
    return scenario(name, `A field error: ${error}`, consumer, request, invalid(params, field, error));
  }),
  scenario('cards.request.NOT_JSON', 'Not JSON', consumer, ['POST', '/cards/request', '{'], { status: 400 }),
];
