// Lives of orders: how each begins and what is tried on it. What is tried need not fit: a refusal is an answer, and must stay one.
import { luhnDigit } from '../../../src/base/index.ts';
import type { Dice } from './plan.ts';

export type ProjectName = 'sandbox' | 'sandbox-two' | 'world' | 'world-later';

/** What is done to an order that is there. Amounts are decimal text; null: the whole, or all that is left. */
export interface Act {
  readonly do: 'charge' | 'refund' | 'reverse' | 'cancel';
  readonly amount: string | null;
  /** Sent with an idempotency key; `again`: how often the same is repeated whatever was answered. */
  readonly keyed: boolean;
  readonly again: number;
  /** Sent twice at once with the same key. */
  readonly stutters: boolean;
  /** Repeated, under new keys, until it is done or refused for good. */
  readonly insists: boolean;
}

export type Move =
  | Act
  | { readonly do: 'at once'; readonly acts: readonly Act[] }
  | { readonly do: 'rebill' | 'credit'; readonly amount: string; readonly keyed: boolean }
  | { readonly do: 'chargeback' | 'representment' }
  | { readonly do: 'wait'; readonly ms: number };

export interface Start {
  /** `payouts`: more at once than may be paid to one card in a day. */
  readonly by: 'authorize' | 'challenge' | 'page' | 'link' | 'payout' | 'payouts';
  readonly amount: string;
  readonly currency: string;
  /** A number, or a card of our own issuer. */
  readonly card: string;
  readonly options: Readonly<Record<string, string | number>>;
  readonly keyed: boolean;
  /** What the cardholder types at the bank, and who brings it back. */
  readonly code: string;
  readonly comesBack: 'browser' | 'merchant' | 'never';
}

export interface OrderLife {
  readonly name: string;
  readonly project: ProjectName;
  readonly ip: string;
  readonly pauseMs: number;
  readonly start: Start;
  readonly moves: readonly Move[];
}

const numbered = (payload: string): string => payload + luhnDigit(payload);

export const OWN_CARD = 'own';
const GOOD = ['4111111111111111', '2222400060000007'];
/** Cards of the simulator's scheme: operation and outcome. */
const TRICKY = [
  '10910', // authorize lost before its effect, and after
  '10911',
  '10912', // slow, and twice
  '20912',
  '10913',
  '10051', // declined
  '20911', // charge lost after its effect; refused
  '20005',
  '30911', // reverse lost after
  '40911', // refund lost after, before; refused
  '40910',
  '40005',
  '70930', // charged back after settlement
].map((told) => numbered(`499999${told}0000`));

/** Outcomes of the scheme that end in no answer. */
const ERRING = /^499999\d\d91[0145]/;
/** May this life be answered 500 although nothing is wrong but its card? */
export const expectsErrors = ({ start }: OrderLife): boolean => ERRING.test(start.card);

/** Its authorizations are done at once and answered slowly: whoever is impatient takes them for lost. */
const SLOW = numbered('499999109120000');
export const slowly = (life: OrderLife): OrderLife => ({
  ...life,
  start: { ...life.start, by: 'authorize', card: SLOW, options: {} },
});

/** Gets payouts and nothing else. */
const PAID_OUT = numbered('499999500000000');

/** Minor units as the wire writes them: two decimals always. */
const CURRENCIES: readonly (readonly [number, string])[] = [
  [6, 'EUR'],
  [4, 'USD'],
  [2, 'GBP'],
  [2, 'PLN'],
  [3, 'JPY'],
  [1, 'RUB'],
];
const hasDecimals = (currency: string): boolean => currency !== 'JPY';
export const textOf = (minor: number, currency: string): string =>
  hasDecimals(currency) ? (minor / 100).toFixed(2) : `${minor}.00`;

/** Parts of a sum, each at least one, in any order. */
function split(total: number, parts: number, dice: Dice): number[] {
  const cuts = new Set<number>();
  while (cuts.size < Math.min(parts, total) - 1) cuts.add(1 + dice.int(total - 1));
  const edges = [0, ...[...cuts].sort((a, b) => a - b), total];
  return edges.slice(1).map((edge, i) => edge - (edges[i] as number));
}

const act = (dice: Dice, what: Act['do'], amount: string | null, insists = false): Act => {
  const keyed = insists || !dice.once(3);
  return { do: what, amount, keyed, again: keyed && dice.once(3) ? 1 : 0, stutters: keyed && dice.once(5), insists };
};

type Script = (dice: Dice, minor: number, currency: string) => readonly Move[];

const some = (dice: Dice, minor: number, currency: string): string => textOf(1 + dice.int(minor), currency);

