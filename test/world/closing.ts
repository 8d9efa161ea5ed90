// After the troubles: within two virtual hours and two real minutes everything must be definite, and then all books are compared.
import { EXPAND, eventsOfOrders } from '../gateway/events/truth.ts';
import { isAnswer } from './asking.ts';
import {
  type AcquirerBook,
  acquirerAgrees,
  cashflowsAgree,
  eventsAgree,
  listed,
  type PostingShown,
  type Priced,
  passagesAgree,
  payoutsAgree,
} from './auditor/ends.ts';
import type { OrderBook, OrderShown } from './auditor/orders.ts';
import { closeCards } from './closing-cards.ts';
import { merchantOf, OPERATOR } from './lives/orders.ts';
import type { ProjectName } from './plan/orders.ts';
import type { World } from './world.ts';

const LIMIT_MS = 120_000;
/** Two hours in steps, as a worker's waits grow. */
const STEPS = ['5s', '30s', '2m', '10m', '20m', '30m', '57m'];

export async function closeBooks(world: World): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  // Whoever was told nothing asks once more with his key, and again when it must be known.
  await askAgain(world, false);
  for (const by of STEPS)
    if (!(await advance(world, by, until)))
      world.auditor.contradicts("peace has come, and the clock can't be advanced");
  await askAgain(world, true);
  const all = await listOrders(world);
  await inFlight(world);
  await compare(world, all);
  await closeCards(world, all);
  await invariants(world);
}

async function askAgain({ asker, auditor, unanswered }: World, final: boolean): Promise<void> {
  for (const { question, claim, asked, since } of unanswered) {
    if (claim.verdict !== 'unknown' || !auditor.keyHolds(since)) continue;
    const again = await asker.ask({ ...question, repeats: true, says: `${question.says} (at last)` });
    auditor.answeredAgain(`order ${question.who}`, claim, asked, again);
    if (final && again.status === 409)
      auditor.contradicts(
        `order ${question.who}: ${question.says} of step ${asked.step} is still under way at step ${again.step}`,
      );
  }
}

