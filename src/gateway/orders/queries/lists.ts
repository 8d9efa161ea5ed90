// The lists: orders and operations, newest first, by keyset. Filters become conditions with parameters; nothing is put into SQL text
// but names from the tables below.
import type { Db } from '../../../store/index.ts';
import type { Operation, Order } from '../model.ts';
import { OPERATION_COLUMNS, ORDER_COLUMNS } from './orders.ts';

/** The row next to which a page lies: behind it (older), or with `back` before it (newer). */
export interface After {
  readonly at: Date;
  readonly id: bigint;
  readonly back: boolean;
}

export interface OrderFilter {
  readonly status?: readonly string[] | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
  readonly merchantOrderId?: readonly string[] | undefined;
  readonly cardType?: readonly string[] | undefined;
  readonly cardSubtype?: readonly string[] | undefined;
  readonly ip?: readonly string[] | undefined;
  readonly clientName?: string | undefined;
  readonly clientEmail?: string | undefined;
  readonly issuerCountry?: readonly string[] | undefined;
  readonly issuerBin?: readonly string[] | undefined;
  readonly issuerTitle?: string | undefined;
}

export interface OperationFilter {
  readonly status?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
}

/** Substrings are found whatever their case; wildcards in them are plain characters. */
const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** As an address: IPv6 has many spellings. Which a stored text is was checked when it came in. */
const ADDRESS = `nullif(split_part(o.location->>'ip', '%', 1), '')::inet`;

/** An IPv4 address and the IPv6 one that contains it are the same visitor's. */
function spellings(ip: string): string[] {
  if (!ip.includes(':')) return [ip, `::ffff:${ip}`];
  const [, high, low] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(new URL(`http://[${ip}]`).hostname) ?? [];
  const bytes = Buffer.from(`${high?.padStart(4, '0')}${low?.padStart(4, '0')}`, 'hex');
  return high && low ? [ip, bytes.join('.')] : [ip];
}

type Condition = readonly [sql: (parameter: string) => string, value: unknown];

const any =
  (column: string) =>
  (parameter: string): string =>
    `${column} = any(${parameter}::text[])`;

const orderConditions = (filter: OrderFilter): Condition[] =>
  (
    [
      [any('o.status'), filter.status],
      [(p) => `o.created_at >= ${p}`, filter.createdFrom],
      [(p) => `o.created_at <= ${p}`, filter.createdTo],
      [any('o.merchant_order_id'), filter.merchantOrderId],
      [any(`o.card->>'type'`), filter.cardType],
      [any(`o.card->>'subtype'`), filter.cardSubtype],
      [(p) => `${ADDRESS} = any(${p}::inet[])`, filter.ip?.flatMap(spellings)],
      [
        (p) => `o.client->>'name' ilike ${p}`,
        filter.clientName === undefined ? undefined : contains(filter.clientName),
      ],
      [
        (p) => `o.client->>'email' ilike ${p}`,
        filter.clientEmail === undefined ? undefined : contains(filter.clientEmail),
      ],
      [any(`o.issuer->>'country'`), filter.issuerCountry],
      [any(`o.issuer->>'bin'`), filter.issuerBin],
      [
        (p) => `o.issuer->>'title' ilike ${p}`,
        filter.issuerTitle === undefined ? undefined : contains(filter.issuerTitle),
      ],
    ] satisfies [Condition[0], unknown][]
  ).filter(([, value]) => value !== undefined);

const operationConditions = (filter: OperationFilter): Condition[] =>
  (
    [
      [any('p.status'), filter.status],
      [any('p.type'), filter.type],
      [(p) => `p.created_at >= ${p}`, filter.createdFrom],
      [(p) => `p.created_at <= ${p}`, filter.createdTo],
    ] satisfies [Condition[0], unknown][]
  ).filter(([, value]) => value !== undefined);

export interface Page {
  readonly after: After | null;
  readonly limit: number;
}

