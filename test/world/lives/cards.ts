// Lives of cards over HTTP: their holders, who log in and move money, and merchants abroad, whom the simulator plays. The auditor is told
// of every answer.
import { type Answer, type Asked, isAnswer, type Question } from '../asking.ts';
import { answerText, verdictOf } from '../auditor/auditor.ts';
import { PaymentBook, type Step } from '../auditor/cards.ts';
import type { Claim, Verdict } from '../auditor/claims.ts';
import { type Funds, fundsOf } from '../auditor/funds.ts';
import type { CardLife, CardMove } from '../plan/cards.ts';
import type { Sessions, Who } from '../sessions.ts';
import { OPERATOR, type Street } from './orders.ts';

export interface CardStreet extends Street {
  readonly sessions: Sessions;
}

interface Living extends CardStreet {
  readonly life: CardLife;
  readonly next: () => number;
}

interface Card {
  readonly id: string;
  /** What pays for it: the card itself, or its account. */
  readonly funds: Funds;
  readonly main: Funds;
  /** More may not be approved at once; null: not known at the moment. */
  mostAtOnce: number | null;
}

const EUR = (amount: number) => ({ currency: 'EUR', amount });
export const MAIN: Readonly<Record<Who, string>> = { consumer: '2001', corporate: '2002', neighbour: '2101' };
const CONSUMER = { account: '1011', prepaid: '1001', debit: '1002' };
const PROFILES = {
  consumer: CONSUMER,
  neighbour: CONSUMER,
  corporate: { account: '1012', prepaid: '1003', debit: '1004' },
};

export async function liveCard(street: CardStreet, life: CardLife): Promise<void> {
  let count = 0;
  const of: Living = { ...street, life, next: () => ++count };
  const card = await begin(of);
  for (const move of life.moves) {
    if (!of.open() || !card) return;
    await of.sleep(life.pauseMs);
    await moved(of, card, move);
  }
}

/** A customer's request. With a key it comes back until its answer is known. */
async function send(
  of: Living,
  path: string,
  body: object,
  { says, key, again = 0, told }: { says: string; key: string | null; again?: number; told: (asked: Asked) => Claim },
): Promise<{ asked: Asked; claim: Claim }> {
  const { life, sessions, auditor, open } = of;
  const question: Question = {
    who: life.name,
    method: 'POST',
    path: `/issuing${path}`,
    body,
    headers: key === null ? {} : { 'idempotency-ref': `${life.name}-${key}-${of.next()}` },
    says,
  };
  const since = auditor.earliest;
  const asked = await sessions.ask(life.who, question);
  const claim = told(asked);
  let last = asked;
  let left = again;
  for (let i = 0; key !== null && i < 12 && (claim.verdict === 'unknown' || left-- > 0); i++) {
    await of.sleep(40 * (i + 1));
    if ((!open() && i > 3) || since + 86_000_000 < auditor.latest) break;
    const repeated = await sessions.ask(life.who, { ...question, repeats: true, says: `${says} (again)` });
    auditor.answeredAgain(`card life ${life.name}`, claim, asked, repeated);
    if (isAnswer(repeated)) last = repeated;
  }
  return { asked: last, claim };
}

const claimOf = (type: string, amount: number | null, asked: Asked): Claim => ({
  step: asked.step,
  type,
  amount: amount === null ? null : String(amount),
  verdict: verdictOf(asked),
  answer: answerText(asked),
});