/** Moves the clock, again and again until that is answered; false: it was not. Without an answer it may have moved. */
export async function advance(world: World, by: string, until: number): Promise<boolean> {
  const { asker, auditor } = world;
  const ms = duration(by);
  for (;;) {
    auditor.timeMayBe(auditor.latest + ms + 60_000);
    const asked = await asker.ask({
      who: 'clock',
      method: 'POST',
      path: '/simulator/clock/advance',
      body: { by },
      headers: OPERATOR,
      says: `advance ${by}`,
    });
    if (isAnswer(asked) && asked.status === 200) {
      auditor.timeIs(Date.parse(asked.body.now as string));
      return true;
    }
    if (performance.now() > until) return false;
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
export const duration = (text: string): number => Number.parseInt(text, 10) * (UNITS[text.at(-1) as string] ?? 0);

export interface Listed {
  readonly project: ProjectName;
  readonly book: OrderBook | null;
  readonly order: Priced;
  readonly step: number;
}

/** Every order that each merchant's list shows, whoever asked for it. */
async function listOrders({ asker, auditor, stage }: World): Promise<Listed[]> {
  const found: Listed[] = [];
  for (const project of Object.keys(stage.town.secrets) as ProjectName[]) {
    const path = `/gateway/orders/?expand=${EXPAND},operations.cashflow`;
    const headers = merchantOf(stage.town, project);
    const answer = await asker.read({ who: 'audit', method: 'GET', path, headers, says: `list ${project}` });
    if (answer?.status !== 200) {
      auditor.contradicts(`the orders of ${project} can't be listed: ${answer?.status ?? 'no answer'}`);
      continue;
    }
    for (const order of answer.body.orders as (Priced & { custom_fields: { life?: string } })[]) {
      const book =
        linked(auditor.orders, order, order.custom_fields.life) ?? listed(auditor, order.custom_fields.life, order);
      if (book) auditor.contradicts(book.look(order, answer.step, auditor.latest));
      found.push({ project, book, order, step: answer.step });
    }
  }
  const shown = new Set(found.map(({ order }) => order.id));
  for (const book of auditor.orders.values())
    if (book.id !== null && !shown.has(book.id)) auditor.contradicts(`${book.subject}: is not in the list`);
  return found;
}

/** Payers of one link share its tag: whose is this one? Null when it is no link's. */
function linked(orders: ReadonlyMap<string, OrderBook>, order: OrderShown, tag: string | undefined): OrderBook | null {
  const known = [...orders.values()].find(({ id }) => id === order.id);
  if (known) return known;
  return [...orders.values()].find((book) => book.id === null && book.wanted.tag.startsWith(`${tag}/`)) ?? null;
}

/** Nothing may be under way any more. */
async function inFlight({ scene, auditor }: World): Promise<void> {
  const rows = await scene.database.query<{ id: bigint; type: string; tries: number }>(
    `select o.id, p.type, p.tries from orders o join operations p on p.project_id = o.project_id and p.order_id = o.id and p.status = 'sent'`,
  );
  for (const { type, tries } of rows)
    auditor.contradicts(`a ${type} is still under way after two hours of peace, tried ${tries} times`);
}

async function compare(world: World, all: readonly Listed[]): Promise<void> {
  const { asker, auditor, scene } = world;
  const answer = await asker.read({ who: 'audit', method: 'GET', path: '/simulator/books', headers: OPERATOR });
  const books = new Map<string, AcquirerBook>();
  for (const { order_id, ...book } of (answer?.body.books ?? []) as (Record<string, string> & { order_id: string })[])
    books.set(
      order_id,
      Object.fromEntries(
        Object.entries(book).map(([name, value]) => [name, name === 'currency' ? value : Number(value)]),
      ) as never,
    );
  const events = await eventsOfOrders(scene);
  const subjectOf = ({ book, order }: Pick<Listed, 'book' | 'order'>): string => book?.subject ?? `order ${order.id}`;
  const cleared = all.filter(({ order }) => order.operations.some(({ arn }) => arn));
  await Promise.all(cleared.map((one) => passages(world, subjectOf(one), one.order.id)));
  for (const { book, order } of all) {
    const subject = subjectOf({ book, order });
    auditor.contradicts(acquirerAgrees(subject, order, books.get(order.id) ?? null));
    auditor.contradicts(cashflowsAgree(subject, order));
    auditor.contradicts(eventsAgree(subject, order, book?.seen ?? new Set(), events.get(order.id) ?? []));
  }
  for (const orders of Map.groupBy(all, ({ project }) => project).values())
    for (const sentence of payoutsAgree(orders.map(({ order }) => order))) auditor.contradicts(sentence);
  const shown = new Set(all.map(({ order }) => order.id));
  for (const id of books.keys())
    if (!shown.has(id)) auditor.contradicts(`the acquirer has an order ${id} that no merchant has`);
}

/** The ledger of an order that was cleared, as the operator sees it. */
async function passages({ asker, auditor }: World, subject: string, id: string): Promise<void> {
  const path = `/operator/orders/${id}/trace`;
  const answer = await asker.read({ who: 'audit', method: 'GET', path, headers: OPERATOR, says: 'trace' });
  auditor.contradicts(passagesAgree(subject, (answer?.body.postings ?? []) as PostingShown[]));
}

async function invariants({ asker, auditor }: World): Promise<void> {
  const answer = await asker.read({
    who: 'audit',
    method: 'GET',
    path: '/operator/invariants?full=true',
    headers: OPERATOR,
  });
  const checks = (answer?.body.checks ?? []) as { id: string; ok: boolean; violations: unknown[] }[];
  if (checks.length === 0) auditor.contradicts(`the invariants can't be read: ${answer?.status ?? 'no answer'}`);
  for (const { id, ok, violations } of checks)
    if (!ok) auditor.contradicts(`the invariant ${id} is violated: ${JSON.stringify(violations).slice(0, 300)}`);
}
