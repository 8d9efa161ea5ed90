// No event holds a card's number, CVV or PIN, an activation code, a one-time code, a password or a token, whatever was asked for: after every
// request of the list of scenarios, and what cardholders do with their secrets (docs/contract/events.md#cards).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { customer, fundedCard, PASSWORD, plasticCard, purchase, steppedUp, UPGRADE } from '../../support/issuing.ts';

interface Secrets {
  /** Found anywhere in a text: long enough to be nothing else. */
  readonly texts: ReadonlySet<string>;
  /** Found as all of a number that stands in a text: one-time codes. */
  readonly numbers: ReadonlySet<string>;
  /** Found as all of a text that is told: CVVs and PINs. */
  readonly values: ReadonlySet<string>;
}

/** Members that may have three or four digits of their own, as the sandbox's ids have: whoever's PIN is 3001. */
const SHORT = /^(id|.*I[dD]|.*_id|.*Mmyy|cardNumberLastFour|mcc|.*Categor(y|ies))$/;
/** Members that would hold a secret. */
const SECRET =
  /^(cardNumber|cvv|pin|pinOffset|activation(Code|Hash)|verificationCode|code|password|token|hash|secret)$/;

/** What of an event's text gives a secret away, never the secret itself. */
function leaksIn(body: string, { texts, numbers, values }: Secrets): string[] {
  const found = [...texts].filter((text) => body.includes(text)).map(() => 'a text');
  if ((body.match(/\d+/g) ?? []).some((number) => numbers.has(number))) found.push('a code');
  const look = (name: string, value: unknown): void => {
    if (SECRET.test(name) && value !== null) found.push(`a member ${name}`);
    if (typeof value === 'string' && values.has(value) && !SHORT.test(name)) found.push(`a value of ${name}`);
    if (typeof value === 'object' && value !== null)
      for (const [inner, one] of Object.entries(value)) look(Array.isArray(value) ? name : inner, one);
  };
  look('', JSON.parse(body));
  return found;
}

let florin: TestApp;
let secrets: Secrets;
const ok = (reply: Reply): Reply => {
  assert.ok(reply.status < 300, reply.text);
  return reply;
};

async function everyScenario(): Promise<string[]> {
  const pans: string[] = [];
  for (const { request } of (await florin.operator('GET', '/simulator/scenarios')).body.scenarios) {
    const body = typeof request.body === 'string' ? request.body : request.body && JSON.stringify(request.body);
    pans.push(...(body?.match(/\b\d{16}\b/g) ?? []));
    await fetch(`${florin.url}${request.path}`, { method: request.method, headers: request.headers, body });
  }
  return pans;
}

/** What a cardholder shows, guesses and gets right, and what a shop is told. */
async function stories(ada: Client): Promise<string[]> {
  const id = await plasticCard(ada, false);
  ok(await ada('GET', `/cards/${id}`));
  assert.equal((await ada('POST', `/cards/activate/${id}`, { activationCode: '998877' })).status, 409);
  ok(await ada('POST', `/cards/activate/${id}`, { activationCode: UPGRADE.activationCode }));
  const { body: shown } = ok(await ada('GET', `/cards/${id}`));
  const { body: pin } = ok(await ada('GET', `/cards/pin/${id}`));
  const tokens: string[] = [shown.cardNumber.value, shown.cvv.value, pin.pin.value];
  const revealed = [];
  for (const token of tokens) revealed.push(ok(await ada('POST', '/cards/reveal', { token })).body.value);
  const wrong = revealed[2] === '1234' ? '4321' : '1234';
  for (let i = 0; i < 3; i++) await purchase(florin, id, 0, { channel: 'chip', pin: wrong });
  await purchase(florin, id, 100, { cvv: revealed[1] });
  await paid(await fundedCard(ada, 5000, { cardholderMobileNumber: '+35699000123' }));
  ok(await (await steppedUp(florin))('GET', `/cards/${id}`));
  return tokens;
}

/** With a challenge that a code answers, wrongly first. */
async function paid(id: string): Promise<void> {
  const { number, cvv, expiryMmyy } = ok(await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  ok(
    await florin.merchant('POST', '/gateway/orders/authorize', {
      amount: '1.00',
      currency: 'EUR',
      pan: number,
      card: {
        cvv,
        holder: 'Ada Example',
        expiration_month: Number(expiryMmyy.slice(0, 2)),
        expiration_year: 2000 + Number(expiryMmyy.slice(2)),
      },
      location: { ip: '6.6.6.6' },
      options: { force3d: 1 },
    }),
  );
  const { challenges } = ok(await florin.operator('GET', `/simulator/challenges?cardId=${id}`)).body;
  assert.ok(challenges.length > 0, 'the cardholder is asked');
}

before(async () => {
  florin = await testApp({ RATE_LIMIT: 'off' });
  const pans = await everyScenario();
  const tokens = await stories(await customer(florin));
  const cards = await florin.database.query<{ id: string }>(
    `select distinct substring(left(body, 500) from '"resource":\\{"type":"card","id":"(\\d+)"') as id from events where subject_type = 'card'`,
  );
  const values: string[] = [];
  for (const { id } of cards) {
    const { number, cvv, pin } = ok(await florin.operator('GET', `/operator/cards/${id}/number`)).body;
    pans.push(number);
    values.push(cvv, ...(pin ? [pin] : []));
  }
  const messages = await florin.database.query<{ text: string }>('select text from messages');
  const codes = messages.flatMap(({ text }) => text.match(/\b\d{6}\b/g) ?? []);
  assert.ok(cards.length > 10 && codes.length > 0 && pans.length > cards.length, 'there is something to look for');
  secrets = {
    texts: new Set([...pans, ...tokens, PASSWORD]),
    numbers: new Set([...codes, '123456', UPGRADE.activationCode, '998877']),
    values: new Set(values),
  };
});

const bodies = async (): Promise<string[]> =>
  (await florin.database.query<{ body: string }>('select body from events')).map(({ body }) => body);

test('no secret stands in any event', async () => {
  const all = await bodies();
  assert.ok(all.length > 100, `${all.length} events`);
  const found = all.flatMap((body) => leaksIn(body, secrets).map((leak) => `${JSON.parse(body).type}: ${leak}`));
  assert.deepEqual([...new Set(found)], []);
});

test('each kind of secret would be found', async () => {
  const [body = ''] = await bodies();
  const first = (of: ReadonlySet<string>): string => [...of][0] as string;
  const planted = (object: object): string[] =>
    leaksIn(JSON.stringify({ ...JSON.parse(body), data: { object } }), secrets);
  assert.deepEqual(planted({ note: `it is ${first(secrets.texts)}` }), ['a text']);
  assert.deepEqual(planted({ note: `${first(secrets.numbers)} activates your card` }), ['a code']);
  assert.deepEqual(planted({ list: [{ note: first(secrets.values) }] }), ['a value of note']);
  assert.deepEqual(planted({ card: { cvv: '000' } }), ['a member cvv']);
  assert.deepEqual(planted({ card: { cvv: null } }), []);
});
