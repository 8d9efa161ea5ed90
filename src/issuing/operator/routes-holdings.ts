// /operator: accounts and cards of an identity, made on its behalf. Rule: the checks are those of the identity's own requests, one by one;
// an operator gets past none of them, and sees no number, CVV or reveal token.
import Type from 'typebox';
import { Failure, Integer, type OperatorEndpoint, Optional, operatorEndpoint, Shape } from '../../http/index.ts';
import { AccountBody, accountsOf, createAccount, managedAccount } from '../accounts/index.ts';
import { cardsOf, createdCard } from '../cards/index.ts';
import { CardRequest, requestCard } from '../creation/index.ts';
import { checked } from '../fields/index.ts';
import { type Identity, identityGet, usersOf } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { Tenant } from '../tenants/index.ts';
import { aliasesOf } from '../tenants/index.ts';
import { counted, heldCard } from './answer-schemas.ts';
import type { ChangeByCommands } from './changes.ts';
import { notFound, refusing, TAG, tenantNamed, unknown, WithId, wrong } from './schemas.ts';

const Page = Shape({ offset: Optional(Integer(0, 999_999_999)), per_page: Optional(Integer(1, 1000)) });

const ANY = { type: ['null', 'boolean', 'number', 'string', 'array', 'object'], items: {} } as const;
/** Judged as the customers' own request is, so that each wrong field has the code that it has there. */
const asked = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: ANY, description });

const conflict = (codes: string) => ({
  409: { description: `A conflict as the customer's, its code first: ${codes}` },
});

const ADDRESS = { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' };

export function holdingEndpoints(
  deps: Pick<IssuingDeps, 'db' | 'permutation' | 'tenants'>,
  command: ChangeByCommands,
): OperatorEndpoint[] {
  const { db, permutation, tenants } = deps;

  async function ownerOf({ tenant: name, id: text }: { readonly tenant: string; readonly id: string }): Promise<{
    readonly tenant: Tenant;
    readonly identity: Identity;
  }> {
    const tenant = await tenants.tenant((await tenantNamed(db, name)).id);
    const id = permutation.inward(text);
    const identity = tenant && id !== null ? await identityGet(db, tenant.id, id) : null;
    if (!tenant || !identity) throw notFound('No such identity');
    return { tenant, identity };
  }
  /** A deactivated identity can't ask for anything, and nobody can on its behalf. */
  async function activeOwnerOf(path: { readonly tenant: string; readonly id: string }) {
    const owner = await ownerOf(path);
    if (!owner.identity.active) throw new Failure('conflict', { message: 'The identity is deactivated' });
    return owner;
  }
  const pageOf = ({ offset = 0, per_page = 100 }: { offset?: number | undefined; per_page?: number | undefined }) => ({
    offset,
    limit: per_page,
  });

  return [
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/identities/:id/accounts',
      operation: 'identityAccountCreate',
      summary: 'Opens a managed account of an identity',
      tag: TAG,
      right: null,
      params: WithId,
      body: asked('profileId, friendlyName, currency, tag: the body of POST /issuing/managed-accounts.'),
      example: { profileId: '1011', friendlyName: 'Travel', currency: 'EUR' },
      answers: {
        201: { description: 'The account', schema: managedAccount },
        ...unknown,
        ...conflict('PROFILE_NOT_FOUND, OWNER_IDENTITY_NOT_VERIFIED …'),
        ...wrong,
      },
      async handler(input) {
        const owner = await activeOwnerOf(input.params);
        const body = checked(AccountBody, input.body);
        const target = `${input.params.tenant}/${input.params.id}`;
        const made = await command(input, owner.tenant.id, 'account.create', target, (auditing) =>
          refusing(createAccount(auditing, owner, body, null)),
        );
        return { status: 201, body: made.body };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant/identities/:id/accounts',
      operation: 'identityAccountList',
      cost: ({ offset = 0, per_page = 100 }) => offset + per_page,
      summary: 'Lists the managed accounts of an identity with their balances, the newest first',
      tag: TAG,
      right: null,
      params: WithId,
      query: Page,
      answers: { 200: { description: 'accounts, count', schema: counted('accounts', managedAccount) }, ...unknown },
      async handler({ params, query }) {
        return { status: 200, body: await accountsOf(deps, await ownerOf(params), pageOf(query)) };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/identities/:id/cards',
      operation: 'identityCardCreate',
      summary: 'Makes a card on behalf of an identity',
      description:
        'The checks of POST /issuing/cards/request, in their order. A card whose plastic is ordered at once sends its activation code to the root user.',
      tag: TAG,
      right: null,
      params: WithId,
      body: asked("`data`: that of POST /issuing/cards/request. `type`: the identity's own when left out."),
      example: {
        data: {
          profileId: '1001',
          friendlyName: 'Travel',
          nameOnCard: 'Ada Example',
          billingAddress: ADDRESS,
          mode: 'PREPAID_MODE',
          currency: 'EUR',
        },
      },
      answers: {
        201: { description: 'The card; id besides the echo of the request', schema: createdCard },
        ...unknown,
        ...conflict('PROFILE_NOT_FOUND, IDENTITY_LIMITS_EXCEEDED …'),
        ...wrong,
      },
      async handler(input) {
        const owner = await activeOwnerOf(input.params);
        const body = checked(CardRequest, { type: owner.identity.type, ...input.body }, aliasesOf(owner.tenant));
        const user = (await usersOf(db, owner.tenant.id, owner.identity.id)).find(({ active }) => active) ?? null;
        const target = `${input.params.tenant}/${input.params.id}`;
        const made = await command(input, owner.tenant.id, 'card.create', target, (auditing) =>
          refusing(requestCard(auditing, { ...owner, user }, body, null)),
        );
        return { status: 201, body: made.body };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant/identities/:id/cards',
      operation: 'identityCardList',
      cost: ({ offset = 0, per_page = 100 }) => offset + per_page,
      summary: 'Lists the cards of an identity, the newest first, without their numbers',
      tag: TAG,
      right: null,
      params: WithId,
      query: Page,
      answers: { 200: { description: 'cards, count', schema: counted('cards', heldCard) }, ...unknown },
      async handler({ params, query }) {
        return { status: 200, body: await cardsOf(deps, await ownerOf(params), pageOf(query)) };
      },
    }),
  ];
}
