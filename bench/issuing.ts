// The issuing half of `npm run bench`: cards in an empty table and behind a million others, each in a database of its own on the same
// Postgres; transfers and authorizations spread over many accounts and on one. Rule: what is compared is measured in turn, and the median
// of the rounds counts, so that what else the machine does falls on both sides alike.
import { systemRandom } from '../src/base/index.ts';
import type { Connection } from '../src/store/index.ts';
import { type Asked, type Compared, compare, loading, ROUND_SHARE } from './compare.ts';
import { fillCards, filledId } from './fill-cards.ts';
import {
  answerOf,
  type BenchCard,
  type BenchIssuer,
  consumer,
  debitCards,
  OPERATOR,
  openAccounts,
  openIssuer,
  PREPAID,
} from './issuer.ts';

const PORT = 18_994;
/** Instruments that a spread load falls on, unless fewer cards than that are asked for. */
const MANY = 10_000;

interface Size {
  readonly connection: Connection;
  /** Where key files lie. */
  readonly home: string;
  readonly seconds: number;
  readonly cards: number;
}

/** The books of this issuer, which have to be right. */
async function prove({ server }: BenchIssuer): Promise<number> {
  type Proof = { ok: boolean; checks: { id: string; ok: boolean }[] };
  const { ok, checks } = await answerOf<Proof>(server.url, 'GET', '/operator/invariants?full=true', OPERATOR);
  const violated = checks.filter((check) => !check.ok).map(({ id }) => id);
  if (!ok) throw new Error(`violated: ${violated.join(', ')}`);
  return checks.length;
}

const any = <Value>(values: readonly Value[]): Value => values[systemRandom.int(values.length)] as Value;

/** Creation and reading of cards: an empty table and a full one. */
async function cardsCompared(empty: BenchIssuer, full: BenchIssuer, { seconds, cards }: Size): Promise<Compared[]> {
  const making = async (issuer: BenchIssuer, made: string[]): Promise<Asked[1]> =>
    loading({
      url: `${issuer.server.url}/issuing/cards/request`,
      method: 'POST',
      connections: 64,
      headers: await consumer(issuer),
      body: PREPAID,
      answered: (body) => made.push((JSON.parse(body) as { id: string }).id) > 0,
    });
  const reading = async (issuer: BenchIssuer, id: () => string): Promise<Asked[1]> =>
    loading({
      url: issuer.server.url,
      method: 'GET',
      connections: 32,
      headers: await consumer(issuer),
      path: () => `/issuing/cards/${id()}`,
    });
  const made: string[] = [];
  // Named beforehand, as those of the empty table are: what it costs to name one is not what is asked.
  const filled = Array.from({ length: 5 * MANY }, () => full.permutation.outward(filledId(systemRandom.int(cards))));
  const suffix = `, ${cards.toLocaleString('en')} cards`;
  return [
    await compare(
      seconds,
      0.9,
      ['POST card', await making(empty, made)],
      [`POST card${suffix}`, await making(full, [])],
    ),
    await compare(
      seconds,
      0.9,
      ['GET one card', await reading(empty, () => any(made))],
      [`GET one card${suffix}`, await reading(full, () => any(filled))],
    ),
  ];
}

/** Transfers between random accounts, and out of one to random ones. */
async function transfersCompared(
  issuer: BenchIssuer,
  seconds: number,
  spread: readonly string[],
  single: string,
): Promise<Compared> {
  const headers = await consumer(issuer);
  const between = (source: () => string): Asked[1] =>
    loading({
      url: `${issuer.server.url}/issuing/transfers`,
      method: 'POST',
      connections: 128,
      headers,
      body() {
        const from = source();
        let to = any(spread);
        while (to === from) to = any(spread);
        return JSON.stringify({
          source: { type: 'managed_accounts', id: from },
          destination: { type: 'managed_accounts', id: to },
          destinationAmount: { currency: 'EUR', amount: 1 },
        });
      },
    });
  return compare(
    seconds,
    0.8,
    [`transfer, ${spread.length.toLocaleString('en')} accounts`, between(() => any(spread))],
    ['transfer out of one account', between(() => single)],
  );
}

