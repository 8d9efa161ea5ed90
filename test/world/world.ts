// One seed from its first to its last moment: the plan's people live while its troubles come, then peace, then the audit.
import { type Asked, type Asker, createAsker, isAnswer, type Question } from './asking.ts';
import { type Auditor, createAuditor } from './auditor/auditor.ts';
import { fundsOf, readFunds } from './auditor/funds.ts';
import { closeBooks } from './closing.ts';
import { createJournal, type Journal } from './journal.ts';
import { liveCard, MAIN } from './lives/cards.ts';
import { liveOrder, OPERATOR, type Unanswered } from './lives/orders.ts';
import { createPayer } from './lives/payer.ts';
import { expectsErrors } from './plan/orders.ts';
import { DAY_MS, diceOf, type Plan, planOf } from './plan/plan.ts';
import { createSessions, type Sessions } from './sessions.ts';
import type { Scene, SceneOptions, Stage } from './stage/stage.ts';
import { peace, playTroubles } from './troubles.ts';

export interface Outcome {
  readonly plan: Plan;
  readonly contradictions: readonly string[];
  readonly journal: Journal;
  readonly requests: ReadonlyMap<string, number>;
  readonly orders: number;
  readonly fired: ReadonlyMap<string, number>;
  readonly ms: number;
}

export interface World {
  readonly plan: Plan;
  readonly scene: Scene;
  readonly journal: Journal;
  readonly auditor: Auditor;
  readonly asker: Asker;
  readonly sessions: Sessions;
  readonly unanswered: Unanswered[];
  /** Entries that statements had before this world began. */
  readonly before: Map<string, number>;
  readonly stage: Stage;
  readonly fired: Map<string, number>;
  /** Something other than the clock has gone wrong by now. */
  troubled: boolean;
  /** Leaps of the clock that are under way, and when the last one ended, real time. */
  leaping: number;
  leaptAt: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export async function runSeed(stage: Stage, seed: number, options: SceneOptions = {}): Promise<Outcome> {
  const started = performance.now();
  const plan = planOf(seed);
  const journal = createJournal();
  const auditor = createAuditor();
  const scene = await stage.scene(`world_${seed}_${Math.round(started)}`, plan.servers, options);
  const dice = diceOf(seed ^ 0x5eed);
  const asker = createAsker({
    journal,
    urls: () => scene.servers.flatMap(({ url }) => url ?? []),
    pick: (n) => (n === 0 ? 0 : dice.int(n)),
    onAsked: (question, asked) => auditor.contradicts(unexpected(world, question, asked)),
  });
  const sessions = createSessions(asker);
  const world: World = {
    plan,
    scene,
    journal,
    auditor,
    asker,
    sessions,
    stage,
    unanswered: [],
    before: new Map(),
    fired: new Map(),
    troubled: false,
    leaping: 0,
    leaptAt: Number.NEGATIVE_INFINITY,
  };
  try {
    await Promise.all(scene.servers.map((server) => server.start()));
    await readClock(world);
    await readBefore(world);
    const until = performance.now() + DAY_MS;
    const street = {
      asker,
      auditor,
      payer: createPayer(asker),
      town: stage.town,
      sessions,
      unanswered: world.unanswered,
      open: () => performance.now() < until,
      sleep,
    };
    let living = true;
    const troubles = playTroubles(world, () => living);
    await Promise.all([
      ...plan.orders.map((life) => liveOrder(street, life)),
      ...plan.cards.map((life) => liveCard(street, life)),
    ]);
    living = false;
    await troubles;
    await peace(world);
    await closeBooks(world);
  } catch (error) {
    auditor.contradicts(`the world broke: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await scene.close();
  }
  return {
    plan,
    contradictions: auditor.contradictions,
    journal,
    requests: asker.tally,
    orders: auditor.orders.size,
    fired: world.fired,
    ms: performance.now() - started,
  };
}

/** What the clock shows; virtual time goes on with real time. */
export async function readClock({ asker, auditor }: World): Promise<void> {
  const answer = await asker.read({ who: 'clock', method: 'GET', path: '/simulator/clock', headers: OPERATOR });
  if (answer) auditor.timeIs(Date.parse(answer.body.now as string));
}

/** The balances that were there before, and how long their statements are. */
async function readBefore({ auditor, sessions, stage, before }: World): Promise<void> {
  const home = fundsOf(auditor.funds, 'managed_cards', stage.town.ownCard.id, 'consumer');
  home.cards.add(home.id);
  const mains = Object.entries(MAIN).map(([who, id]) =>
    fundsOf(auditor.funds, 'managed_accounts', id, who as keyof typeof MAIN),
  );
  for (const funds of [home, ...mains]) {
    const shown = await readFunds(funds, async (path) => {
      const asked = await sessions.ask(funds.who, { who: 'audit', method: 'GET', path: `/issuing${path}`, says: path });
      return isAnswer(asked) && asked.status === 200 ? asked : null;
    });
    before.set(funds.id, shown?.entries.length ?? 0);
  }
}

/** What well-formed requests are answered; 403: a session of the issuing API has ended. */
const EXPECTED = new Set([200, 201, 204, 303, 402, 403, 409, 429, 500, 503]);

/** An answer that nothing explains; null: it is as it may be. */
function unexpected(
  { plan, troubled, leaping, leaptAt }: World,
  { who, says, repeats = false, absent = false }: Question,
  asked: Asked,
): string | null {
  if (isAnswer(asked) && !EXPECTED.has(asked.status) && !(absent && asked.status === 404))
    return `${who}: ${says} was answered ${asked.status} at step ${asked.step}: ${asked.text.slice(0, 200)}`;
  const life = plan.orders.find(({ name }) => name === who);
  // A deadline on a machine that has no time is nobody's fault, nor is a request that became old while the clock leapt.
  const leapt = leaping > 0 || performance.now() - asked.ms < leaptAt;
  // What was kept may be a failure from before.
  const kept = repeats && isAnswer(asked) && asked.headers.has('idempotent-replay');
  const failed = !kept && (!isAnswer(asked) || asked.status >= 500) && asked.ms < SOONEST_DEADLINE_MS && !leapt;
  return failed && !troubled && !(life && expectsErrors(life))
    ? `${who}: ${says} was answered ${asked.status} at step ${asked.step}, while nothing was wrong`
    : null;
}

/** Whoever fails before this wasn't waiting for anything. */
const SOONEST_DEADLINE_MS = 1900;

/** What one reads of a seed that failed: what can't be true, what happened last, how to see it again. */
export function failureText({ plan, contradictions, journal }: Outcome): string {
  const about = contradictions.flatMap((text) =>
    [...text.matchAll(/\(([oc]\d+)|\b([oc]\d+)\b/g)].map((match) => (match[1] ?? match[2]) as string),
  );
  return [
    `seed ${plan.seed} (plan ${plan.hash}):`,
    ...contradictions.slice(0, 8).map((text) => `  ${text}`),
    ...(contradictions.length > 8 ? [`  … and ${contradictions.length - 8} more`] : []),
    '  the last steps, and those of what is contradicted:',
    ...journal
      .lines(12, about.slice(0, 2))
      .slice(-90)
      .map((line) => `    ${line}`),
    `  again: npm run world -- --seed ${plan.seed}`,
  ].join('\n');
}
