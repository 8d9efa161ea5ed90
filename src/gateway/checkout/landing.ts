// The browser comes back from the access control server: the story ends here, whatever was clicked. No cookie is needed: MD carries it.
// Where it ends is a page with an address of its own (a ticket), so that a reload shows the same and posts nothing again.
import { timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../base/index.ts';
import type { Returned } from '../../threeds/index.ts';
import { complete } from '../authorization/index.ts';
import type { GatewayDeps } from '../orders/index.ts';
import type { TokenDeps } from './page-token.ts';
import { type PageView, pageView } from './page-view.ts';

/** Where the browser goes from TermUrl. */
export type Landing =
  /** To the page of this ticket. */
  | { readonly kind: 'landed'; readonly ticket: string }
  /** The merchant finishes the order itself: it is posted there with the order's id. */
  | { readonly kind: 'notify'; readonly url: string; readonly orderId: string }
  /** On to the bank, after the device-data step. */
  | { readonly kind: 'bank'; readonly form: string };

const MAC_LENGTH = 16;

const macOf = (deps: Pick<GatewayDeps, 'vault'>, ids: Buffer): Buffer =>
  deps.vault.keyed('landing', ids).subarray(0, MAC_LENGTH);

/** Owner and order as the outside knows them, and a proof that we have said so: 43 characters. */
export function ticketOf(deps: TokenDeps, owner: bigint, orderId: bigint): string {
  const ids = Buffer.alloc(16);
  ids.writeBigUInt64BE(BigInt(deps.permutation.outward(owner)));
  ids.writeBigUInt64BE(BigInt(deps.permutation.outward(orderId)), 8);
  return Buffer.concat([ids, macOf(deps, ids)]).toString('base64url');
}

/** The order that a ticket was given for; null: no ticket of ours. */
export function orderOfTicket(deps: TokenDeps, ticket: string): { owner: bigint; orderId: bigint } | null {
  if (!/^[A-Za-z0-9_-]{43}$/.test(ticket)) return null;
  const bytes = Buffer.from(ticket, 'base64url');
  const ids = bytes.subarray(0, 16);
  if (!timingSafeEqual(bytes.subarray(16), macOf(deps, ids))) return null;
  const owner = deps.permutation.inward(ids.readBigUInt64BE().toString());
  const orderId = deps.permutation.inward(ids.readBigUInt64BE(8).toString());
  return owner === null || orderId === null ? null : { owner, orderId };
}

/** What stands at the end of a challenge; null: no ticket of ours. */
export async function landingView(deps: GatewayDeps, ticket: string): Promise<PageView | null> {
  const whose = orderOfTicket(deps, ticket);
  if (!whose) return null;
  const { owner, orderId } = whose;
  const [project, state] = await Promise.all([deps.project(owner), deps.orderOf(owner, orderId)]);
  return project && state && pageView(deps, project, state);
}

/** null: the post belongs to no challenge of ours. */
export async function land(deps: GatewayDeps, returned: Returned): Promise<Landing | null> {
  const whose = typeof returned.MD === 'string' ? deps.threeds.ownerOf(returned.MD) : null;
  const finished = await deps.threeds.finish(returned, null);
  if (!whose || finished.kind === 'unknown') return null;
  const project = await deps.project(whose.owner);
  const before = await deps.orderOf(whose.owner, whose.orderId);
  if (!project || !before) return null;
  const url = before.order.options.secure3d20_return_url;
  if (url) return { kind: 'notify', url, orderId: deps.permutation.outward(whose.orderId) };
  if (before.order.status === 'prepared' && finished.kind !== 'pending') {
    const answer = await complete(deps, { project, orderId: whose.orderId, returned, once: null }).catch(
      (error: unknown) => {
        if (error instanceof Refusal && error.kind === 'not_found') return null;
        throw error;
      },
    );
    if (answer?.status === 201)
      return {
        kind: 'bank',
        form: (JSON.parse(answer.body) as { orders: [{ form3d_html: string }] }).orders[0].form3d_html,
      };
  }
  return { kind: 'landed', ticket: ticketOf(deps, whose.owner, whose.orderId) };
}
