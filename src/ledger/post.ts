// What each successful operation does to the books: one balanced group. Pure.
// Rule: the group is the only source of an operation's cashflow; nothing of it is computed a second time (cashflow.ts reads it).
import { addDays, assert, dayOf, divideHalfEven, exponentOf, type Money } from '../base/index.ts';
import type { Change } from '../store/index.ts';
import { account } from './chart.ts';
import { feeOf, type PricedOperation, type PricingPlan, reserveOf } from './pricing.ts';
import { type Posting, postingInsert, type Subject } from './queries.ts';
import type { Rate } from './rates.ts';

export type PostedOperation = PricedOperation | 'void' | 'representment';

export interface Entry {
  readonly owner: bigint;
  readonly subject: Subject;
  readonly operationId: bigint;
  readonly operation: PostedOperation;
  /** In the order's currency. */
  readonly amount: Money;
  /** The part of the issuer's hold that begins (authorize) or ends with it. */
  readonly hold: bigint;
  readonly accounting: string;
  /** Order's currency to accounting currency; null when they are the same. */
  readonly rate: Rate | null;
  /** The accounting amount where it is not the converted one: what follows a converted charge (conversion.ts). */
  readonly accountingMinor?: bigint;
  readonly plan: PricingPlan;
  readonly cardType: string | null;
  readonly country: string | null;
  readonly link: string;
  readonly at: Date;
  /** For a void: the postings of the charge that it takes back. */
  readonly charge?: readonly Posting[];
}

export interface Posted {
  readonly postings: readonly Posting[];
  readonly changes: Change[];
}

/** Once an operation, half to even, across different numbers of decimals. */
export function convert({ minor, currency }: Money, to: string, rate: Rate | null): bigint {
  if (currency === to) return minor;
  assert(rate, 'a conversion needs a rate');
  const up = 10n ** BigInt(exponentOf(to));
  return divideHalfEven(minor * rate.micro * up, 1_000_000n * 10n ** BigInt(exponentOf(currency)));
}

/** Debit positive, credit negative; the account as `account()` names it. */
export type Line = readonly [account: string, currency: string, amount: bigint];

/** Between the order's currency and ours: each currency sums to zero over the pair's conversion account. */
function exchange(entry: Entry, orderAccount: string, accountingMinor: bigint, sign: 1n | -1n): Line[] {
  const { amount, accounting } = entry;
  if (amount.currency === accounting) return [[orderAccount, accounting, sign * accountingMinor]];
  const pair = account('fx', `${amount.currency}/${accounting}`);
  return [
    [orderAccount, amount.currency, sign * amount.minor],
    [pair, amount.currency, -sign * amount.minor],
    [pair, accounting, sign * accountingMinor],
  ];
}

const holdLines = (entry: Entry, sign: 1n | -1n): Line[] =>
  entry.hold === 0n
    ? []
    : [
        [account('hold'), entry.amount.currency, sign * entry.hold],
        [account('hold_contra'), entry.amount.currency, -sign * entry.hold],
      ];

const feeLines = (entry: Entry, fee: bigint): Line[] =>
  fee === 0n
    ? []
    : [
        [account('merchant_payable'), entry.accounting, fee],
        [account('fee_income'), entry.accounting, -fee],
      ];

type Group = (entry: Entry, converted: bigint, fee: bigint) => Line[];

