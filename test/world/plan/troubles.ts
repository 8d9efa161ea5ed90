// What goes wrong, and when: counted in steps of the journal, so that a slow machine meets it too. Every kind must really have happened
// somewhere in thirty seeds.
import type { Dice } from './plan.ts';

export const TROUBLES = [
  'commit answer lost',
  'commit never arrives',
  'commit refused',
  'commit done, error told',
  'connections cut',
  'connections silent',
  'connections refused',
  'slow database',
  'disk full',
  'server killed',
  'server stopped',
  'server restarted',
  'postgres killed',
  'link faults',
  'clock leaps',
] as const;
export type TroubleKind = (typeof TROUBLES)[number];

export interface Trouble {
  /** The journal's step at which it comes. */
  readonly atStep: number;
  readonly kind: TroubleKind;
  /** Which server it happens to. */
  readonly server: number;
  readonly forMs: number;
  /** How many commits, or the seed of the link's faults. */
  readonly times: number;
  /** How far a clock leaps. */
  readonly by: string;
}

const LEAPS = ['1m', '11m', '31m', '2h', '26h', '3d', '8d', '31d'];

/** Often and cheap before rare and dear. */
const WEIGHTS: readonly (readonly [number, TroubleKind])[] = [
  [5, 'commit answer lost'],
  [3, 'commit never arrives'],
  [2, 'commit refused'],
  [3, 'commit done, error told'],
  [3, 'connections cut'],
  [2, 'connections silent'],
  [2, 'connections refused'],
  [2, 'slow database'],
  [2, 'disk full'],
  [3, 'server killed'],
  [1, 'server stopped'],
  [1, 'server restarted'],
  [1, 'postgres killed'],
  [5, 'link faults'],
  [5, 'clock leaps'],
];

/** What nobody else needs to survive: a second server makes room for these. */
const HEAVY = new Set<TroubleKind>(['server stopped', 'connections silent', 'postgres killed', 'server restarted']);

export function troublesOf(dice: Dice, servers: number): Trouble[] {
  let heavy = 0;
  const troubles: Trouble[] = [];
  // Now and then nothing goes wrong: then nobody has an excuse.
  const calm = dice.once(5);
  for (let i = 0; i < 7; i++) {
    const kind = calm ? 'clock leaps' : dice.weighed(WEIGHTS);
    const trouble = {
      atStep: 20 + dice.int(260),
      kind,
      server: dice.int(servers),
      forMs: 50 + dice.int(900),
      times: 1 + dice.int(3),
      by: dice.pick(LEAPS),
    };
    if (HEAVY.has(kind) && ++heavy > 1) continue;
    troubles.push(trouble);
  }
  return troubles.sort((a, b) => a.atStep - b.atStep);
}
