// Every move of a card and every state of its plastic is told: whatever is tried in whatever state, what a GET shows otherwise has its one event
// with what it shows, and what is refused has none (docs/contract/events.md#cards).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOVES } from '../../../src/issuing/life/change.ts';
import { MADE } from '../../../src/issuing/plastic/bureau.ts';
import type { Committer } from '../../../src/store/index.ts';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { customer, newCard, plasticCard, UPGRADE } from '../../support/issuing.ts';
import { differing } from '../told.ts';

interface World {
  readonly florin: TestApp;
  readonly ada: Client;
}

const ok = (reply: Reply): Reply => {
  assert.ok(reply.status < 300, reply.text);
  return reply;
};

type Step = (world: World, id: string) => Promise<Reply>;
const byUser =
  (verb: string, body: object = {}): Step =>
  ({ ada }, id) =>
    ada('POST', `/cards/${verb}/${id}`, body);
const byOperator =
  (verb: string): Step =>
  ({ florin }, id) =>
    florin.operator('POST', `/operator/cards/${id}/${verb}`, {});
const made =
  (state: string): Step =>
  ({ florin }, id) =>
    florin.operator('PUT', `/operator/cards/${id}/manufacturing`, { state });

/** What may be tried → what it is called. */
const TRIES: Readonly<Record<string, readonly [step: Step, event: string]>> = {
  ...Object.fromEntries(Object.entries(MOVES).map(([move, { event }]) => [move, [byUser(move), event]])),
  'block by the operator': [byOperator('block'), 'card.blocked'],
  'unblock by the operator': [byOperator('unblock'), 'card.unblocked'],
  upgrade: [byUser('upgrade', UPGRADE), 'card.plastic_requested'],
  activate: [byUser('activate', { activationCode: UPGRADE.activationCode }), 'card.activated'],
  'replace-damaged': [byUser('replace-damaged'), 'card.plastic_requested'],
  'replace-lost-stolen': [byUser('replace-lost-stolen'), 'card.replaced'],
  ...Object.fromEntries(Object.entries(MADE).map(([state, event]) => [`made: ${state}`, [made(state), event]])),
};

/** State → how a card comes to it. */
const STATES: Readonly<Record<string, readonly [plastic: boolean | null, ...steps: Step[]]>> = {
  virtual: [null],
  'plastic that waits': [false],
  'plastic in use': [true],
  blocked: [true, byUser('block')],
  'blocked by the operator': [null, byOperator('block')],
  lost: [true, byUser('report-lost')],
  stolen: [true, byUser('report-stolen')],
  removed: [null, byUser('remove')],
  ...Object.fromEntries(Object.keys(MADE).map((state) => [`made: ${state}`, [false, made(state)]])),
};

const shown = async ({ ada }: World, id: string): Promise<Record<string, unknown>> =>
  ok(await ada('GET', `/cards/${id}`)).body;
const toldOf = async ({ florin }: World, id: string): Promise<{ type: string; object: Record<string, unknown> }[]> =>
  (
    await florin.database.query<{ body: string }>('select body from events where body like $1 order by sequence', [
      `%"resource":{"type":"card","id":"${id}",%`,
    ])
  ).map(({ body }) => {
    const { type, data } = JSON.parse(body);
    return { type, object: data.object };
  });

/** One-time tokens are other ones with each GET. */
const TOKENS = ['cardNumber', 'cvv'];

/** What is wrong of what is told when this is tried with a card in this state; null: nothing is. */
async function wrongOf(world: World, state: string, what: string): Promise<string | null> {
  const [plastic, ...steps] = STATES[state] as (typeof STATES)[string];
  const [tried, event] = TRIES[what] as (typeof TRIES)[string];
  const { ada } = world;
  const id = plastic === null ? await newCard(ada) : await plasticCard(ada, plastic);
  for (const step of steps) ok(await step(world, id));
  const before = await shown(world, id);
  const { length: known } = await toldOf(world, id);
  const { status } = await tried(world, id);
  const after = await shown(world, id);
  const told = (await toldOf(world, id)).slice(known);
  const changed = differing(before, after, TOKENS).length > 0;
  const problem = (text: string): string => `${state}, ${what}: ${text}`;
  if (status >= 300 && changed) return problem('refused, and done');
  if (told.length !== (changed ? 1 : 0)) return problem(changed ? 'not told' : 'told, and nothing changed');
  const [one] = told;
  if (!one) return null;
  if (one.type !== event) return problem(`told as ${one.type}`);
  return differing(after, one.object, TOKENS).length > 0 ? problem('told otherwise than GET shows it') : null;
}

async function walk(world: World, states: readonly string[], tries: readonly string[]): Promise<string[]> {
  const cases = states.flatMap((state) => tries.map((what) => wrongOf(world, state, what)));
  return (await Promise.all(cases)).filter((one) => one !== null);
}

async function worldOf(options: Parameters<typeof testApp>[1] = {}): Promise<World> {
  // What the hook of all tests looks for is looked for here, and found where a bug is planted.
  const florin = await testApp({ RATE_LIMIT: 'off' }, { watch: () => undefined, ...options });
  return { florin, ada: await customer(florin) };
}

test('every move in every state: what changes is told once, what is refused is not', async () => {
  const world = await worldOf();
  const isMade = (name: string): boolean => name.startsWith('made: ');
  const [states, tries] = [Object.keys(STATES), Object.keys(TRIES)];
  assert.deepEqual(
    await walk(
      world,
      states.filter((state) => !isMade(state)),
      tries,
    ),
    [],
  );
  assert.deepEqual(await walk(world, states.filter(isMade), [...tries.filter(isMade), 'activate']), []);
  const types = await world.florin.database.query<{ type: string }>(
    `select distinct type from events where subject_type = 'card'`,
  );
  const told = new Set(types.map(({ type }) => type));
  for (const [, event] of Object.values(TRIES)) assert.ok(told.has(event), `${event} had its moment`);
});

/** Commits what a command decides, but for its events. */
const silently =
  (...names: readonly string[]) =>
  (committer: Committer): Committer => ({
    ...committer,
    submit: (command) =>
      committer.submit({
        ...command,
        decide(loaded, told) {
          const decision = command.decide(loaded, told);
          if (!names.includes(command.name)) return decision;
          const changes = decision.changes.filter(({ table }) => !['events', 'event_queue'].includes(table.name));
          return { ...decision, changes };
        },
      }),
  });

test('a move without an event is found, and a state of plastic', async () => {
  const world = await worldOf({ plant: silently('card.unblock', 'card.manufactured') });
  assert.deepEqual(await walk(world, ['blocked', 'plastic that waits'], ['unblock', 'block', 'made: DISPATCHED']), [
    'blocked, unblock: not told',
    'blocked, made: DISPATCHED: not told',
    'plastic that waits, made: DISPATCHED: not told',
  ]);
});
