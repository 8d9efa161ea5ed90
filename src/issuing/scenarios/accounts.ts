// Errors of managed accounts and transfers.
import type { FailureCode } from '../fields/index.ts';
import { type Caller, refused, type Scenario } from './scenario.ts';
import { SECRET, type Stage, type StagedAccount, type StagedCard } from './stage.ts';

const good = { profileId: '1011', friendlyName: 'Scenario', currency: 'EUR' };

const CREATION: readonly (readonly [code: FailureCode, fields: object, email?: string])[] = [
  ['PROFILE_NOT_FOUND', { profileId: '999999' }],
  ['PROFILE_INACTIVE', { profileId: '1015' }],
  ['PAYMENT_MODEL_CONSTRAINTS_VIOLATED', { profileId: '1012' }],
  ['CURRENCY_NOT_SUPPORTED_BY_PROFILE', { currency: 'JPY' }],
  ['OWNER_IDENTITY_NOT_VERIFIED', {}, 'unverified@sandbox.test'],
];

/** POST /managed-accounts/{verb}/{id}; by number: one of the sandbox's. */
const LIFE: readonly (readonly [code: FailureCode, account: StagedAccount | '2001' | '2003', verb: string])[] = [
  ['INSTRUMENT_ALREADY_BLOCKED', '2003', 'block'],
  ['INSTRUMENT_DESTROYED', 'closed', 'block'],
  ['INSTRUMENT_NOT_BLOCKED', '2001', 'unblock'],
  ['INSTRUMENT_DESTROYED', 'closed', 'unblock'],
  ['BALANCE_NOT_ZERO', '2001', 'remove'],
  ['INSTRUMENTS_ATTACHED', 'spent', 'remove'],
  ['INSTRUMENT_DESTROYED', 'closed', 'remove'],
];

interface Transfer {
  readonly code: FailureCode;
  readonly from: readonly [type: string, id: string];
  readonly to: readonly [type: string, id: string];
  readonly amount: number;
}
const account = (id: string) => ['managed_accounts', id] as const;
const card = (state: StagedCard | '12345') => ['managed_cards', state] as const;

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

const isNumber = (text: string): boolean => /^\d+$/.test(text);

export async function accountScenarios(stage: Stage, consumer: Caller): Promise<Scenario[]> {
  const found: Scenario[] = [];
  for (const [code, fields, email] of CREATION) {
    const caller = email === undefined ? consumer : { secret: SECRET, token: await stage.token(email) };
    found.push(refused(code, 'accounts.create', caller, ['POST', '/managed-accounts', { ...good, ...fields }]));
  }
  for (const [code, named, verb] of LIFE) {
    const id = isNumber(named) ? named : await stage.account(named as StagedAccount);
    found.push(refused(code, `accounts.${verb}`, consumer, ['POST', `/managed-accounts/${verb}/${id}`]));
  }
  const side = async ([type, id]: readonly [string, string]) => ({
    type,
    id: isNumber(id) ? id : await stage.card(id as StagedCard),
  });
  for (const { code, from, to, amount } of TRANSFERS) {
    const body = {
      source: await side(from),
      destination: await side(to),
      destinationAmount: { currency: 'EUR', amount },
    };
    found.push(refused(code, 'transfers', consumer, ['POST', '/transfers', body]));
  }
  return found;
}
