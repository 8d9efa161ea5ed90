// Troubles as they come over a world: between servers and Postgres, on the card link, to processes and to time.
// Rule: what was really met is counted, not what was meant; and all of it is over before the audit.
import { type Asked, isAnswer } from './asking.ts';
import { advance } from './closing.ts';
import { OPERATOR } from './lives/orders.ts';
import type { Trouble, TroubleKind } from './plan/troubles.ts';
import type { Server } from './stage/stage.ts';
import type { World } from './world.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

type Play = (world: World, trouble: Trouble, server: Server) => Promise<void> | void;

const onCommit =
  (fault: Parameters<Server['proxy']['failCommit']>[0]): Play =>
  ({ scene }, { times, forMs }, server) => {
    server.proxy.refuseAfterFaultMs = times > 1 ? forMs : 0;
    // The next commits of whatever server comes to one.
    for (const { proxy } of scene.servers) if (proxy !== server.proxy) proxy.refuseAfterFaultMs = 0;
    server.proxy.failCommit(fault, { times });
  };

async function setFaults({ asker }: World, body: object): Promise<Asked> {
  return asker.ask({
    who: 'link',
    method: 'PUT',
    path: '/simulator/faults',
    body,
    headers: OPERATOR,
    says: `faults ${JSON.stringify(body)}`,
  });
}

/** Down for a while, and up again. */
async function downFor(world: World, server: Server, ms: number): Promise<void> {
  await sleep(ms);
  await up(world, server);
}

/** A server that finds no database, or is killed on its way, is started again. */
export async function up({ journal }: World, server: Server): Promise<void> {
  for (let tries = 0; tries < 30 && server.url === null; tries++) {
    await server.start();
    if (server.url === null) await sleep(300);
  }
  journal.note('crew', server.url === null ? 'a server does not come up' : 'a server is up');
}

const PLAYS: Readonly<Record<TroubleKind, Play>> = {
  'commit answer lost': onCommit('answer lost'),
  'commit never arrives': onCommit('never arrived'),
  'commit refused': onCommit({ refused: '53300' }),
  'commit done, error told': onCommit({ error: '58030' }),
  'connections cut': (_, __, { proxy }) => proxy.cut(),
  'connections silent': (_, __, { proxy }) => proxy.silence(),
  async 'connections refused'(_, { forMs }, { proxy }) {
    proxy.refuse(true);
    proxy.cut();
    await sleep(forMs);
    proxy.refuse(false);
  },
  async 'slow database'({ fired }, { forMs, times }, { proxy }) {
    proxy.delayMs = 20 * times;
    await sleep(forMs);
    proxy.delayMs = 0;
    count(fired, 'slow database');
  },
  async 'disk full'({ scene }, { forMs }) {
    for (const { proxy } of scene.servers) proxy.full = true;
    await sleep(forMs);
    for (const { proxy } of scene.servers) proxy.full = false;
  },
  async 'server killed'(world, { forMs }, server) {
    if (server.url !== null) count(world.fired, 'server killed');
    await server.kill();
    await downFor(world, server, forMs / 4);
  },
  async 'server stopped'({ fired, stage }, _, server) {
    if (!server.signal('SIGSTOP')) return;
    count(fired, 'server stopped');
    await sleep(stage.leaseMs + 1500);
    server.signal('SIGCONT');
  },
  async 'server restarted'(world, _, server) {
    if (server.url === null) return;
    const code = await server.stop();
    count(world.fired, 'server restarted');
    if (code !== 0) world.auditor.contradicts(`a server ended with ${code ?? 'a kill'} after SIGTERM`);
    await up(world, server);
  },
  'postgres killed'({ fired, stage }) {
    process.kill(stage.embedded.pid, 'SIGKILL');
    count(fired, 'postgres killed');
  },
  async 'link faults'(world, { times, atStep }) {
    await setFaults(world, { seed: atStep, rate: times * 0.1 });
    count(world.fired, 'link faults');
  },
  async 'clock leaps'(world, { by }) {
    world.leaping++;
    if (await advance(world, by, performance.now() + 10_000)) count(world.fired, 'clock leaps');
    world.leaping--;
    world.leaptAt = performance.now();
  },
};

/** How the proxies call what they did. */
const PROXIED: Readonly<Record<string, TroubleKind>> = {
  'answer lost': 'commit answer lost',
  'never arrived': 'commit never arrives',
  error: 'commit done, error told',
  'rolled back': 'commit refused',
  cut: 'connections cut',
  silent: 'connections silent',
  refused: 'connections refused',
  full: 'disk full',
};

const count = (fired: Map<string, number>, kind: string, n = 1): void =>
  void fired.set(kind, (fired.get(kind) ?? 0) + n);

/** Plays the plan's troubles while `living`; resolves when they are over. */
export async function playTroubles(world: World, living: () => boolean): Promise<void> {
  const { plan, journal, scene } = world;
  const playing: Promise<void>[] = [];
  const left = [...plan.troubles];
  while (left.length > 0 && living()) {
    const [next] = left as [Trouble];
    if (journal.steps < next.atStep) {
      await sleep(10);
      continue;
    }
    left.shift();
    const server = scene.servers[next.server] as Server;
    if (next.kind !== 'clock leaps') world.troubled = true;
    journal.note('crew', `${next.kind}, server ${next.server}, ${next.forMs} ms, ${next.times}, ${next.by}`);
    playing.push(Promise.resolve(PLAYS[next.kind](world, next, server)));
  }
  await Promise.all(playing);
}

/** Nothing is broken any more, and every server is up. */
export async function peace(world: World): Promise<void> {
  const { scene, fired } = world;
  for (const { proxy } of scene.servers) {
    proxy.refuse(false);
    proxy.refuseAfterFaultMs = 0;
    proxy.delayMs = 0;
    proxy.full = false;
    proxy.failCommit('answer lost', { times: 1, when: () => false });
  }
  for (const { deaths } of scene.servers)
    for (const said of deaths) world.auditor.contradicts(`a server ended by itself with ${said.replaceAll('\n', ' ')}`);
  for (const server of scene.servers) server.signal('SIGCONT');
  await Promise.all(scene.servers.map((server) => up(world, server)));
  for (let tries = 0; tries < 100; tries++) {
    const asked = await setFaults(world, {});
    if (isAnswer(asked) && asked.status === 200) break;
    await sleep(300);
  }
  for (const { proxy } of scene.servers) for (const [name, n] of proxy.fired) count(fired, PROXIED[name] ?? name, n);
}