const groups: Readonly<Record<PostedOperation, Group>> = {
  authorize: (entry, _, fee) => [...holdLines(entry, 1n), ...feeLines(entry, fee)],
  reverse: (entry, _, fee) => [...holdLines(entry, -1n), ...feeLines(entry, fee)],
  charge: (entry, converted, fee) => {
    const reserve = reserveOf(entry.plan, converted);
    const lines: Line[] = [
      ...holdLines(entry, -1n),
      ...exchange(entry, account('acquirer_receivable', entry.link), converted, 1n),
      [account('merchant_payable'), entry.accounting, -(converted - fee - reserve)],
    ];
    if (fee > 0n) lines.push([account('fee_income'), entry.accounting, -fee]);
    if (reserve > 0n)
      lines.push([
        account('merchant_reserve', dayOf(addDays(entry.at, entry.plan.reserve.days))),
        entry.accounting,
        -reserve,
      ]);
    return lines;
  },
  refund: (entry, converted, fee) => [
    [account('merchant_payable'), entry.accounting, converted],
    ...exchange(entry, account('refund_clearing'), converted, -1n),
    ...feeLines(entry, fee),
  ],
  credit: (entry, converted, fee) => groups.refund(entry, converted, fee),
  chargeback: (entry, converted, fee) => [
    [account('merchant_disputed'), entry.accounting, converted],
    ...exchange(entry, account('chargeback_clearing'), converted, -1n),
    ...feeLines(entry, fee),
  ],
  representment: (entry, converted) => [
    [account('merchant_disputed'), entry.accounting, -converted],
    ...exchange(entry, account('chargeback_clearing'), converted, 1n),
  ],
  void: (entry) => [
    ...holdLines(entry, -1n),
    ...(entry.charge ?? [])
      .filter((posting) => !posting.account.startsWith('hold'))
      .map((posting): Line => [posting.account, posting.currency, -posting.amount]),
  ],
};

/** The group of an operation, its balances' changes with it. Asserts that it sums to zero in each currency. */
export function postOperation(entry: Entry): Posted {
  const converted = entry.accountingMinor ?? convert(entry.amount, entry.accounting, entry.rate);
  const unpriced = entry.operation === 'void' || entry.operation === 'representment';
  const fee = unpriced
    ? 0n
    : feeOf(
        entry.plan,
        { operation: entry.operation, cardType: entry.cardType, country: entry.country },
        // A rounding's rest below zero is no amount to take a share of.
        converted < 0n ? 0n : converted,
        entry.accounting,
      );
  return posted(entry, entry.operationId, entry.operation, groups[entry.operation](entry, converted, fee));
}

interface Origin {
  readonly owner: bigint;
  readonly subject: Subject;
  readonly operationId: bigint | null;
  readonly at: Date;
}

/** A group of the caller's own lines: a room whose movements are not a merchant's. */
export const postGroup = (origin: Origin, entryId: bigint, kind: string, lines: readonly Line[]): Posted =>
  posted(
    origin,
    entryId,
    kind,
    lines.filter(([, , amount]) => amount !== 0n),
  );

function posted(origin: Origin, entryId: bigint, kind: string, lines: readonly Line[]): Posted {
  const sums = new Map<string, bigint>();
  const postings = lines.map(([name, currency, amount], line): Posting => {
    sums.set(currency, (sums.get(currency) ?? 0n) + amount);
    return {
      owner_id: origin.owner,
      entry_id: entryId,
      line,
      kind,
      subject_type: origin.subject.type,
      subject_id: origin.subject.id,
      operation_id: origin.operationId,
      account: name,
      currency,
      amount,
      created_at: origin.at,
    };
  });
  for (const sum of sums.values()) assert(sum === 0n, `the ${kind} group does not balance`);
  return { postings, changes: postings.flatMap(postingInsert) };
}

/** Clearing: what the acquirer pays (or takes back) for an operation, in the order's currency. */
export function postClearing(
  origin: Origin,
  entryId: bigint,
  operation: 'charge' | 'refund' | 'credit',
  amount: Money,
  link: string,
): Posted {
  const lines: Line[] =
    operation === 'charge'
      ? [
          [account('settlement_bank'), amount.currency, amount.minor],
          [account('acquirer_receivable', link), amount.currency, -amount.minor],
        ]
      : [
          [account('refund_clearing'), amount.currency, amount.minor],
          [account('settlement_bank'), amount.currency, -amount.minor],
        ];
  return posted(origin, entryId, 'clearing', lines);
}

/** Gives the merchant what an order's charges put into reserve. `reserved`: the reserve lines of those charges. */
export function postReserveRelease(origin: Origin, entryId: bigint, reserved: readonly Posting[]): Posted {
  const lines = reserved.flatMap((posting): Line[] => [
    [posting.account, posting.currency, -posting.amount],
    [account('merchant_payable'), posting.currency, posting.amount],
  ]);
  return posted(origin, entryId, 'reserve_release', lines);
}