/** One row more than the page has, away from its place: pageOf makes the page of them. */
function ordering(alias: 'o' | 'p', { after, limit }: Page): string {
  const direction = after?.back ? 'asc' : 'desc';
  return `order by ${alias}.created_at ${direction}, ${alias}.id ${direction} limit ${limit + 1}`;
}

function statement(
  alias: 'o' | 'p',
  owner: bigint,
  conditions: readonly Condition[],
  after: After | null,
): { where: string; values: unknown[] } {
  const values: unknown[] = [owner];
  const parts = [`${alias}.project_id = $1`];
  for (const [sql, value] of conditions) {
    values.push(value);
    parts.push(sql(`$${values.length}`));
  }
  if (after) {
    values.push(after.at, after.id);
    const side = after.back ? '>' : '<';
    parts.push(`(${alias}.created_at, ${alias}.id) ${side} ($${values.length - 1}, $${values.length})`);
  }
  return { where: parts.join(' and '), values };
}

const VISIBLE = `p.status in ('success', 'failure', 'error') and not p.system`;

/** Where a row of a list stands. A list finds its places at once, because that may cost a look at every row, and reads them in parts. */
export type OrderPlace = Pick<Order, 'created_at' | 'id'>;
export type OperationPlace = Pick<Operation, 'created_at' | 'id' | 'order_id'>;

export async function orderPlaces(db: Db, owner: bigint, filter: OrderFilter, page: Page): Promise<OrderPlace[]> {
  const { where, values } = statement('o', owner, orderConditions(filter), page.after);
  return db.query(`select o.created_at, o.id from orders o where ${where} ${ordering('o', page)}`, values);
}

/** Those at these places that the filter still takes, newest first. */
export async function ordersAt(
  db: Db,
  owner: bigint,
  filter: OrderFilter,
  places: readonly OrderPlace[],
): Promise<Order[]> {
  const ids = places.map(({ id }) => id);
  const { where, values } = statement('o', owner, [...orderConditions(filter), [isOneOf, ids]], null);
  return db.query(`select ${ORDER_COLUMNS} from orders o where ${where} order by o.created_at desc, o.id desc`, values);
}

const isOneOf = (parameter: string): string => `o.id = any(${parameter}::int8[])`;

export async function ordersCount(db: Db, owner: bigint, filter: OrderFilter): Promise<bigint> {
  const { where, values } = statement('o', owner, orderConditions(filter), null);
  return (
    (await db.query<{ count: bigint }>(`select count(*) as count from orders o where ${where}`, values))[0]?.count ?? 0n
  );
}

export async function operationPlaces(
  db: Db,
  owner: bigint,
  filter: OperationFilter,
  page: Page,
): Promise<OperationPlace[]> {
  const { where, values } = statement('p', owner, operationConditions(filter), page.after);
  return db.query(
    `select p.created_at, p.id, p.order_id from operations p where ${where} and ${VISIBLE} ${ordering('p', page)}`,
    values,
  );
}

/** Those at these places that the filter still takes, newest first. */
export async function operationsAt(
  db: Db,
  owner: bigint,
  filter: OperationFilter,
  places: readonly OperationPlace[],
): Promise<Operation[]> {
  const { where, values } = statement('p', owner, operationConditions(filter), null);
  const [orders, ids] = [places.map(({ order_id }) => order_id), places.map(({ id }) => id)];
  const keys = `select * from unnest($${values.length + 1}::int8[], $${values.length + 2}::int8[])`;
  return db.query(
    `select ${OPERATION_COLUMNS} from operations p where ${where} and ${VISIBLE} and (p.order_id, p.id) in (${keys})
     order by p.created_at desc, p.id desc`,
    [...values, orders, ids],
  );
}

export async function operationsCount(db: Db, owner: bigint, filter: OperationFilter): Promise<bigint> {
  const { where, values } = statement('p', owner, operationConditions(filter), null);
  return (
    (
      await db.query<{ count: bigint }>(
        `select count(*) as count from operations p where ${where} and ${VISIBLE}`,
        values,
      )
    )[0]?.count ?? 0n
  );
}
