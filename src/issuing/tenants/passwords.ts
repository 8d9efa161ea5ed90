// Passwords of people: argon2id (RFC 9106) with the cost that OWASP's password storage page recommends.
// Rule: a comparison costs the same whether there is a password to compare with or not.
import { argon2, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../base/index.ts';

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
