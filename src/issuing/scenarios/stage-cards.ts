// The cards of the stage: what each is asked for with, what then happens to it, and whether it still is what it was made for.
// Rule: a card is known by its tag, so that a server that starts again finds those of the one before.
import { Pan } from '../../base/index.ts';
import type { Session } from '../access/index.ts';
import { fundsOf } from '../accounts/index.ts';
import { type Authorizer, merchantWire, presenting } from '../authorization/index.ts';
import { type Asker, type Card, cardGet, cardsList, EVERY_CARD } from '../cards/index.ts';
import { createCard } from '../creation/index.ts';
import { changeCard } from '../life/index.ts';
import { activateCard, replaceCard, upgradeCard } from '../plastic/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { openHolds } from '../rules/index.ts';
import { clearValues } from '../secrets/index.ts';
import { fixedId } from '../tenants/index.ts';
import { moveToken, requestToken, walletTokensOf } from '../tokens/index.ts';
import { transfer } from '../transfers/index.ts';
import { address, goodCard } from './creation.ts';

export const ACTIVATION_CODE = '004711';
export const ORDER = {
  activationCode: ACTIVATION_CODE,
  productReference: 'FLORIN-STANDARD',
  carrierType: 'FLORIN-CARRIER',
  deliveryMethod: 'STANDARD_DELIVERY',
  deliveryAddress: { name: 'Ada', surname: 'Example', ...address },
} as const;

type Step = 'order' | 'activate' | 'block' | 'remove' | 'report-lost' | 'replace' | 'fund' | 'block-pin';

