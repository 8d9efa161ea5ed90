// The token in the address of a payment page: whose page it is, and nothing that could be guessed. Rule: only its keyed hash is stored.
import type { GatewayDeps } from '../orders/index.ts';

/** What the tokens in addresses are made and read with: ids as clients see them, and a key. */
export type TokenDeps = Pick<GatewayDeps, 'permutation' | 'vault'>;

/** A page token: the owner, then 128 random bits; only its keyed hash is stored. */
export function newPageToken(deps: Pick<GatewayDeps, 'permutation' | 'random'>, owner: bigint): string {
  const token = Buffer.alloc(24);
  token.writeBigUInt64BE(BigInt(deps.permutation.outward(owner)));
  deps.random.bytes(16).copy(token, 8);
  return token.toString('base64url');
}

export const pageTokenHash = (deps: Pick<GatewayDeps, 'vault'>, token: string): string =>
  deps.vault.keyed('page-token', token).toString('hex');

/** The owner that a page token carries; null when it is no token in form. */
export function pageTokenOwner(deps: Pick<GatewayDeps, 'permutation'>, token: string): bigint | null {
  if (!/^[A-Za-z0-9_-]{32}$/.test(token)) return null;
  return deps.permutation.inward(Buffer.from(token, 'base64url').readBigUInt64BE().toString());
}

function keyedPageToken(deps: TokenDeps, owner: bigint, purpose: string, text: string): string {
  const token = Buffer.alloc(24);
  token.writeBigUInt64BE(BigInt(deps.permutation.outward(owner)));
  deps.vault.keyed(purpose, text).copy(token, 8, 0, 16);
  return token.toString('base64url');
}

/** The page of who pays by a link that is for many: the same for the same form, so that a form sent twice is one order. */
export const ownPageToken = (deps: TokenDeps, owner: bigint, link: string, form: string): string =>
  keyedPageToken(deps, owner, 'own-page', `${link}/${form}`);

/** The page of an order that a repeated create finds again: its address is told every time, though only its hash is stored. */
export const repeatablePageToken = (deps: TokenDeps, owner: bigint, orderId: bigint): string =>
  keyedPageToken(deps, owner, 'page-of-order', orderId.toString());