const anything: Script = (dice, minor, currency) =>
  Array.from({ length: 2 + dice.int(4) }, (): Move => {
    const what = dice.pick(['charge', 'refund', 'reverse', 'cancel', 'refund', 'charge'] as const);
    const amount = what === 'reverse' || dice.once(3) ? null : some(dice, minor, currency);
    return act(dice, what, amount);
  });

/** The whole of a charge goes back in parts: the sums must come out to the cent. */
const inParts: Script = (dice, minor, currency) => {
  const charged = dice.once(3) ? 1 + dice.int(minor) : minor;
  return [
    act(dice, 'charge', charged === minor ? null : textOf(charged, currency), true),
    ...split(charged, 2 + dice.int(5), dice).map((part) => act(dice, 'refund', textOf(part, currency), true)),
  ];
};

const race: Script = (dice, minor, currency) => {
  const acts = (names: readonly Act['do'][]): Move => ({
    do: 'at once',
    acts: names.map((name) => act(dice, name, name === 'refund' ? some(dice, minor, currency) : null)),
  });
  return [
    acts(
      dice.pick([
        ['charge', 'reverse'],
        ['charge', 'charge', 'cancel'],
        ['cancel', 'reverse'],
        ['charge', 'charge'],
      ]),
    ),
    act(dice, 'charge', null),
    acts(
      dice.pick([
        ['refund', 'refund', 'refund'],
        ['refund', 'cancel'],
        ['refund', 'refund'],
      ]),
    ),
    act(dice, 'refund', null),
  ];
};

const disputed: Script = (dice, minor, currency) => [
  act(dice, 'charge', null, true),
  act(dice, 'refund', some(dice, minor, currency)),
  { do: 'chargeback' },
  act(dice, 'refund', some(dice, minor, currency)),
  { do: 'representment' },
  act(dice, 'refund', null),
];

const followed: Script = (dice, minor, currency) => [
  act(dice, 'charge', null, true),
  { do: 'rebill', amount: some(dice, minor, currency), keyed: dice.once(2) },
  { do: 'credit', amount: some(dice, minor, currency), keyed: dice.once(2) },
  act(dice, 'refund', some(dice, minor, currency)),
];

const several: Script = (dice, minor, currency) => [
  ...split(minor, 2 + dice.int(3), dice).map((part) => act(dice, 'charge', textOf(part, currency), dice.once(2))),
  act(dice, dice.pick(['reverse', 'refund'] as const), null),
];

const leftAlone: Script = () => [];

const SCRIPTS: readonly (readonly [number, Script])[] = [
  [6, inParts],
  [5, anything],
  [4, race],
  [2, disputed],
  [3, followed],
  [2, several],
  [1, leftAlone],
];

export function orderLife(index: number, dice: Dice): OrderLife {
  const by = dice.weighed([
    [12, 'authorize'],
    [3, 'challenge'],
    [3, 'page'],
    [1, 'link'],
    [1, 'payout'],
    [1, 'payouts'],
  ] as const);
  const currency = by === 'payouts' ? 'EUR' : dice.weighed(CURRENCIES);
  const minor =
    by === 'payouts'
      ? 250_000 + dice.int(200_000)
      : dice.once(6)
        ? 1 + dice.int(9)
        : 1 + dice.int(hasDecimals(currency) ? 20_000 : 9_000);
  const project = dice.weighed([
    [3, 'sandbox'],
    [1, 'sandbox-two'],
    [3, 'world'],
    [1, 'world-later'],
  ] as const);
  const card =
    by === 'payouts'
      ? PAID_OUT
      : dice.weighed([
          [6, dice.pick(GOOD)],
          [2, by === 'authorize' ? dice.pick(TRICKY) : dice.pick(GOOD)],
          [
            by === 'page' || by === 'link' ? 0 : 2,
            currency === 'EUR' || currency === 'USD' ? OWN_CARD : dice.pick(GOOD),
          ],
        ]);
  const script = dice.weighed(SCRIPTS);
  return {
    name: `o${index}`,
    project: by === 'payout' || by === 'payouts' ? 'world' : project,
    ip: `198.51.${dice.int(100)}.${1 + dice.int(250)}`,
    pauseMs: dice.pick([0, 5, 20, 60, 200]),
    start: {
      by,
      amount: textOf(minor, currency),
      currency,
      card,
      options: {
        ...(dice.once(3) && script !== inParts ? { auto_charge: 1 } : {}),
        ...(by === 'challenge' ? { force3d: 1 } : {}),
        ...(script === several && project === 'world' ? { terminal: 'several' } : {}),
      },
      keyed: dice.once(2),
      code: dice.weighed([
        [6, '1234'],
        [1, '1111'],
        [1, '2222'],
        [1, '7777'],
      ]),
      comesBack: dice.weighed([
        [4, 'browser'],
        [2, 'merchant'],
        [1, 'never'],
      ] as const),
    },
    moves: script(dice, minor, currency),
  };
}
