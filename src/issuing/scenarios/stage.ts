// Sets the stage: sessions of the sandbox's users, and cards in the states that errors need. Cards are kept from one call to the next as
// long as they are still in their state. Rule: only through the use cases that the API has.
import { type Session, sessionCreate } from '../access/index.ts';
import { type Asker, activateCard, type Card, cardGet, changeCard, createCard, upgradeCard } from '../cards/index.ts';
import type { Issuer } from '../issuer/index.ts';
import { openHolds } from '../rules/index.ts';
import { fixedId, sandboxTenantId, sandboxUsers } from '../tenants/index.ts';
import { address, goodCard } from './creation.ts';

export const SECRET = 'sandbox-secret';
const ACTIVATION_CODE = '004711';

const STAGED = ['virtual', 'blocked', 'destroyed', 'lost', 'ordered', 'activated', 'debit'] as const;
export type StagedCard = (typeof STAGED)[number];

export interface Stage {
  readonly token: (email: string) => Promise<string>;
  /** A session that began so long ago. */
  readonly oldToken: (email: string, ageMs: number) => Promise<string>;
  readonly session: (email: string) => Promise<Session>;
  readonly card: (state: StagedCard) => Promise<string>;
}

/** Cards of earlier calls, by the process that made them. */
const kept = new WeakMap<object, Map<StagedCard, bigint>>();

export function stageFor(issuer: Issuer): Stage {
  const { permutation } = issuer;
  const tenantId = sandboxTenantId(permutation, 'sandbox');
  const known = kept.get(issuer) ?? new Map<StagedCard, bigint>();
  kept.set(issuer, known);

  async function userOf(email: string) {
    const fixed = sandboxUsers.find((user) => user.email === email);
    const user = fixed && (await issuer.tenants.user(tenantId, fixedId(permutation, fixed.id)));
    if (!user) throw new Error(`the sandbox has no ${email}`);
    return user;
  }

  async function session(email: string): Promise<Session> {
    const user = await userOf(email);
    const [tenant, identity] = await Promise.all([
      issuer.tenants.tenant(tenantId),
      issuer.tenants.identity(tenantId, user.identity_id),
    ]);
    if (!tenant || !identity) throw new Error('the sandbox is not whole');
    return { tenant, identity, user, tokenHash: '', steppedUp: false };
  }

  async function madeCard(state: StagedCard): Promise<bigint> {
    const of = await session('consumer@sandbox.test');
    const asker: Asker = { tenantId, identityId: of.identity.id };
    const data = {
      ...goodCard,
      ...(state === 'debit' ? { profileId: '1002', mode: 'DEBIT_MODE', parentManagedAccountId: '2001' } : {}),
    };
    const made = await createCard(issuer, of, { type: 'consumer', data } as never, null);
    const id = fixedId(permutation, (JSON.parse(made.body ?? '{}') as { id: string }).id);
    const view = (): object => ({});
    if (state === 'ordered' || state === 'activated' || state === 'lost') {
      const card = await cardGet(issuer.db, tenantId, id);
      const profile = card && (await issuer.tenants.profile(tenantId, card.profile_id));
      const order = {
        activationCode: ACTIVATION_CODE,
        productReference: 'FLORIN-STANDARD',
        carrierType: 'FLORIN-CARRIER',
        deliveryMethod: 'STANDARD_DELIVERY',
        deliveryAddress: { name: 'Ada', surname: 'Example', ...address },
      } as const;
      await upgradeCard(issuer, asker, id, () => profile, order, view, null);
    }
    if (state === 'activated') await activateCard(issuer, asker, id, ACTIVATION_CODE, view, openHolds, null);
    if (state === 'blocked') await changeCard(issuer, asker, id, 'block', openHolds, null);
    if (state === 'destroyed') await changeCard(issuer, asker, id, 'remove', openHolds, null);
    if (state === 'lost') await changeCard(issuer, asker, id, 'report-lost', openHolds, null);
    return id;
  }

  return {
    session,
    token: async (email) => sessionCreate(issuer, await userOf(email)),
    oldToken: async (email, ageMs) => sessionCreate(issuer, await userOf(email), ageMs),
    async card(state) {
      const id = known.get(state);
      const card = id === undefined ? null : await cardGet(issuer.db, tenantId, id);
      const usable = card && FITS[state](card) ? card.id : await madeCard(state);
      known.set(state, usable);
      return permutation.outward(usable);
    },
  };
}

/** Is a card of an earlier call still in the state that it was made for? */
const FITS: Readonly<Record<StagedCard, (card: Card) => boolean>> = {
  virtual: ({ state, details }) => state === 'ACTIVE' && details.physical === null,
  debit: ({ state, mode }) => state === 'ACTIVE' && mode === 'DEBIT_MODE',
  blocked: ({ state, blocks }) => state === 'BLOCKED' && blocks.includes('USER'),
  destroyed: ({ state }) => state === 'DESTROYED',
  lost: ({ blocks, state }) => state === 'BLOCKED' && blocks.includes('LOST'),
  ordered: ({ state, details: { physical } }) =>
    state === 'ACTIVE' && physical?.pendingActivation === true && physical.wrongActivationCodes < 3,
  activated: ({ state, details: { physical } }) => state === 'ACTIVE' && physical?.pendingActivation === false,
};
