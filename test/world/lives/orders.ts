// Lives of orders over HTTP: merchants, their customers, and the operator who brings disputes. What a plan says is tried, whatever came
// before; the auditor is told of every answer.
import { type Answer, type Asked, type Asker, isAnswer, type Question } from '../asking.ts';
import { type Auditor, answerText, shownIn, verdictOf } from '../auditor/auditor.ts';
import type { Claim } from '../auditor/claims.ts';
import type { OrderBook, Wanted } from '../auditor/orders.ts';
import { type Act, type Move, type OrderLife, OWN_CARD, type ProjectName } from '../plan/orders.ts';
import type { Town } from '../stage/town.ts';
import type { Payer } from './payer.ts';

export interface Unanswered {
  readonly question: Question;
  readonly claim: Claim;
  readonly asked: Asked;
  /** The virtual moment before it was sent. */
  readonly since: number;
}

export interface Street {
  readonly asker: Asker;
  readonly auditor: Auditor;
  readonly payer: Payer;
  readonly town: Town;
  /** Requests with a key whose outcome nobody has told yet. */
  readonly unanswered: Unanswered[];
  /** False: the day is over, begin nothing more. */
  readonly open: () => boolean;
  readonly sleep: (ms: number) => Promise<void>;
}

/** The project `world-later` charges by itself. */
const CAPTURE_DELAY_MS: Partial<Readonly<Record<ProjectName, number>>> = { 'world-later': 30 * 60_000 };

export const OPERATOR = { authorization: 'Bearer sandbox-operator' };
export const merchantOf = ({ secrets }: Town, project: ProjectName): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${project}:${secrets[project]}`).toString('base64')}`,
});

interface Living extends Street {
  readonly life: OrderLife;
  readonly headers: Readonly<Record<string, string>>;
  /** A number that this life has not used yet. */
  readonly next: () => number;
}

export async function liveOrder(street: Street, life: OrderLife): Promise<void> {
  let count = 0;
  const of: Living = { ...street, life, headers: merchantOf(street.town, life.project), next: () => ++count };
  if (life.start.by === 'payouts') return payouts(of);
  const book = await begin(of);
  for (const step of life.moves) {
    if (!of.open() || !book || book.id === null) return;
    await of.sleep(life.pauseMs);
    await move(of, book, step);
  }
}

const tagOf = ({ life, next }: Living): string => `${life.name}-${next()}`;
const keyOf = ({ life, next }: Living, keyed: boolean, what: string): string | null =>
  keyed ? `${life.name}-${what}-${next()}` : null;

const wantedOf = ({ life }: Living, tag: string, amount: string, more: Partial<Wanted> = {}): Wanted => ({
  tag,
  project: life.project,
  amount,
  currency: life.start.currency,
  autoCharge: life.start.options.auto_charge === 1,
  captureDelayMs: CAPTURE_DELAY_MS[life.project] ?? null,
  disputes: life.start.card.startsWith('49999970'),
  merchantInitiated: false,
  ...more,
});

const common = ({ life }: Living, tag: string, amount: string) => ({
  amount,
  currency: life.start.currency,
  merchant_order_id: tag,
  custom_fields: { life: tag },
  location: { ip: life.ip },
});

/** Of something that moves no money by itself. */
const looseClaim = (type: string, asked: Asked): Claim => ({
  step: asked.step,
  type,
  amount: null,
  verdict: verdictOf(asked),
  answer: answerText(asked),
});

interface Request {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: object;
  readonly says: string;
  /** The idempotency key. */
  readonly key: string | null;
  /** How often it is repeated although its answer is known. */
  readonly again?: number;
  /** Sent twice at once. */
  readonly stutters?: boolean;
  /** What its answer claims. */
  readonly told: (asked: Asked) => Claim;
}

/** As often as this a caller comes back with its key for an answer that isn't known yet. */
const REPEATS = 12;

/** Sends a request; with a key, comes back for an answer that isn't known yet. The last answer, and what it claims by then. */
async function send(of: Living, request: Request): Promise<{ asked: Asked; claim: Claim }> {
  const { asker, auditor, life, open } = of;
  const { method, path, body, says, key, told, again = 0, stutters = false } = request;
  const headers = { ...of.headers, ...(key === null ? {} : { 'idempotency-key': key }) };
  const question = { who: life.name, method, path, body, headers, says };
  const since = auditor.earliest;
  const twin = stutters ? asker.ask({ ...question, says: `${says} (at the same time)` }) : null;
  const asked = await asker.ask(question);
  const claim = told(asked);
  // Another with its key is at it: this one says nothing of its own.
  if (key !== null && asked.status === 409) claim.verdict = 'unknown';
  if (twin) auditor.answeredAgain(`order ${life.name}`, claim, asked, await twin);
  let last = asked;
  let left = again;
  // A form is an answer, though it tells nothing of money yet.
  const isOpen = (): boolean => claim.verdict === 'unknown' && !(isAnswer(last) && last.status < 300);
  for (let i = 0; key !== null && i < REPEATS && (isOpen() || left-- > 0); i++) {
    await of.sleep(40 * (i + 1));
    if ((!open() && i > 3) || !auditor.keyHolds(since)) break;
    const repeated = await asker.ask({ ...question, repeats: true, says: `${says} (again)` });
    auditor.answeredAgain(`order ${life.name}`, claim, asked, repeated);
    if (isAnswer(repeated)) last = repeated;
  }
  if (key !== null && isOpen()) of.unanswered.push({ question, claim, asked, since });
  return { asked: last, claim };
}

