// One seed from its first to its last moment: the plan's people live while its troubles come, then peace, then the audit.
import { type Asker, createAsker } from './asking.ts';
import { type Auditor, createAuditor } from './auditor.ts';
import { closeBooks } from './closing.ts';
import { createJournal, type Journal } from './journal.ts';
import { liveOrder, OPERATOR } from './order-lives.ts';
import { createPayer } from './payer.ts';
import { diceOf, type Plan, planOf, TROUBLED_MS } from './plan.ts';
import type { Scene, SceneOptions, Stage } from './stage.ts';

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
  readonly stage: Stage;
  readonly fired: Map<string, number>;
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
  });
  const world: World = { plan, scene, journal, auditor, asker, stage, fired: new Map() };
  try {
    await Promise.all(scene.servers.map((server) => server.start()));
    await readClock(world);
    const until = performance.now() + TROUBLED_MS;
    const street = {
      asker,
      auditor,
      payer: createPayer(asker),
      town: stage.town,
      open: () => performance.now() < until,
      sleep,
    };
    await Promise.all(plan.orders.map((life) => liveOrder(street, life)));
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
