// Errors of single cards: which card, what is asked of it. Data, but for the ids of the cards that are set on the stage.
import type { FailureCode } from '../fields/index.ts';
import { type CreationScenario, creationScenarios, goodCard } from './creation.ts';
import { requestCard } from './fields.ts';
import { type Caller, type Request, refused, type Scenario } from './scenario.ts';
import { ACTIVATION_CODE, ORDER, SECRET, type Stage, type StagedCard } from './stage.ts';

const CODE = { activationCode: ACTIVATION_CODE };

/** POST /cards/{verb}/{cardId}. */
const LIFE: readonly (readonly [code: FailureCode, card: StagedCard, verb: string, body?: object])[] = [
  ['INSTRUMENT_DESTROYED', 'destroyed', 'activate', CODE],
  ['INSTRUMENT_BLOCKED', 'blocked', 'activate', CODE],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'activate', CODE],
  ['INSTRUMENT_ALREADY_ACTIVATED', 'activated', 'activate', CODE],
  ['ACTIVATION_CODE_INVALID', 'ordered', 'activate', { activationCode: '999999' }],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'upgrade', ORDER],
  ['INSTRUMENT_BLOCKED', 'blocked', 'upgrade', ORDER],
  ['INSTRUMENT_ALREADY_UPGRADED_TO_PHYSICAL', 'ordered', 'upgrade', ORDER],
  ['PRODUCT_REFERENCE_INVALID', 'virtual', 'upgrade', { ...ORDER, productReference: 'NO-SUCH-PRODUCT' }],
  ['CARRIER_TYPE_INVALID', 'virtual', 'upgrade', { ...ORDER, carrierType: 'NO-SUCH-CARRIER' }],
  ['DELIVERY_METHOD_INVALID', 'byPostOnly', 'upgrade', { ...ORDER, deliveryMethod: 'COURIER' }],
  ['INSTRUMENT_ALREADY_BLOCKED', 'blocked', 'block'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'block'],
  ['INSTRUMENT_NOT_BLOCKED', 'virtual', 'unblock'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'unblock'],
  ['INSTRUMENT_MARKED_LOST_STOLEN', 'lost', 'unblock'],
  ['BALANCE_NOT_ZERO', 'funded', 'remove'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'remove'],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'report-lost'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'report-lost'],
  ['INSTRUMENT_MARKED_LOST_STOLEN', 'lost', 'report-lost'],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'report-stolen'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'report-stolen'],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'replace-damaged', {}],
  ['INSTRUMENT_BLOCKED', 'blocked', 'replace-damaged', {}],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'replace-damaged', {}],
  ['INSTRUMENT_MARKED_LOST_STOLEN', 'lost', 'replace-damaged', {}],
  ['INSTRUMENT_NOT_MARKED_LOST_STOLEN', 'virtual', 'replace-lost-stolen', {}],
  ['INSTRUMENT_ALREADY_REPLACED', 'replaced', 'replace-lost-stolen', {}],
  ['INSTRUMENT_NOT_FOUND', 'lastOfItsRange', 'replace-lost-stolen', {}],
  ['PIN_NOT_BLOCKED', 'activated', 'pin/unblock'],
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual', 'pin/unblock'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'pin/unblock'],
  ['INSTRUMENT_DESTROYED', 'destroyed', 'wallet-tokens', { wallet: 'APPLE', device: 'phone' }],
  ['INSTRUMENT_BLOCKED', 'blocked', 'wallet-tokens', { wallet: 'APPLE', device: 'phone' }],
  ['WALLETS_NOT_ENABLED', 'virtual', 'wallet-tokens', { wallet: 'APPLE', device: 'phone' }],
  ['PUSHPROVISIONING_NOT_ENABLED', 'withoutPush', 'wallet-tokens', { wallet: 'APPLE', device: 'phone' }],
];

/** GET /cards/pin/{cardId}. */
const PIN: readonly (readonly [code: FailureCode, card: StagedCard])[] = [
  ['INSTRUMENT_NOT_PHYSICAL', 'virtual'],
  ['INSTRUMENT_BLOCKED', 'blocked'],
  ['INSTRUMENT_DESTROYED', 'destroyed'],
  ['PIN_BLOCKED', 'pinBlocked'],
];

const daily = (currency: string, amount: number) => ({ value: { currency, amount }, interval: 'DAILY' });