interface Made {
  /** Whose it is; the first consumer's unless told. */
  readonly email?: string;
  /** Fields of `data` on top of a good request. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly steps?: readonly Step[];
}

const isVirtual = ({ state, details }: Card): boolean => state === 'ACTIVE' && details.physical === null;
const isActive = ({ state }: Card): boolean => state === 'ACTIVE';

/** A card by what is told of it: how it is made, and whether one still is so. */
const STAGED = {
  virtual: [{}, isVirtual],
  plain: [{ data: { profileId: '1006' } }, isActive],
  bySms: [{ data: { profileId: '1009', cardholderMobileNumber: '+35699000001' } }, isActive],
  artless: [{ data: { profileId: '1010' } }, isActive],
  small: [{ email: 'small@sandbox.test', data: { profileId: '1021' } }, isActive],
  byPostOnly: [{ data: { profileId: '1014' } }, isVirtual],
  withoutPush: [
    { data: { digitalWallets: { walletsEnabled: true } } },
    ({ state, details }) => state === 'ACTIVE' && !details.digitalWallets.pushProvisioningEnabled,
  ],
  debit: [{ data: { profileId: '1002', mode: 'DEBIT_MODE', parentManagedAccountId: '2001' } }, isActive],
  funded: [{ steps: ['fund'] }, (card, actual) => isVirtual(card) && actual > 0n],
  blocked: [{ steps: ['block'] }, ({ state, blocks }) => state === 'BLOCKED' && blocks.includes('USER')],
  destroyed: [{ steps: ['remove'] }, ({ state }) => state === 'DESTROYED'],
  ordered: [
    { steps: ['order'] },
    ({ state, details: { physical } }) =>
      state === 'ACTIVE' && physical?.pendingActivation === true && physical.wrongActivationCodes < 3,
  ],
  activated: [
    { steps: ['order', 'activate'] },
    ({ state, details: { physical } }) =>
      state === 'ACTIVE' && physical?.pendingActivation === false && !physical.pinBlocked,
  ],
  pinBlocked: [
    { steps: ['order', 'activate', 'block-pin'] },
    ({ state, details: { physical } }) => state === 'ACTIVE' && physical?.pinBlocked === true,
  ],
  lost: [{ steps: ['order', 'report-lost'] }, ({ state, blocks }) => state === 'BLOCKED' && blocks.includes('LOST')],
  replaced: [{ steps: ['order', 'report-lost', 'replace'] }, ({ details }) => details.replacedBy !== null],
  lastOfItsRange: [
    { data: { profileId: '1016' }, steps: ['order', 'report-lost'] },
    ({ state }) => state === 'BLOCKED',
  ],
} as const satisfies Readonly<Record<string, readonly [Made, (card: Card, actual: bigint) => boolean]>>;
export type StagedCard = keyof typeof STAGED;

interface On {
  readonly deps: IssuingDeps;
  readonly authorizer: Authorizer;
  readonly of: Session;
  readonly asker: Asker;
  readonly card: Card;
}
const view = (): object => ({});

async function blockPin({ deps, authorizer, card }: On): Promise<void> {
  const values = await clearValues(deps, card);
  const pan = Pan.parse(values.number);
  const pin = values.pin === '0000' ? '0001' : '0000';
  if (!pan) throw new Error('a card without a number');
  const verification = { minor: 0n, currency: card.currency };
  for (let i = 0; i < 3; i++)
    await authorizer.ask(presenting(merchantWire(deps, 'authorize', verification, { channel: 'chip' }), { pan, pin }));
}

async function profileOf({ deps, card }: On) {
  const profile = await deps.tenants.profile(card.tenant_id, card.profile_id);
  if (!profile) throw new Error('the sandbox is not whole');
  return profile;
}

const STEPS: Readonly<Record<Step, (on: On) => Promise<unknown>>> = {
  async order(on) {
    const profile = await profileOf(on);
    return upgradeCard(on.deps, on.asker, on.card.id, profile, ORDER, view, null);
  },
  activate: ({ deps, asker, card }) => activateCard(deps, asker, card.id, ACTIVATION_CODE, view, openHolds, null),
  block: ({ deps, asker, card }) => changeCard(deps, asker, card.id, 'block', openHolds, null),
  remove: ({ deps, asker, card }) => changeCard(deps, asker, card.id, 'remove', openHolds, null),
  'report-lost': ({ deps, asker, card }) => changeCard(deps, asker, card.id, 'report-lost', openHolds, null),
  async replace(on) {
    const request = { kind: 'replace-lost-stolen', activationCode: null } as const;
    return replaceCard(on.deps, on.asker, on.card, await profileOf(on), request, view, openHolds, null);
  },
  fund: ({ deps, of, card }) =>
    transfer(
      deps,
      of,
      {
        source: { type: 'managed_accounts', id: '2001' },
        destination: { type: 'managed_cards', id: deps.permutation.outward(card.id) },
        destinationAmount: { currency: 'EUR', amount: 1 },
      },
      null,
    ),
  'block-pin': blockPin,
};

export function cardStage(deps: IssuingDeps, authorizer: Authorizer, session: (email: string) => Promise<Session>) {
  const { db, permutation } = deps;

  async function make({ email = 'consumer@sandbox.test', data = {}, steps = [] }: Made, tag: string): Promise<Card> {
    const of = await session(email);
    const asker: Asker = { tenantId: of.tenant.id, identityId: of.identity.id };
    const made = await createCard(deps, of, { type: 'consumer', data: { ...goodCard, tag, ...data } } as never, null);
    const id = fixedId(permutation, (JSON.parse(made.body ?? '{}') as { id: string }).id);
    const read = async (): Promise<Card> => {
      const card = await cardGet(db, asker.tenantId, id);
      if (!card) throw new Error('a card that was just made is not there');
      return card;
    };
    for (const step of steps) await STEPS[step]({ deps, authorizer, of, asker, card: await read() });
    return read();
  }

  /** The newest card of this tag that fits, or a new one. */
  async function found(tag: string, made: Made, fits: (card: Card, actual: bigint) => boolean): Promise<Card> {
    const { tenant, identity } = await session(made.email ?? 'consumer@sandbox.test');
    const filter = { ...EVERY_CARD, identityId: identity.id, tag };
    const { cards } = await cardsList(db, tenant.id, filter, { offset: 0, limit: 5 });
    const funds = await fundsOf(
      db,
      tenant.id,
      cards.map(({ id }) => id),
    );
    return cards.find((card) => fits(card, funds.get(card.id)?.actual ?? 0n)) ?? make(made, tag);
  }

  return {
    make,
    staged(name: StagedCard): Promise<Card> {
      const [made, fits]: readonly [Made, (card: Card, actual: bigint) => boolean] = STAGED[name];
      return found(`scenario-${name}`, made, fits);
    },
    /** A card, and a token of it that was given up. */
    async deletedToken(): Promise<readonly [Card, bigint]> {
      const on = { digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true } };
      const card = await found('scenario-wallet', { data: on }, isVirtual);
      const key = { tenantId: card.tenant_id, id: card.id };
      const known = (await walletTokensOf(db, [key])).find(({ state }) => state === 'DELETED');
      if (known) return [card, known.id];
      const asker: Asker = { tenantId: card.tenant_id, identityId: card.identity_id };
      const asked = await requestToken(deps, asker, card.id, { wallet: 'APPLE', device: 'scenario' }, null);
      const id = fixedId(permutation, (JSON.parse(asked.body ?? '{}') as { id: string }).id);
      await moveToken(deps, asker, card.id, id, 'remove', null);
      return [card, id];
    },
  };
}
