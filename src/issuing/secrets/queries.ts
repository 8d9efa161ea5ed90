// used_reveals: tokens that were used. Kept as long as a token is good.
import { type Change, type Db, follow, insert, type Kind, table } from '../../store/index.ts';

interface RevealKey {
  readonly tenantId: bigint;
  readonly tokenHash: string;
}

const usedReveals = table<{ tenant_id: bigint; token_hash: string; used_at: Date }>(
  'used_reveals',
  { tenant_id: 'int8', token_hash: 'text', used_at: 'timestamptz' },
  ['tenant_id', 'token_hash'],
);

const keyText = ({ tenantId, tokenHash }: RevealKey): string => `${tenantId}/${tokenHash}`;

/** Was the token used? Two processes at once: the key decides. */
export const revealKind: Kind<RevealKey, boolean> = {
  name: 'used_reveal',
  keyText,
  follows: [
    follow(
      usedReveals,
      ({ tenant_id, token_hash }) => keyText({ tenantId: tenant_id, tokenHash: token_hash }),
      () => true,
    ),
  ],
  async load(db, keys) {
    const rows = await db.query<{ tenant_id: bigint; token_hash: string }>(
      `select u.* from unnest($1::int8[], $2::text[]) as k(tenant_id, token_hash) join used_reveals u using (tenant_id, token_hash)`,
      [keys.map(({ tenantId }) => tenantId), keys.map(({ tokenHash }) => tokenHash)],
    );
    return new Map(rows.map((row) => [keyText({ tenantId: row.tenant_id, tokenHash: row.token_hash }), true]));
  },
};

export const revealInsert = ({ tenantId, tokenHash }: RevealKey, at: Date): Change =>
  insert(usedReveals, { tenant_id: tenantId, token_hash: tokenHash, used_at: at });

export async function revealsPurge(db: Db, before: Date): Promise<void> {
  await db.query('delete from used_reveals where used_at < $1', [before]);
}
