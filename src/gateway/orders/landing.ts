// The browser comes back from the access control server: the story ends here, whatever was clicked. No cookie is needed: MD carries it.
import type { Returned } from '../../threeds/index.ts';
import { complete } from './complete.ts';
import { OrderNotFound } from './errors.ts';
import type { Gateway } from './gateway.ts';
import type { OrderStatus } from './model.ts';
import { returnTo } from './page.ts';
import { orderGet } from './queries.ts';

export interface Landing {
  readonly orderId: string;
  readonly status: OrderStatus;
  readonly returnUrl: string | null;
  /** The merchant finishes the order itself: the browser is posted there. */
  readonly notifyUrl: string | null;
  /** A further form for the bank, after the device-data step. */
  readonly form: string | null;
}

export async function land(gateway: Gateway, returned: Returned): Promise<Landing | null> {
  const whose = typeof returned.MD === 'string' ? gateway.threeds.ownerOf(returned.MD) : null;
  const finished = await gateway.threeds.finish(returned, null);
  if (!whose || finished.kind === 'unknown') return null;
  const project = await gateway.project(whose.owner);
  const before = await orderGet(gateway.db, whose.owner, whose.orderId);
  if (!project || !before) return null;
  const notifyUrl = before.order.options.secure3d20_return_url ?? null;
  let form: string | null = null;
  if (before.order.status === 'prepared' && notifyUrl === null && finished.kind !== 'pending') {
    const answer = await complete(gateway, { project, orderId: whose.orderId, returned, once: null }).catch(
      (error: unknown) => {
        if (error instanceof OrderNotFound) return null;
        throw error;
      },
    );
    if (answer?.status === 201)
      form = (JSON.parse(answer.body) as { orders: [{ form3d_html: string }] }).orders[0].form3d_html;
  }
  const after = (await orderGet(gateway.db, whose.owner, whose.orderId)) ?? before;
  const orderId = gateway.permutation.outward(whose.orderId);
  const { return_url } = after.order.options;
  return {
    orderId,
    status: after.order.status,
    returnUrl: return_url ? returnTo(return_url, orderId) : null,
    notifyUrl,
    form,
  };
}