/** The account or card that is made, and what it begins with. */
async function begin(of: Living): Promise<Card | null> {
  const { life, auditor } = of;
  const profiles = PROFILES[life.who];
  const main = fundsOf(auditor.funds, 'managed_accounts', MAIN[life.who], life.who);
  const made = (type: string) => (asked: Asked) => claimOf(type, null, asked);
  let account: string | null = null;
  if (life.debit) {
    const body = { profileId: profiles.account, friendlyName: life.name, currency: 'EUR' };
    const { asked } = await send(of, '/managed-accounts', body, {
      says: 'new account',
      key: 'account',
      told: made('account'),
    });
    if (!isAnswer(asked) || asked.status !== 200) return null;
    account = asked.body.id as string;
  }
  const data = {
    profileId: life.debit ? profiles.debit : profiles.prepaid,
    friendlyName: life.name,
    tag: life.name,
    nameOnCard: 'Ada Example',
    billingAddress: { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' },
    mode: life.debit ? 'DEBIT_MODE' : 'PREPAID_MODE',
    currency: 'EUR',
    ...(account === null ? {} : { parentManagedAccountId: account }),
  };
  const { asked } = await send(
    of,
    '/cards/request',
    { type: life.who === 'corporate' ? 'corporate' : 'consumer', data },
    { says: 'new card', key: 'card', told: made('card') },
  );
  if (!isAnswer(asked) || asked.status !== 200) return null;
  const id = asked.body.id as string;
  const funds = fundsOf(
    auditor.funds,
    account === null ? 'managed_cards' : 'managed_accounts',
    account ?? id,
    life.who,
  );
  funds.cards.add(id);
  auditor.cardMade(life.name);
  const card: Card = { id, funds, main, mostAtOnce: null };
  for (let i = 0; i < 4; i++)
    if (
      (await transfer(of, card, { do: 'transfer', into: true, amount: life.funds, keyed: true, again: 0 })) !==
      'refused'
    )
      break;
  return card;
}

async function transfer(of: Living, card: Card, move: Extract<CardMove, { do: 'transfer' }>): Promise<Verdict> {
  const side = ({ type, id }: Funds) => ({ type, id });
  const [from, to] = move.into ? [card.main, card.funds] : [card.funds, card.main];
  const body = {
    source: side(from),
    destination: side(to),
    destinationAmount: EUR(move.amount),
    description: of.life.name,
  };
  // One claim, seen on both statements.
  const { claim } = await send(of, '/transfers', body, {
    says: `transfer ${move.into ? 'in' : 'out'} ${move.amount}`,
    key: move.keyed ? 'transfer' : null,
    again: move.again,
    told(asked) {
      const made = claimOf('transfer', move.amount, asked);
      from.claims.push({ claim: made, type: 'TRANSFER_OUT' });
      to.claims.push({ claim: made, type: 'TRANSFER_IN' });
      return made;
    },
  });
  return claim.verdict;
}

const simulated = (of: Living, path: string, body: object | undefined, says: string): Promise<Asked> =>
  of.asker.ask({ who: of.life.name, method: 'POST', path: `/simulator${path}`, body, headers: OPERATOR, says });

/** What the simulator's answer says of the money: an answer that was not approved moved none. */
const paidVerdict = (asked: Asked): Verdict =>
  isAnswer(asked) && asked.status === 200 ? (asked.body.approved ? 'done' : 'refused') : verdictOf(asked);

async function purchase(of: Living, card: Card, move: Extract<CardMove, { do: 'purchase' }>): Promise<void> {
  const tag = `${of.life.name}p${of.next()}`;
  const book = new PaymentBook(tag, {
    asked: move.amount,
    foreign: move.currency !== 'EUR',
    now: of.auditor.earliest,
  });
  card.funds.payments.set(tag, book);
  const { do: _, ...wanted } = move;
  const body = { ...wanted, cardId: card.id, threeDs: true, merchantName: tag };
  const { mostAtOnce } = card;
  const asked = await simulated(of, '/purchases', body, `purchase ${tag} ${move.amount} ${move.currency}`);
  const verdict = paidVerdict(asked);
  if (verdict === 'done' && mostAtOnce !== null && !book.foreign && move.amount > mostAtOnce)
    of.auditor.contradicts(
      `${book.subject}: ${move.amount} was approved at step ${asked.step}, the card allows ${mostAtOnce}`,
    );
  of.auditor.contradicts(
    book.answered({ do: 'purchase', amount: move.amount }, verdict, asked.step, of.auditor.latest),
  );
  if (isAnswer(asked) && verdict === 'done') book.id = asked.body.authorizationId as string;
}

async function follow(of: Living, card: Card, move: Extract<CardMove, { payment: number }>): Promise<void> {
  const approved = [...card.funds.payments.values()].filter(({ id }) => id !== null);
  const book = approved.at(-1 - move.payment);
  if (!book) return;
  const amount = move.do === 'increment' ? (move.amount ?? 100) : move.do === 'expire' ? null : move.amount;
  if (move.do === 'clear' && (amount ?? book.asked) > book.leastHeld(of.auditor.latest)) card.funds.overdraws = true;
  if (book.foreign) card.funds.overdraws = true;
  const body = move.do === 'expire' ? undefined : amount === null ? {} : { amount };
  const asked =
    move.do === 'refund'
      ? await simulated(of, '/refunds', { authorizationId: book.id, ...body }, `refund ${book.tag} ${amount ?? 'all'}`)
      : await simulated(of, `/authorizations/${book.id}/${move.do}`, body, `${move.do} ${book.tag} ${amount ?? 'all'}`);
  const step: Step = { do: move.do, amount };
  of.auditor.contradicts(book.answered(step, paidVerdict(asked), asked.step, of.auditor.latest));
  await look(of, card);
}

/** Reads the card's payments, each of which must be one that its answers allow. */
async function look(of: Living, card: Card): Promise<void> {
  const asked = await of.sessions.ask(of.life.who, {
    who: of.life.name,
    method: 'GET',
    path: `/issuing/cards/payments/${card.id}`,
    says: 'payments',
  });
  if (isAnswer(asked) && asked.status === 200) paymentsShown(of, card.funds, asked);
}

function paymentsShown({ auditor }: Living, { payments }: Funds, { body, step }: Answer): void {
  const rows = body.payments as { merchant: { name: string } }[];
  for (const book of payments.values()) {
    const row = rows.find(({ merchant }) => merchant.name === book.tag);
    // A list of a hundred may have lost the oldest.
    if (row || rows.length < 100) auditor.contradicts(book.look((row as never) ?? null, step, auditor.latest));
  }
}

async function moved(of: Living, card: Card, move: CardMove): Promise<void> {
  const plain = (path: string, body: object = {}): Promise<unknown> =>
    send(of, path, body, { says: move.do, key: null, told: (asked) => claimOf(move.do, null, asked) });
  if (move.do === 'at once') {
    await Promise.all(move.moves.map((one) => moved(of, card, one)));
    return look(of, card);
  }
  if (move.do === 'transfer') return void (await transfer(of, card, move));
  if (move.do === 'purchase') return purchase(of, card, move);
  if (move.do === 'deposit') return deposit(of, card, move.amount);
  if (move.do === 'limits') return limits(of, card, move.amount);
  if (move.do === 'block' || move.do === 'unblock') return void (await plain(`/cards/${move.do}/${card.id}`));
  if (move.do === 'activate') return void (await plain(`/cards/activate/${card.id}`, { activationCode: '004711' }));
  if ('payment' in move) return follow(of, card, move);
  return void (await plain(`/cards/upgrade/${card.id}`, UPGRADE));
}

const UPGRADE = {
  activationCode: '004711',
  productReference: 'FLORIN-STANDARD',
  carrierType: 'FLORIN-CARRIER',
  deliveryMethod: 'COURIER',
  deliveryAddress: {
    name: 'Ada',
    surname: 'Example',
    addressLine1: '1 Example Street',
    city: 'Valletta',
    postCode: 'VLT 1000',
    country: 'MT',
  },
};

async function deposit(of: Living, card: Card, amount: number): Promise<void> {
  const { funds } = card;
  if (funds.type !== 'managed_accounts') return;
  const asked = await simulated(of, `/accounts/${funds.id}/deposit`, { amount }, `deposit ${amount}`);
  funds.claims.push({ claim: claimOf('deposit', amount, asked), type: 'DEPOSIT' });
}

/** What was set last is what is read, whatever else was tried. */
async function limits(of: Living, card: Card, amount: number): Promise<void> {
  const path = `/issuing/cards/limits/${card.id}`;
  const body = { data: { maxTransactionAmount: amount } };
  card.mostAtOnce = null;
  const put = await of.sessions.ask(of.life.who, {
    who: of.life.name,
    method: 'PUT',
    path,
    body,
    says: `limit ${amount}`,
  });
  if (verdictOf(put) !== 'done') return;
  card.mostAtOnce = amount;
  const read = await of.sessions.ask(of.life.who, { who: of.life.name, method: 'GET', path, says: 'limits' });
  if (!isAnswer(read) || read.status !== 200) return;
  if (!JSON.stringify(read.body).includes(`"maxTransactionAmount":${amount}`))
    of.auditor.contradicts(
      `card ${card.id} (${of.life.name}): limit ${amount} was set at step ${put.step}, step ${read.step} shows ${JSON.stringify(read.body).slice(0, 200)}`,
    );
}
