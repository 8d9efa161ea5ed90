// A soft decline (A1) of a project that steps up by itself: the same order goes on with 3-D Secure, reason soft_decline.
// Rule: the order waits as `new` in between; a crash there leaves it to its session's expiry, and no hold exists.
import type { Command, Once, StoredAnswer } from '../../store/index.ts';
import type { BrowserDetails, Started } from '../../threeds/index.ts';
import type { Project } from '../projects/index.ts';
import { orderAnswer, stateAnswer } from './answers.ts';
import { allowedBy, ask, proof } from './authenticate.ts';
import { type Gateway, terminalOf, viewOf } from './gateway.ts';
import { type OrderState, withDue } from './model.ts';
import { type Begun, carry, closedOrder, startOperation } from './operate.ts';
import { needOrder, orderKind, orderUpdate } from './queries.ts';
import { eventOf } from './settle.ts';
import { orderStates } from './states.ts';
import type { CardData } from './wire.ts';

/** What of the request goes on. */
export interface SoftDeclined {
  readonly project: Project;
  readonly card: CardData;
  readonly browser: BrowserDetails | null;
  readonly once: Once | null;
}

export async function stepUp(gateway: Gateway, request: SoftDeclined, { order }: OrderState): Promise<StoredAnswer> {
  const { project, card } = request;
  const transactionId = gateway.ids.next();
  const started = await ask(gateway, {
    project,
    merchantId: terminalOf(project, order.terminal)?.merchant_id ?? '',
    orderId: order.id,
    transactionId,
    card,
    brand: order.card?.type ?? '',
    amount: { minor: order.amount, currency: order.currency },
    forced: true,
    browser: request.browser,
    methodDone: false,
  });
  const begun = await gateway.committer.submit(secondStep(gateway, request, order.id, started, transactionId));
  return 'answer' in begun ? begun.answer : (await carry(gateway, project, begun.state, begun.operation, card)).answer;
}

function secondStep(
  gateway: Gateway,
  { project, card, once }: SoftDeclined,
  orderId: bigint,
  started: Started,
  transactionId: bigint,
): Command<Begun> {
  const need = needOrder(project.id, orderId);
  const view = viewOf(gateway, project);
  return {
    name: 'authorize.step_up',
    needs: once ? [need, gateway.once.need(project.id, once.key)] : [need],
    decide(loaded) {
      const now = gateway.clock.now();
      const state = loaded.get(orderKind, need.key) as OrderState;
      const { order } = state;
      const kept = (answer: StoredAnswer) => (once ? gateway.once.finish(loaded, project.id, once.key, answer) : []);
      if (order.status !== 'new' || order.in_flight !== null)
        return { value: { answer: stateAnswer(view, state, { isNew: true }) }, changes: [] };
      if (started.kind === 'form') {
        const secure3d = {
          reason: 'soft_decline',
          scenario: started.scenario,
          transaction_id: transactionId.toString(),
        };
        const waiting = withDue(
          {
            ...order,
            status: orderStates.move(order.status, 'challenge'),
            secure3d,
            updated_at: now,
            events: order.events + 1,
          },
          { expire: started.expiresAt },
        );
        const next = { ...state, order: waiting };
        const answer = orderAnswer(view, next, {
          status: 201,
          form: { form: { ...started.form }, html: started.html },
        });
        const cvv = card.cvv ? [gateway.vault.sealCvv(project.id, orderId, card.cvv, started.expiresAt)] : [];
        return {
          value: { answer },
          changes: [
            orderUpdate(waiting),
            ...cvv,
            ...started.changes,
            eventOf(gateway, project, order, waiting, null),
            ...kept(answer),
          ],
        };
      }
      const proven = { ...state, order: { ...order, secure3d: proof('soft_decline', started.authentication) } };
      const refuse = allowedBy(started.authentication, project, true);
      if (refuse) {
        const closed = closedOrder(gateway, project, proven, refuse, now);
        const answer = stateAnswer(view, closed.state, { isNew: true });
        return { value: { answer }, changes: [...closed.changes, ...kept(answer)] };
      }
      const begun = startOperation(
        gateway,
        proven,
        { type: 'authorize', amount: order.amount },
        { onceKey: once?.key ?? null, now },
      );
      return { value: begun, changes: begun.changes };
    },
  };
}
