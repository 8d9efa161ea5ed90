// Holds that end by themselves, and payments whose tenant was being asked when the process that asked went.
// Rule: each ends once, whoever finds it due first.
import { addMs } from '../../base/index.ts';
import type { DueItem, Timeline } from '../../store/index.ts';
import {
  type AuthorizationDue,
  authorizationsExpired,
  authorizationsPending,
  nextExpiryAt,
} from '../payments/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { expire } from './follow-up.ts';
import { concludeByDefault } from './forwarded.ts';

/** Longer than asking may take: whoever asked is gone. */
const PENDING_MS = 10_000;

const itemsOf = (rows: readonly AuthorizationDue[]): DueItem[] => rows.map((row) => ({ ...row, through: null }));

const OF_AUTHORIZATIONS = { about: 'authorization', owners: 'tenant' } as const;

export const authorizationTimelines = (deps: IssuingDeps): Timeline[] => [
  {
    ...OF_AUTHORIZATIONS,
    nextDueAt: nextExpiryAt,
    due: async (db, now, limit, except) => itemsOf(await authorizationsExpired(db, now, limit, except)),
    run: async ({ owner, id }) => void (await expire(deps, owner, id, 'due')),
  },
  {
    ...OF_AUTHORIZATIONS,
    nextDueAt: () => Promise.resolve(null),
    due: async (db, now, limit, except) =>
      itemsOf(await authorizationsPending(db, { now, before: addMs(now, -PENDING_MS) }, limit, except)),
    run: async ({ owner, id }) => void (await concludeByDefault(deps, owner, id)),
  },
];
