// The last audit of the issuer's side: every balance is read whole, and every order that was paid with a card of ours is compared with
// what its issuer says of it.
import { type Answer, isAnswer, type Question } from './asking.ts';
import { type Funds, fundsContradict, readFunds } from './auditor-funds.ts';
import { cents, sumsOf } from './auditor-orders.ts';
import type { Listed } from './closing.ts';
import { OPERATOR } from './order-lives.ts';
import type { CardLife } from './plan-cards.ts';
import type { Who } from './sessions.ts';
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

/** Minor units of EUR; in another currency only whether something is held. */
async function issuerAgrees(
  { asker, auditor }: World,
  order: Listed['order'],
  name = `order ${order.id}`,
): Promise<void> {
  const path = `/operator/orders/${order.id}/trace`;
  const answer = await asker.read({ who: 'audit', method: 'GET', path, headers: OPERATOR, says: 'trace' });
  const rows = (answer?.body.issuer ?? []) as { held: number; cleared: number; refunded: number }[];
  const sum = (pick: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((total, row) => total + pick(row), 0);
  const sums = sumsOf(order);
  const held = sum((row) => row.held);
  const net = sum((row) => row.cleared - row.refunded);
  const wantedHeld = order.status === 'authorized' ? cents(order.amount) : 0;
  const wantedNet = sums.charged - sums.voided - sums.refunded - sums.credited;
  const multicapture = held > 0 && order.status === 'charged';
  if (order.currency === 'EUR' && held !== wantedHeld && !multicapture)
    auditor.contradicts(`${name}: is ${order.status} of ${order.amount}, and its issuer holds ${held}`);
  if (order.currency === 'EUR' && net !== wantedNet)
    auditor.contradicts(`${name}: has taken ${wantedNet / 100}, and its issuer has paid ${net / 100}`);
  if (order.currency !== 'EUR' && held > 0 !== wantedHeld > 0 && !multicapture)
    auditor.contradicts(`${name}: is ${order.status}, and its issuer holds ${held}`);
}
