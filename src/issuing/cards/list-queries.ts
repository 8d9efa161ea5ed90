// GET /cards.
import type { Db } from '../../store/index.ts';
import type { Card } from './model.ts';

export interface CardFilter {
  readonly identityId: bigint;
  readonly profileId: bigint | null;
  readonly parentId: bigint | null;
  readonly state: string | null;
  readonly mode: string | null;
  readonly type: string | null;
  readonly currency: string | null;
  readonly tag: string | null;
  readonly friendlyName: string | null;
  readonly externalHandle: string | null;
  readonly firstSix: string | null;
  readonly lastFour: string | null;
  readonly createdFrom: Date | null;
  readonly createdTo: Date | null;
}

/** No filter but whose cards they are. */
export const EVERY_CARD: Omit<CardFilter, 'identityId'> = {
  profileId: null,
  parentId: null,
  state: null,
  mode: null,
  type: null,
  currency: null,
  tag: null,
  friendlyName: null,
  externalHandle: null,
  firstSix: null,
  lastFour: null,
  createdFrom: null,
  createdTo: null,
};

/** filter → the condition that it adds; only those that were asked for stand in the statement, so that each finds its index. */
const CONDITIONS: Readonly<Record<Exclude<keyof CardFilter, 'identityId'>, string>> = {
  profileId: 'profile_id = ?',
  parentId: 'parent_account_id = ?',
  state: 'state = ?',
  mode: 'mode = ?',
  type: 'type = ?',
  currency: 'currency = ?',
  tag: 'tag = ?',
  friendlyName: 'friendly_name = ?',
  externalHandle: "details->>'externalHandle' = ?",
  firstSix: 'first_six = ?',
  lastFour: 'last_four = ?',
  createdFrom: 'created_at >= ?',
  createdTo: 'created_at <= ?',
};

/** The newest first, and how many there are. */
export async function cardsList(
  db: Db,
  tenantId: bigint,
  { identityId, ...filter }: CardFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly cards: Card[]; readonly count: number }> {
  const values: unknown[] = [tenantId, identityId];
  const conditions = ['tenant_id = $1', 'identity_id = $2'];
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = filter[name as keyof typeof filter];
    if (value === null) continue;
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  }
  const where = conditions.join(' and ');
  const page = `offset $${values.length + 1} limit $${values.length + 2}`;
  const [cards, counted] = await Promise.all([
    db.query<Card>(`select * from cards where ${where} order by id desc ${page}`, [...values, offset, limit]),
    db.query<{ count: bigint }>(`select count(*) as count from cards where ${where}`, values),
  ]);
  return { cards, count: Number(counted[0]?.count ?? 0n) };
}
