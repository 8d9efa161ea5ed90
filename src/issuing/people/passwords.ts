// Passwords of people: argon2id (RFC 9106) with the cost that OWASP's password storage page recommends.
// Rule: a comparison costs the same whether there is a password to compare with or not, the wait for its turn included; what one tenant
// has compared costs the others no more than a moment.
import { argon2, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Clock, createTurns, type Random } from '../../base/index.ts';

/** Salt and hash as base64, and the cost they were made with. */
export interface Password {
  readonly salt: string;
  readonly hash: string;
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
}

const COST = { memory: 19_456, passes: 2 } as const;
const DECOY: Password = {
  salt: Buffer.alloc(16).toString('base64'),
  hash: Buffer.alloc(32).toString('base64'),
  ...COST,
};

const hashed = (password: string, { salt, memory, passes }: Omit<Password, 'hash'>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parameters = {
      message: Buffer.from(password),
      nonce: Buffer.from(salt, 'base64'),
      parallelism: 1,
      tagLength: 32,
      memory,
      passes,
    };
    argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)));
  });

export async function passwordFrom(random: Random, password: string): Promise<Password> {
  const kept = { salt: random.bytes(16).toString('base64'), ...COST };
  return { ...kept, hash: (await hashed(password, kept)).toString('base64') };
}

/** In constant time; null never matches. */
export async function passwordMatches(kept: Password | null, given: string): Promise<boolean> {
  const compared = kept ?? DECOY;
  const same = timingSafeEqual(await hashed(given, compared), Buffer.from(compared.hash, 'base64'));
  return same && kept !== null;
}

/** Each waits for its tenant's turn; all throw Busy where too many of that tenant wait already. */
export interface Passwords {
  from(tenantId: bigint, password: string): Promise<Password>;
  /** In constant time; null never matches. */
  matches(tenantId: bigint, kept: Password | null, given: string): Promise<boolean>;
  /** The password to be kept for `given`; null when it is one of those that the user has or had. */
  another(tenantId: bigint, kept: readonly Password[], given: string): Promise<Password | null>;
}

/** A hash takes a core for a twentieth of a second: most cores stay with the payments, and threads of the pool with everything else. */
const hashesAtOnce = (cores: number): number => Math.min(3, Math.max(1, Math.floor(cores / 2) - 1));

/** What waits longer than a person does is refused. */
const LONGEST_WAIT_MS = 20_000;
const MOST_OF_TENANT = 64;

export function createPasswords({ clock, random }: { readonly clock: Clock; readonly random: Random }): Passwords {
  const most = hashesAtOnce(availableParallelism());
  const turns = createTurns({
    clock,
    shares: { atOnce: most, perOwner: most, perThrough: most, perOwnerThrough: most },
    mostOfOwner: MOST_OF_TENANT,
    longestWaitMs: LONGEST_WAIT_MS,
    crowded: () => false,
    rest: 0,
  });
  const turn = <Value>(tenantId: bigint, work: () => Promise<Value>): Promise<Value> =>
    turns.run({ owner: tenantId.toString(), long: false, work });
  const from: Passwords['from'] = (tenantId, password) => turn(tenantId, () => passwordFrom(random, password));
  const matches: Passwords['matches'] = (tenantId, kept, given) => turn(tenantId, () => passwordMatches(kept, given));
  return {
    from,
    matches,
    async another(tenantId, kept, given) {
      // A turn for each, one after the other: whoever changes a password takes no more of the queue at once than who logs in.
      for (const one of kept) if (await matches(tenantId, one, given)) return null;
      return from(tenantId, given);
    },
  };
}