/** What an answer shows of the order, and what a read shows after it. */
async function look({ asker, auditor, life, headers }: Living, book: OrderBook, asked?: Asked): Promise<void> {
  if (asked && isAnswer(asked)) {
    auditor.orderShown(book, asked);
    book.id ??= (asked.body?.order_id as string | null | undefined) ?? null;
  }
  if (book.id === null) return;
  const path = `/gateway/orders/${book.id}`;
  const read = await asker.ask({ who: life.name, method: 'GET', path, headers, says: 'read' });
  if (!isAnswer(read) || read.status >= 500) return;
  if (read.status !== 200) auditor.contradicts(`${book.subject}: read ${read.status} at step ${read.step}`);
  auditor.orderShown(book, read);
}

async function begin(of: Living): Promise<OrderBook | null> {
  const { life, auditor, town } = of;
  const { by, amount, card, options, keyed, currency } = life.start;
  const tag = tagOf(of);
  const book = auditor.orderBegins(wantedOf(of, tag, amount));
  if (by === 'page' || by === 'link') return paid(of, book, tag);
  const own = card === OWN_CARD;
  const { cvv, month, year, pan } = own ? town.ownCard : { cvv: '123', month: 12, year: 2030, pan: card };
  const payout = by === 'payout';
  const type = payout ? 'credit' : 'authorize';
  const { asked } = await send(of, {
    method: 'POST',
    path: `/gateway/orders/${type}`,
    body: {
      ...common(of, tag, amount),
      pan: payout && own ? '4111111111111111' : pan,
      card: { cvv, holder: 'Ada Example', expiration_month: month, expiration_year: year },
      ...(payout ? {} : { options: { ...options, ...(own ? { force3d: 1 } : {}) } }),
    },
    says: `${type} ${amount} ${currency}`,
    key: keyOf(of, keyed, type),
    told: (answer) => auditor.orderAnswered(book, type, amount, answer),
  });
  if (!isAnswer(asked) || asked.status !== 201) {
    await look(of, book, asked);
    return book;
  }
  await look(of, book, asked);
  await challenged(of, book, asked, own ? '123456' : life.start.code);
  await look(of, book);
  return book;
}

async function challenged(of: Living, book: OrderBook, asked: Answer, code: string): Promise<void> {
  const { payer, life } = of;
  const { comesBack, keyed } = life.start;
  const form3d = asked.body?.orders?.[0]?.form3d;
  if (comesBack === 'never' || !form3d) return;
  const back = await payer.atBank(life.name, form3d, code);
  if (!back) return;
  if (comesBack === 'browser') {
    await payer.post(life.name, back);
    return;
  }
  await send(of, {
    method: 'POST',
    path: `/gateway/orders/${book.id}/complete`,
    body: { PaRes: back.fields.PaRes ?? '' },
    says: 'complete',
    key: keyOf(of, keyed, 'complete'),
    told: (answer) => looseClaim('complete', answer),
  });
}

/** An order that its customer pays on the page; of a link each customer has an order of his own. */
async function paid(of: Living, book: OrderBook, tag: string): Promise<OrderBook | null> {
  const { life } = of;
  const { start, project } = life;
  const isLink = start.by === 'link' && project === 'sandbox';
  const options = { ...start.options, return_url: 'https://shop.example/back', ...(isLink ? { static_link: 1 } : {}) };
  const { location: _, ...fields } = common(of, tag, start.amount);
  const { asked } = await send(of, {
    method: 'POST',
    path: '/gateway/orders/create',
    body: { ...fields, options },
    says: `create ${start.amount}`,
    key: keyOf(of, start.keyed, 'create'),
    told: (answer) => looseClaim('create', answer),
  });
  await look(of, book, asked);
  const url = isAnswer(asked) && asked.status === 201 ? asked.headers.get('location') : null;
  if (!url) return book;
  const typed = { number: start.card, month: '12', year: '30', cvv: '123', holder: 'Ada Example' };
  const declined = { ...typed, number: '4999991005100008' };
  if (isLink) {
    for (const form of [typed, declined, typed]) await paidByLink(of, book, tag, url, form);
    return null;
  }
  for (const form of start.comesBack === 'merchant' ? [declined, typed] : [typed]) {
    book.claim(0, 'authorize', start.amount, 'unknown', 'a form was posted');
    const step = start.comesBack === 'never' ? '/cancel' : '';
    await of.payer.pay(life.name, url, form, step);
    await look(of, book);
  }
  return book;
}