/**
 * Cards that are issued here pay at the gateway here, beside cards of the sandbox: the message goes to our own issuer. Payments of an
 * agreement, as no cardholder can be asked.
 */
async function ownCardsCompared(issuer: BenchIssuer, seconds: number, cards: readonly BenchCard[]): Promise<Compared> {
  const paying = (card: () => BenchCard): Asked[1] =>
    loading({
      url: `${issuer.server.url}/gateway/orders/authorize`,
      method: 'POST',
      connections: 128,
      body() {
        const { pan, expires } = card();
        const [year, month] = [2000 + Number(expires.slice(0, 2)), Number(expires.slice(2))];
        return JSON.stringify({
          amount: 1,
          currency: 'EUR',
          pan,
          card: { holder: 'Ada Example', expiration_month: month, expiration_year: year },
          recurring_details: { trace_id: '067294534318210', indicator: 'R' },
          location: { ip: '192.0.2.1' },
        });
      },
    });
  const foreign = { pan: '4111111111111111', expires: '3012' };
  return compare(
    seconds,
    0.5,
    ['authorize, of an agreement', paying(() => foreign)],
    ['authorize, of an agreement, with an own card', paying(() => any(cards))],
  );
}

/** Purchases with as many debit cards on their own accounts, and on one. */
async function purchasesCompared(
  issuer: BenchIssuer,
  seconds: number,
  spread: readonly string[],
  single: string,
): Promise<Compared[]> {
  const count = spread.length;
  const paying = (cards: readonly BenchCard[]): Asked[1] =>
    loading({
      url: `${issuer.server.url}/simulator/purchases`,
      method: 'POST',
      connections: 128,
      headers: OPERATOR,
      body: () => JSON.stringify({ pan: any(cards).pan, amount: 100, currency: 'EUR', threeDs: true }),
      answered: (body) => body.includes('"approved":true'),
    });
  const cards = await debitCards(issuer, spread, count);
  const named = `authorization, ${count.toLocaleString('en')} cards`;
  return [
    await compare(
      seconds,
      0.8,
      [`${named}, as many accounts`, paying(cards)],
      [`${named}, one account`, paying(await debitCards(issuer, [single], count))],
    ),
    await ownCardsCompared(issuer, seconds, cards),
  ];
}

/** Measures, proves the books, and answers what came out. */
export async function benchIssuing(
  size: Size,
): Promise<{ readonly compared: Compared[]; readonly invariants: number }> {
  const { connection, home, cards } = size;
  const seconds = size.seconds * ROUND_SHARE;
  const open: BenchIssuer[] = [];
  const opened = async (name: string): Promise<BenchIssuer> => {
    const issuer = await openIssuer(connection, home, name, PORT + open.length);
    open.push(issuer);
    return issuer;
  };
  try {
    const full = await opened('bench_full');
    const template = await answerOf<{ id: string }>(
      full.server.url,
      'POST',
      '/issuing/cards/request',
      await consumer(full),
      JSON.parse(PREPAID) as object,
    );
    await fillCards(full.database, full.permutation.inward(template.id) as bigint, cards);
    const empty = await opened('bench_empty');
    const compared = await cardsCompared(empty, full, { ...size, seconds });
    await prove(full);

    const count = Math.min(MANY, cards);
    const spread = await openAccounts(empty, count, 10_000_000);
    const [single = ''] = await openAccounts(empty, 1, 500_000_000_000);
    compared.push(await transfersCompared(empty, seconds, spread, single));
    compared.push(...(await purchasesCompared(empty, seconds, spread, single)));
    return { compared, invariants: await prove(empty) };
  } finally {
    await Promise.all(open.map((issuer) => issuer.close()));
  }
}
