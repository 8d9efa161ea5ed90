// Sets the stage: sessions of the sandbox's users, and cards and accounts in the states that errors need. What an earlier call has made is
// used again as long as it is still in its state. Rule: only through the use cases that the API has.
import { addMs } from '../../base/index.ts';
import { type Session, sendCode, sessionCreate, sessionOf, verifyCode } from '../access/index.ts';
import { accountsList, changeAccount, createAccount, EVERY_ACCOUNT } from '../accounts/index.ts';
import type { Authorizer } from '../authorization/index.ts';
import { attachedCards } from '../cards/index.ts';
import { identityGet, loginReset, loginTried, userGet } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { fixedId, sandboxTenantId, sandboxUsers } from '../tenants/index.ts';
import { cardStage, type StagedCard } from './stage-cards.ts';

export { ACTIVATION_CODE, ORDER, type StagedCard } from './stage-cards.ts';

export const SECRET = 'sandbox-secret';
const CONSUMER = 'consumer@sandbox.test';
/** Never let in: locked whenever the list is asked for. */
export const LOCKED = 'locked@sandbox.test';
/** Gets all the codes and tries the wrong passwords, so that nobody else's telephone is full of them. */
export const USER_OF_CODES = 'limited@sandbox.test';

export type StagedAccount = 'closed' | 'spent';

/** An idempotency-ref under which the session has had another request to the path answered. */
export type UsedRef = (session: Session, path: string) => Promise<string>;

export interface Stage {
  readonly token: (email: string) => Promise<string>;
  /** A session that began so long ago. */
  readonly oldToken: (email: string, ageMs: number) => Promise<string>;
  readonly steppedUp: (email: string) => Promise<string>;
  readonly session: (email: string) => Promise<Session>;
  readonly card: (state: StagedCard) => Promise<string>;
  /** `{cardId}/{tokenId}` of a wallet token that was given up. */
  readonly deletedToken: () => Promise<string>;
  readonly account: (state: StagedAccount) => Promise<string>;
  /** Locks LOCKED, and forgives USER_OF_CODES its wrong passwords. */
  readonly lock: () => Promise<void>;
}

/** The same dependencies at an earlier moment. */
export const before = (deps: IssuingDeps, ageMs: number): IssuingDeps => ({
  ...deps,
  clock: {
    now: () => addMs(deps.clock.now(), -ageMs),
    elapsed: () => deps.clock.elapsed(),
    sleep: (ms, signal) => deps.clock.sleep(ms, signal),
  },
});

export function stageFor(deps: IssuingDeps, authorizer: Authorizer): Stage {
  const { permutation, db } = deps;
  const tenantId = sandboxTenantId(permutation, 'sandbox');

  async function userOf(email: string) {
    const fixed = sandboxUsers.find((user) => user.email === email);
    const user = fixed && (await userGet(deps.db, tenantId, fixedId(permutation, fixed.id)));
    if (!user) throw new Error(`the sandbox has no ${email}`);
    return user;
  }

  async function session(email: string): Promise<Session> {
    const user = await userOf(email);
    const [tenant, identity] = await Promise.all([
      deps.tenants.tenant(tenantId),
      identityGet(deps.db, tenantId, user.identity_id),
    ]);
    if (!tenant || !identity) throw new Error('the sandbox is not whole');
    return { tenant, identity, user, tokenHash: '', steppedUp: false };
  }

  const token = async (email: string): Promise<string> => sessionCreate(deps, await userOf(email));
  const cards = cardStage(deps, authorizer, session);

  async function account(state: StagedAccount): Promise<string> {
    const of = await session(CONSUMER);
    const tag = `scenario-${state}`;
    const filter = { ...EVERY_ACCOUNT, identityId: of.identity.id, tag };
    const { accounts } = await accountsList(db, tenantId, filter, { offset: 0, limit: 1 });
    const known = accounts[0] && permutation.outward(accounts[0].id);
    if (known) return known;
    const asked = { profileId: '1011', friendlyName: 'Scenario', tag, currency: 'EUR' };
    const made = await createAccount(deps, of, asked, null);
    const { id } = JSON.parse(made.body ?? '{}') as { id: string };
    const asker = { tenantId, identityId: of.identity.id };
    if (state === 'closed') await changeAccount(deps, asker, fixedId(permutation, id), 'remove', attachedCards, null);
    else await cards.make({ data: { profileId: '1002', mode: 'DEBIT_MODE', parentManagedAccountId: id } }, tag);
    return id;
  }

  return {
    session,
    token,
    oldToken: async (email, ageMs) => sessionCreate(deps, await userOf(email), ageMs),
    async steppedUp(email) {
      const made = await token(email);
      const { tenant } = await session(email);
      const fresh = await sessionOf(deps, tenant, made, 'allowed');
      await sendCode(deps, fresh, 'SMS');
      await verifyCode(deps, fresh, '123456');
      return made;
    },
    card: async (state) => permutation.outward((await cards.staged(state)).id),
    async deletedToken() {
      const [card, tokenId] = await cards.deletedToken();
      return `${permutation.outward(card.id)}/${permutation.outward(tokenId)}`;
    },
    account,
    async lock() {
      const [locked, forgiven] = [await userOf(LOCKED), await userOf(USER_OF_CODES)];
      const now = deps.clock.now();
      const wrong = { right: false, now, most: 1, until: addMs(now, 30 * 60_000) };
      await db.transaction(async (inside) => {
        await loginReset(inside, deps, { tenantId, id: locked.id });
        await loginTried(inside, deps, { tenantId, id: locked.id }, wrong);
        await loginReset(inside, deps, { tenantId, id: forgiven.id });
      });
    },
  };
}
