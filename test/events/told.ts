// Holds what the newest event says of a resource against what a GET answers of it: at every GET of every test (docs/contract/events.md#events).
// Rule: what is found names the noun and the members, never a value.
import type { IncomingHttpHeaders } from 'node:http';
import type { Permutation } from '../../src/base/index.ts';
import type { Noun } from '../../src/events/log/catalogue.ts';
import type { Server } from '../../src/http/index.ts';
import type { Db } from '../../src/store/index.ts';

type Json = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
type Answer = any;

interface Shown {
  readonly noun: Noun;
  readonly resources: (body: Answer) => readonly Json[];
  /** Members that change by what other resources' events tell. */
  readonly beside?: readonly string[];
}

/** Money moves by purchases; number and CVV are one-time tokens, another one with each GET. */
const CARD = ['balances', 'cardNumber', 'cvv'];

/** Where a GET shows what events tell of. */
const SHOWN: Readonly<Record<string, Shown>> = {
  '/issuing/cards': { noun: 'card', resources: ({ cards }) => cards, beside: CARD },
  '/issuing/cards/:cardId': { noun: 'card', resources: (card) => [card], beside: CARD },
  '/issuing/cards/payments/:cardId': { noun: 'authorization', resources: ({ payments }) => payments },
  '/issuing/cards/wallet-tokens/:cardId': { noun: 'wallet_token', resources: ({ tokens }) => tokens },
  '/issuing/managed-accounts': { noun: 'account', resources: ({ accounts }) => accounts, beside: ['balances'] },
  '/issuing/managed-accounts/:id': { noun: 'account', resources: (account) => [account], beside: ['balances'] },
  '/issuing/identities/:identityId': { noun: 'identity', resources: (identity) => [identity] },
  '/issuing/users': { noun: 'user', resources: ({ users }) => users },
  '/issuing/users/:userId': { noun: 'user', resources: (user) => [user] },
  '/simulator/challenges': { noun: 'challenge', resources: ({ challenges }) => challenges },
  '/issuing/transfers': { noun: 'transfer', resources: ({ transfers }) => transfers },
  '/issuing/transfers/:id': { noun: 'transfer', resources: (transfer) => [transfer] },
};

/** Newest event of each resource. */
const NEWEST = `select distinct on (subject_id) subject_id, body from events
  where subject_id = any($1::int8[]) and subject_type = $2 order by subject_id, sequence desc`;

/** The objects of the newest events of these resources, by id. */
async function newestObjects(
  db: Db,
  { inward, outward }: Permutation,
  noun: Noun,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Json>> {
  const subjects = ids.map(inward).filter((id) => id !== null);
  if (subjects.length === 0) return new Map();
  const rows = await db.query<{ subject_id: bigint; body: string }>(NEWEST, [subjects, noun]);
  return new Map(rows.map(({ subject_id, body }) => [outward(subject_id), JSON.parse(body).data.object]));
}

/** The members in which they differ. */
export function differing(shown: Json, told: Json, beside: readonly string[] = []): string[] {
  return [...new Set([...Object.keys(shown), ...Object.keys(told)])].filter(
    (name) => !beside.includes(name) && JSON.stringify(shown[name]) !== JSON.stringify(told[name]),
  );
}

/** What events say otherwise than this answer of a GET. */
export async function untruths(db: Db, permutation: Permutation, route: string, body: string): Promise<string[]> {
  const of = SHOWN[route.replace(/\/$/, '')];
  if (!of) return [];
  const { noun, beside } = of;
  const resources = of.resources(JSON.parse(body));
  const newest = await newestObjects(
    db,
    permutation,
    noun,
    resources.map(({ id }) => String(id)),
  );
  const found = resources.flatMap((shown) => {
    const told = newest.get(String(shown.id));
    if (!told) return [`${noun}: no event`];
    return differing(shown, told, beside).map((name) => `${noun}: ${name} is told otherwise than GET shows it`);
  });
  return [...new Set(found)];
}

const found = new Set<string>();

/** Says what was untrue of this process's events, and turns its test file red. To be called when its servers have ended. */
export function tellUntruths(): void {
  if (found.size === 0) return;
  process.stdout.write(`Events that don't say what GET answers:\n${[...found].join('\n')}\n`);
  found.clear();
  process.exitCode = 1;
}

const AGAIN = 'x-asked-again';

/** What changes between an answer and the look at its events is asked for again: what is untrue stays so. */
const LOOKS = 3;

/** For `startApp`: every GET of this server is compared with what events say at that moment. */
export function watchEvents(server: Server, db: Db, permutation: () => Permutation): void {
  async function lookedAt(route: string, url: string, headers: IncomingHttpHeaders, body: string): Promise<void> {
    let answer = body;
    for (let look = 1; ; look++) {
      const problems = await untruths(db, permutation(), route, answer);
      if (problems.length === 0) return;
      if (look === LOOKS) {
        for (const problem of problems) found.add(`${route}: ${problem}`);
        return;
      }
      const again = await server.app.inject({ method: 'GET', url, headers: { ...headers, [AGAIN]: '1' } });
      if (again.statusCode !== 200) return;
      answer = again.body;
    }
  }
  server.app.addHook('onSend', async (request, reply, payload) => {
    const route = request.routeOptions.url ?? '';
    const asked = request.method === 'GET' && reply.statusCode === 200 && !(AGAIN in request.headers);
    // A database that is away for a while tells nothing, and is no untruth.
    if (asked && typeof payload === 'string' && route.replace(/\/$/, '') in SHOWN)
      await lookedAt(route, request.url, request.headers, payload).catch(() => undefined);
    return payload;
  });
}