async function paidByLink(
  of: Living,
  { wanted }: OrderBook,
  tag: string,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<void> {
  const book = of.auditor.orderBegins({ ...wanted, tag: `${tag}/${of.next()}` });
  book.claim(0, 'authorize', wanted.amount, 'unknown', 'a form was posted');
  const answer = await of.payer.pay(of.life.name, url, form);
  const location = answer && isAnswer(answer) ? (answer.headers.get('location') ?? '') : '';
  book.id = /[?&]order_id=(\d+)/.exec(location)?.[1] ?? null;
  await look(of, book);
}

async function act(of: Living, book: OrderBook, wish: Act): Promise<{ asked: Asked; claim: Claim }> {
  const { amount } = wish;
  // A cancel does whichever fits; of an order that nobody has paid it moves nothing.
  const type = wish.do === 'cancel' ? 'reverse|refund' : wish.do;
  const closes = (asked: Asked): boolean => wish.do === 'cancel' && shownIn(asked)?.status === 'rejected';
  return send(of, {
    method: 'PUT',
    path: `/gateway/orders/${book.id}/${wish.do}`,
    body: amount === null ? {} : { amount },
    says: `${wish.do}${amount === null ? '' : ` ${amount}`}`,
    key: keyOf(of, wish.keyed, wish.do),
    again: wish.again,
    stutters: wish.stutters,
    told: (asked) =>
      closes(asked)
        ? { ...looseClaim(type, asked), verdict: 'refused' }
        : of.auditor.orderAnswered(book, type, amount, asked),
  });
}

/** Until it is done, or refused while nothing else is under way on the order. */
async function insist(of: Living, book: OrderBook, wish: Act): Promise<void> {
  for (let i = 0; i < 30; i++) {
    const { asked, claim } = await act(of, book, wish);
    await look(of, book, asked);
    const busy = isAnswer(asked) && asked.status === 402 && /progress/i.test(asked.body?.failure_message ?? '');
    if (claim.verdict === 'done' || (isAnswer(asked) && claim.verdict === 'refused' && !busy)) return;
    if (!of.open()) return;
    await of.sleep(150);
  }
}

/** A new order with the card of this one. */
async function another(
  of: Living,
  book: OrderBook,
  type: 'rebill' | 'credit',
  amount: string,
  keyed: boolean,
): Promise<void> {
  const tag = tagOf(of);
  const payout = type === 'credit';
  const wanted = wantedOf(of, tag, amount, {
    autoCharge: false,
    merchantInitiated: true,
    ...(payout ? { disputes: false } : {}),
  });
  const made = of.auditor.orderBegins(wanted);
  const { asked } = await send(of, {
    method: 'POST',
    path: `/gateway/orders/${book.id}/${type}`,
    body: common(of, tag, amount),
    says: `${type} ${amount}`,
    key: keyOf(of, keyed, type),
    told: (answer) => of.auditor.orderAnswered(made, payout ? 'credit' : 'authorize', amount, answer),
  });
  await look(of, made, asked);
}

/** More at once than may be paid to one card in a day. */
async function payouts(of: Living): Promise<void> {
  const { amount, card } = of.life.start;
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const tag = tagOf(of);
      const made = of.auditor.orderBegins(wantedOf(of, tag, amount, { autoCharge: false, disputes: false }));
      const { asked } = await send(of, {
        method: 'POST',
        path: '/gateway/orders/credit',
        body: { ...common(of, tag, amount), pan: card },
        says: `pay out ${amount}`,
        key: keyOf(of, true, 'payout'),
        told: (answer) => of.auditor.orderAnswered(made, 'credit', amount, answer),
      });
      await look(of, made, asked);
    }),
  );
}

async function dispute(of: Living, book: OrderBook, type: 'chargeback' | 'representment'): Promise<void> {
  const path = `/simulator/orders/${book.id}/${type}`;
  const asked = await of.asker.ask({ who: of.life.name, method: 'POST', path, headers: OPERATOR, says: type });
  of.auditor.orderAnswered(book, type, null, asked);
  await look(of, book);
}

async function move(of: Living, book: OrderBook, step: Move): Promise<void> {
  if (step.do === 'wait') return of.sleep(step.ms);
  if (step.do === 'chargeback' || step.do === 'representment') return dispute(of, book, step.do);
  if (step.do === 'rebill' || step.do === 'credit') return another(of, book, step.do, step.amount, step.keyed);
  if (step.do === 'at once') {
    await Promise.all(step.acts.map((one) => act(of, book, one)));
    return look(of, book);
  }
  const wish: Act = step as Act;
  if (wish.insists) return insist(of, book, wish);
  const { asked } = await act(of, book, wish);
  return look(of, book, asked);
}
