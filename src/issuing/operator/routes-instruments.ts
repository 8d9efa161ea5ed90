// /operator: what an operator does to cards and accounts: blocks that their owners can't lift, the bureau's word, and in the sandbox the
// number of a card.
import Type from 'typebox';
import { Choice, Digits, type OperatorEndpoint, Optional, operatorEndpoint, Shape, Text } from '../../http/index.ts';
import { accountOwner, changeAccount } from '../accounts/index.ts';
import { attachedCards, type Card, cardAnywhere, MANUFACTURING_STATES, mmyy } from '../cards/index.ts';
import { changeCard } from '../life/index.ts';
import { manufactured } from '../plastic/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { openHolds } from '../rules/index.ts';
import { clearValues } from '../secrets/index.ts';
import { cardNumber } from './answer-schemas.ts';
import type { ChangeByCommands } from './changes.ts';
import { notFound, refusing, TAG, unknown } from './schemas.ts';

const ById = Type.Object({ id: Digits({ max: 20 }) });

export function instrumentEndpoints(
  { db, permutation, sandbox }: Pick<IssuingDeps, 'db' | 'permutation' | 'sandbox'>,
  command: ChangeByCommands,
): OperatorEndpoint[] {
  async function cardOf(text: string): Promise<Card> {
    const id = permutation.inward(text);
    const card = id === null ? null : await cardAnywhere(db, id);
    if (!card) throw notFound('No such card');
    return card;
  }
  const conflict = { 409: { description: 'The state does not allow it' } } as const;

  return [
    ...(['block', 'unblock'] as const).map((move) =>
      operatorEndpoint({
        method: 'POST',
        path: `/cards/:id/${move}`,
        operation: `operatorCard_${move}`,
        summary:
          move === 'block'
            ? 'Blocks a card; its user cannot unblock it'
            : 'Lifts the block of the operator, and that of the CVV after three wrong ones',
        tag: TAG,
        right: null,
        params: ById,
        answers: { 204: { description: 'Done' }, ...unknown, ...conflict },
        async handler(input) {
          const card = await cardOf(input.params.id);
          const asker = { tenantId: card.tenant_id, identityId: null };
          await command(input, card.tenant_id, `card.${move}`, input.params.id, (auditing) =>
            refusing(changeCard(auditing, asker, card.id, move, openHolds, null)),
          );
          return { status: 204, body: null };
        },
      }),
    ),
    ...(['block', 'unblock'] as const).map((move) =>
      operatorEndpoint({
        method: 'POST',
        path: `/managed-accounts/:id/${move}`,
        operation: `operatorAccount_${move}`,
        summary: move === 'block' ? 'Blocks an account; its user cannot unblock it' : 'Lifts the block of the operator',
        tag: TAG,
        right: null,
        params: ById,
        answers: { 204: { description: 'Done' }, ...unknown, ...conflict },
        async handler(input) {
          const id = permutation.inward(input.params.id);
          const tenantId = id === null ? null : await accountOwner(db, id);
          if (id === null || tenantId === null) throw notFound('No such account');
          await command(input, tenantId, `account.${move}`, input.params.id, (auditing) =>
            refusing(changeAccount(auditing, { tenantId, identityId: null }, id, move, attachedCards, null)),
          );
          return { status: 204, body: null };
        },
      }),
    ),
    operatorEndpoint({
      method: 'PUT',
      path: '/cards/:id/manufacturing',
      operation: 'cardManufacturing',
      summary: 'What the bureau reports of a physical card',
      tag: TAG,
      right: null,
      params: ById,
      body: Shape({
        state: Choice(MANUFACTURING_STATES),
        deliveryTrackingCode: Optional(Text({ max: 100 })),
        deliveryTrackingMethod: Optional(Text({ max: 50 })),
      }),
      answers: { 204: { description: 'Noted' }, ...unknown, ...conflict },
      async handler(input) {
        const card = await cardOf(input.params.id);
        await command(input, card.tenant_id, 'card.manufacturing', input.params.id, (auditing) =>
          refusing(manufactured(auditing, card.tenant_id, card.id, input.body)),
        );
        return { status: 204, body: null };
      },
    }),
    ...(sandbox
      ? [
          operatorEndpoint({
            method: 'GET',
            path: '/cards/:id/number',
            operation: 'cardNumber',
            summary: 'Number, CVV and expiry of a card; sandbox mode only, audited',
            tag: TAG,
            right: null,
            params: ById,
            answers: { 200: { description: 'number, cvv, expiryMmyy', schema: cardNumber }, ...unknown },
            async handler(input) {
              const card = await cardOf(input.params.id);
              const values = await command(input, card.tenant_id, 'card.number', input.params.id, (auditing) =>
                clearValues(auditing, card),
              );
              const { number, cvv, pin } = values;
              const plastic = card.details.physical ? { pin } : {};
              return { status: 200, body: { number, cvv, expiryMmyy: mmyy(card.expires), ...plastic } };
            },
          }),
        ]
      : []),
  ];
}
