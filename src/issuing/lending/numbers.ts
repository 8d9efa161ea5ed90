// Blocks of numbers: lent to a tenant before he draws from them, taken back from others before he is refused.
// Rule: each step is a commit of one owner, and each can be cut off behind: a block is the tenant's when he is handed it, whether he knows of
// it yet or not, and what he gave back he draws from no more before somebody else is handed it.
import { assert } from '../../base/index.ts';
import type { Command, Need } from '../../store/index.ts';
import {
  type CardRange,
  lendableKind,
  needLendable,
  needRange,
  needRangeBlock,
  type RangeBlock,
  rangeBlockInsert,
  rangeBlockKind,
  rangeBlocksOpen,
  rangeBlockUpdate,
  rangeGet,
  rangeHasFree,
  rangeIsSpent,
  rangeKind,
  rangeUpdate,
} from '../tenants/index.ts';
import {
  blockInsert,
  blockKind,
  blockUpdate,
  type CardBlock,
  holdsNumbers,
  type NumberSource,
  needBlock,
  needNumbers,
} from './block-queries.ts';
import type { Lendable, LendingDeps } from './wanted.ts';

/** `source`: null where the profile has no range. */
export const needsOfNumber = (source: NumberSource | null): Need[] => (source ? [needNumbers(source)] : []);

/** Numbers lent at once: a range is asked for one card in so many. */
const BLOCK = 1000n;

interface Lent {
  readonly block: RangeBlock;
  readonly range: CardRange;
}

/** A block for the tenant: one that he was lent and hasn't taken, else one that came back, else a new one; null: none is left. */
const lend = ({ tenantId, range: name }: NumberSource): Command<Lent | null> => ({
  name: 'numbers.lend',
  owner: null,
  prepares: true,
  needs: [needRange(name), needLendable(name)],
  decide(loaded, { ids }) {
    const range = loaded.get(rangeKind, name);
    if (!range) return { value: null, changes: [] };
    const lendable = loaded.get(lendableKind, name) ?? [];
    const own = lendable.find(({ tenant_id }) => tenant_id === tenantId);
    if (own) return { value: { block: own, range }, changes: [] };
    const lease = { lease: ids.next(), tenant_id: tenantId, state: 'lent' } as const;
    const free = lendable.find(({ state }) => state === 'free');
    if (free) {
      const block = { ...free, ...lease };
      return { value: { block, range }, changes: [rangeBlockUpdate(block)] };
    }
    const left = range.size - range.used;
    if (left === 0n) return { value: null, changes: [] };
    const block = { range_name: name, first: range.used, size: left < BLOCK ? left : BLOCK, ...lease };
    const used = range.used + block.size;
    return { value: { block, range }, changes: [rangeUpdate({ ...range, used }), rangeBlockInsert(block)] };
  },
});

const blockFrom = ({ block, range }: Lent, tenantId: bigint): CardBlock => ({
  tenant_id: tenantId,
  lease: block.lease,
  range_name: range.name,
  brand: range.brand,
  prefix: range.prefix,
  number_length: range.number_length,
  range_size: range.size,
  first: block.first,
  size: block.size,
  used: 0n,
});

/** The tenant takes a block into use, unless he has had it before. */
const take = (lent: Lent, tenantId: bigint): Command<void> => {
  const key = { tenant_id: tenantId, lease: lent.block.lease };
  return {
    name: 'numbers.take',
    owner: tenantId,
    prepares: true,
    needs: [needBlock(key)],
    decide: (loaded) => ({
      value: undefined,
      changes: loaded.get(blockKind, key) ? [] : [blockInsert(blockFrom(lent, tenantId))],
    }),
  };
};

/** What a range knows of a block, changed as long as it is in the same hands. */
const noted = (block: RangeBlock, change: (now: RangeBlock) => readonly RangeBlock[]): Command<void> => ({
  name: 'numbers.note',
  owner: null,
  prepares: true,
  needs: [needRange(block.range_name), needRangeBlock(block)],
  decide(loaded) {
    const now = loaded.get(rangeBlockKind, block);
    const same = now?.lease === block.lease && (now.state === 'lent' || now.state === 'taken');
    const rows = same ? change(now) : [];
    return {
      value: undefined,
      changes: rows.map((row) => (row.first === block.first ? rangeBlockUpdate(row) : rangeBlockInsert(row))),
    };
  },
});

/** The tenant draws no more from a block; how many numbers of it were given out. */
const close = ({ block, range }: Lent, tenantId: bigint): Command<bigint> => {
  const key = { tenant_id: tenantId, lease: block.lease };
  return {
    name: 'numbers.close',
    owner: tenantId,
    prepares: true,
    needs: [needBlock(key)],
    decide(loaded) {
      const held = loaded.get(blockKind, key);
      // Not taken yet: it never will be.
      if (!held) return { value: 0n, changes: [blockInsert({ ...blockFrom({ block, range }, tenantId), size: 0n })] };
      return { value: held.used, changes: held.size === held.used ? [] : [blockUpdate({ ...held, size: held.used })] };
    },
  };
};

/** What is left behind the first `used` numbers is anybody's again. */
const returned =
  (used: bigint) =>
  (now: RangeBlock): readonly RangeBlock[] => {
    const rest = { ...now, first: now.first + used, size: now.size - used, tenant_id: null, state: 'free' } as const;
    if (used === 0n) return [rest];
    const spent = { ...now, size: used, state: 'spent' } as const;
    return rest.size === 0n ? [spent] : [spent, rest];
  };

async function takeBack({ committer }: LendingDeps, block: RangeBlock, range: CardRange): Promise<void> {
  const { tenant_id: tenantId } = block;
  assert(tenantId !== null, 'a block that is lent');
  const used = await committer.submit(close({ block, range }, tenantId));
  await committer.submit(noted(block, returned(used)));
}

/** Hands the tenant a block of the range; false: no number of it is left, with anybody. True may come too early: it is tried again. */
async function provide(deps: LendingDeps, source: NumberSource): Promise<boolean> {
  const { committer, db } = deps;
  if (await holdsNumbers(db, source)) return true;
  const lent = await committer.submit(lend(source));
  if (lent) {
    await committer.submit(take(lent, source.tenantId));
    await committer.submit(noted(lent.block, (now) => [{ ...now, state: 'taken' }]));
    return true;
  }
  const range = await rangeGet(db, source.range);
  if (!range) return false;
  for (const block of await rangeBlocksOpen(db, { range: range.name })) {
    await takeBack(deps, block, range);
    if (await rangeHasFree(db, range.name)) return true;
  }
  // What changed hands meanwhile stands in no list that was read: none is left when all is spent.
  return !(await rangeIsSpent(db, range.name));
}

/** Numbers of a card range. */
export const NUMBERS: Lendable<NumberSource> = {
  refusal: 'INSTRUMENT_NOT_FOUND',
  turnOf: ({ range }) => `numbers/${range}`,
  provide,
};

/** Numbers that a closed tenant hasn't given out are anybody's again. */
export async function numbersReturn(deps: LendingDeps, tenantId: bigint): Promise<void> {
  for (const block of await rangeBlocksOpen(deps.db, { tenantId })) {
    const range = await rangeGet(deps.db, block.range_name);
    if (range) await takeBack(deps, block, range);
  }
}
