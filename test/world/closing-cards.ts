// The last audit of the issuer's side: every balance is read whole, and every order that was paid with a card of ours is compared with
// what its issuer says of it.
import { type Answer, isAnswer, type Question } from './asking.ts';
import { type Funds, fundsContradict, readFunds } from './auditor/funds.ts';
import { cents, sumsOf } from './auditor/orders.ts';
import type { Listed } from './closing.ts';
import { OPERATOR } from './lives/orders.ts';
import type { CardLife } from './plan/cards.ts';
import { strangerTo, type Who } from './sessions.ts';
import type { World } from './world.ts';

export async function closeCards(world: World, orders: readonly Listed[]): Promise<void> {
  const ours = orders.filter(({ order }) => order.pan.startsWith('559999'));
  await Promise.all([
    ...[...world.auditor.funds.values()].map((funds) => fundsAgree(world, funds)),
    ...world.plan.cards.map((life) => cardOnce(world, life)),
    ...ours.map(({ order, book }) => issuerAgrees(world, order, book?.subject)),
  ]);
}

async function fundsAgree(world: World, funds: Funds): Promise<void> {
  const { auditor, before } = world;
  const shown = await readFunds(funds, (path) => read(world, funds.who, path));
  if (!shown) return auditor.contradicts(`the balance ${funds.id} can't be read`);
  for (const sentence of fundsContradict(funds, shown, before.get(funds.id) ?? 0, auditor.latest))
    auditor.contradicts(sentence);
  await strangerSeesNothing(world, funds);
}

/** Another tenant's holder is told that it isn't there, whatever has happened. */
async function strangerSeesNothing({ auditor, sessions }: World, { type, id, who }: Funds): Promise<void> {
  const path = `/issuing/${type === 'managed_cards' ? 'cards' : 'managed-accounts'}/${id}`;
  const says = 'a stranger reads';
  const asked = await sessions.ask(strangerTo(who), { who: 'audit', method: 'GET', path, says, absent: true });
  if (isAnswer(asked) && asked.status < 300)
    auditor.contradicts(`${type} ${id} of ${who} is shown to ${strangerTo(who)} at step ${asked.step}`);
}

async function read({ sessions }: World, who: Who, path: string): Promise<Answer | null> {
  const question: Question = { who: 'audit', method: 'GET', path: `/issuing${path}`, says: path };
  for (let tries = 0; tries < 20; tries++) {
    const asked = await sessions.ask(who, question);
    if (isAnswer(asked) && asked.status === 200) return asked;
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
  return null;
}

/** A card that was asked for once, under one key, is there once. */
async function cardOnce(world: World, { name, who }: CardLife): Promise<void> {
  const { auditor } = world;
  const listed = await read(world, who, `/cards?tag=${name}`);
  const count = (listed?.body.cards as unknown[] | undefined)?.length ?? -1;
  const least = auditor.cards.has(name) ? 1 : 0;
  if (count < least || count > 1)
    auditor.contradicts(`card life ${name}: asked for one card, and the list shows ${count}`);
}

interface IssuerRow {
  readonly held: number;
  readonly cleared: number;
  readonly refunded: number;
  readonly rate?: { readonly micro: string };
}

/** The card's cents; an order in another currency was converted part by part, each rounded to one of them. */
async function issuerAgrees(
  { asker, auditor }: World,
  order: Listed['order'],
  name = `order ${order.id}`,
): Promise<void> {
  const path = `/operator/orders/${order.id}/trace`;
  const answer = await asker.read({ who: 'audit', method: 'GET', path, headers: OPERATOR, says: 'trace' });
  const rows = (answer?.body.issuer ?? []) as IssuerRow[];
  const micro = Number(rows.find(({ rate }) => rate)?.rate?.micro ?? 1_000_000);
  const leeway = order.currency === 'EUR' ? 0 : order.operations.length;
  const agrees = (shown: number, wanted: number): boolean => Math.abs(shown - (wanted * micro) / 1_000_000) <= leeway;
  const sums = sumsOf(order);
  const held = rows.reduce((total, row) => total + row.held, 0);
  const net = rows.reduce((total, row) => total + row.cleared - row.refunded, 0);
  const wantedHeld = order.status === 'authorized' ? cents(order.amount) : 0;
  const wantedNet = sums.charged - sums.voided - sums.refunded - sums.credited;
  const multicapture = held > 0 && order.status === 'charged';
  const what = `${order.amount} ${order.currency}`;
  if ((!agrees(held, wantedHeld) || held > 0 !== wantedHeld > 0) && !multicapture)
    auditor.contradicts(`${name}: is ${order.status} of ${what}, and its issuer holds ${held}`);
  if (!agrees(net, wantedNet))
    auditor.contradicts(`${name}: has taken ${wantedNet / 100} of ${what}, and its issuer has paid ${net / 100}`);
}