/** PUT and PATCH /cards/limits/{cardId}. */
const LIMITS: readonly (readonly [code: FailureCode, card: StagedCard, spendLimit: readonly object[]])[] = [
  ['INSTRUMENT_DESTROYED', 'destroyed', []],
  ['SPEND_LIMIT_NOT_SUPPORTED_FOR_PREPAID_MODE_CARD', 'virtual', [daily('EUR', 100)]],
  ['SPEND_LIMIT_CURRENCY_DIFFERENT_FROM_CARD_CURRENCY', 'debit', [daily('USD', 100)]],
  ['SPEND_LIMIT_DUPLICATE_INTERVAL', 'debit', [daily('EUR', 100), daily('EUR', 200)]],
  ['SPEND_LIMIT_AMOUNT_INVALID', 'debit', [daily('EUR', 1_000_000_000_000)]],
];

/** The card whose change meets a conflict of creation, by the profile that creation meets it with. */
const CARD_OF_PROFILE: Readonly<Record<string, StagedCard>> = {
  '1001': 'virtual',
  '1006': 'plain',
  '1009': 'bySms',
  '1010': 'artless',
  '1021': 'small',
};

/** What a card's options can conflict with; that the details are missing is creation's alone. */
const OF_OPTIONS = (() => {
  const codes = creationScenarios.map(({ code }) => code);
  const from = codes.indexOf('AUTH_FORWARDING_NOT_ENABLED');
  const to = codes.indexOf('MOBILE_NUMBER_ALREADY_EXISTS');
  const options = new Set<FailureCode>([...codes.slice(from, to + 1), 'COUNTRY_INVALID']);
  options.delete('THREEDS_DETAILS_NOT_PROVIDED');
  return options;
})();

export async function creationRequests(stage: Stage): Promise<Scenario[]> {
  return Promise.all(
    creationScenarios.map(async ({ code, email, type, data }) => {
      const caller = { secret: SECRET, token: await stage.token(email ?? 'consumer@sandbox.test') };
      return refused(code, 'cards.request', caller, requestCard(data, type));
    }),
  );
}

async function changeOf(stage: Stage, { code, email, data }: CreationScenario): Promise<Scenario> {
  const { profileId = goodCard.profileId, ...change } = data;
  const id = await stage.card(CARD_OF_PROFILE[String(profileId)] as StagedCard);
  const caller = { secret: SECRET, token: await stage.token(email ?? 'consumer@sandbox.test') };
  return refused(code, 'cards.change', caller, ['PATCH', `/cards/${id}`, change]);
}

export async function cardScenarios(stage: Stage, consumer: Caller): Promise<Scenario[]> {
  const found: Scenario[] = [];
  const add = async (code: FailureCode, name: string, card: StagedCard, request: (id: string) => Request) =>
    found.push(refused(code, name, consumer, request(await stage.card(card))));

  for (const [code, card, verb, body] of LIFE)
    await add(code, `cards.${verb.replace('/', '.')}`, card, (id) => ['POST', `/cards/${verb}/${id}`, body ?? null]);
  for (const [code, card] of PIN) await add(code, 'cards.pin', card, (id) => ['GET', `/cards/pin/${id}`]);
  for (const [code, card, spendLimit] of LIMITS) {
    await add(code, 'cards.limits', card, (id) => ['PUT', `/cards/limits/${id}`, { data: { spendLimit } }]);
    await add(code, 'cards.limits.change', card, (id) => ['PATCH', `/cards/limits/${id}`, { data: { spendLimit } }]);
  }
  await add('INSTRUMENT_DESTROYED', 'cards.limits.delete', 'destroyed', (id) => ['DELETE', `/cards/limits/${id}`]);
  await add('INSTRUMENT_DESTROYED', 'cards.change', 'destroyed', (id) => ['PATCH', `/cards/${id}`, { tag: 'new' }]);
  for (const row of creationScenarios) if (OF_OPTIONS.has(row.code)) found.push(await changeOf(stage, row));

  const given = await stage.deletedToken();
  found.push(
    refused('STATE_INVALID', 'cards.wallet-tokens.delete', consumer, ['DELETE', `/cards/wallet-tokens/${given}`]),
    refused('RESOURCE_NOT_FOUND', 'cards.activate', consumer, ['POST', '/cards/activate/12345', CODE]),
  );
  return found;
}
