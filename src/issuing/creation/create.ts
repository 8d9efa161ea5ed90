// POST /cards/request. Conflicts in the documented order; limits, number and card are one atomic step behind them.

import type { Change, Loaded, Need, Once, Told } from '../../store/index.ts';
import type { Sealer } from '../../vault/index.ts';
import { messageFor, oneTimeCode } from '../access/index.ts';
import { ACTIVE, accountKind, emptyFunds, fundsInsert, needAccount } from '../accounts/index.ts';
import {
  type Address,
  type Card,
  type CardDetails,
  createdView,
  type DrawnNumber,
  drawNumber,
  dueAtOf,
  monthAfter,
  numbersFor,
} from '../cards/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import {
  assertPlaces,
  COUNT_LEVELS,
  type Counted,
  type CountKey,
  type CountLevel,
  countKeysOf,
  countKind,
  countsOfPlaces,
  countsUpTo,
  type NumberSource,
  needCount,
  needsOfNumber,
  needsOfPlaces,
  type PlacesSource,
  placesFor,
  withLent,
} from '../lending/index.ts';
import type { Identity, User } from '../people/index.ts';
import { activationHash, orderedPlastic } from '../plastic/index.ts';
import {
  type CommittedAnswer,
  commitAnswer,
  type Ending,
  type EndingCommand,
  type IssuingDeps,
} from '../requests/index.ts';
import type { CardLimits } from '../rules/index.ts';
import type { InstallationLimits, Profile, Programme, Tenant } from '../tenants/index.ts';
import { artworkFor, creationConflict, type ThreeDs, type Wanted } from './conflicts.ts';
import { linkedOf, mobileOfUser, parentOf, programmeOf } from './facts.ts';
import { type MobileKey, mobileInsert, mobileKind, needMobile } from './queries.ts';

/** For whom a card is made. */
export interface CardOwner {
  readonly tenant: Tenant;
  readonly identity: Identity;
  /** Gets the activation code of plastic that is ordered at once. null: nobody could. */
  readonly user: User | null;
}

export interface CardInput {
  readonly type: 'consumer' | 'corporate';
  readonly data: {
    readonly profileId: string;
    readonly tag?: string | undefined;
    readonly friendlyName: string;
    readonly nameOnCard: string;
    readonly nameOnCardLine2?: string | undefined;
    readonly billingAddress: Address;
    readonly digitalWallets?:
      | {
          readonly pushProvisioningEnabled?: boolean | undefined;
          readonly walletsEnabled?: boolean | undefined;
          readonly artworkReference?: string | undefined;
        }
      | undefined;
    readonly authForwardingDefaultTimeoutDecision?: 'APPROVE' | 'DECLINE' | undefined;
    readonly threeDSecureAuthConfig?: ThreeDs | undefined;
    readonly mode: 'PREPAID_MODE' | 'DEBIT_MODE';
    readonly currency: string;
    readonly parentManagedAccountId?: string | undefined;
    readonly cardholderMobileNumber?: string | undefined;
    readonly externalHandle?: string | undefined;
    readonly externalData?: CardDetails['externalData'] | undefined;
  };
}

export const wantedFrom = ({ type, data }: CardInput): Wanted => ({
  type,
  mode: data.mode,
  currency: data.currency,
  country: data.billingAddress.country,
  timeoutDecision: data.authForwardingDefaultTimeoutDecision ?? null,
  wallets: {
    enabled: data.digitalWallets?.walletsEnabled ?? false,
    push: data.digitalWallets?.pushProvisioningEnabled ?? false,
    artwork: data.digitalWallets?.artworkReference ?? null,
  },
  threeDs: data.threeDSecureAuthConfig ?? null,
  mobile: data.cardholderMobileNumber ?? null,
  parentGiven: data.parentManagedAccountId !== undefined,
});

const LIMIT_CODES: Readonly<Record<CountLevel, RefusalCode>> = {
  IDENTITY: 'IDENTITY_LIMITS_EXCEEDED',
  PROGRAMME: 'PROGRAMME_LIMITS_EXCEEDED',
  TENANT: 'INNOVATOR_LIMITS_EXCEEDED',
};

interface LimitCheck {
  readonly key: CountKey;
  readonly most: bigint;
  readonly code: RefusalCode;
}

/** The counts that have a limit, from the identity's to the tenant's. */
function limitChecks(of: Counted, limits: Readonly<Record<CountLevel, CardLimits>>): LimitCheck[] {
  return COUNT_LEVELS.flatMap((level) => {
    const { total, currencies } = limits[level];
    const [all, ofCurrency] = countKeysOf(of, level);
    const own = currencies[of.currency];
    return [
      ...(total === null ? [] : [{ key: all, most: BigInt(total), code: LIMIT_CODES[level] }]),
      ...(own === undefined ? [] : [{ key: ofCurrency, most: BigInt(own), code: LIMIT_CODES[level] }]),
    ];
  });
}

/** Everything that a new card is made of and judged by, gathered before the commit. */
interface Plan {
  readonly owner: CardOwner;
  readonly input: CardInput;
  readonly wanted: Wanted;
  readonly programme: Programme;
  readonly profile: Profile | null;
  readonly counted: Counted;
  readonly checks: readonly LimitCheck[];
  readonly identityCount: CountKey;
  readonly mobileKey: MobileKey | null;
  readonly numbers: NumberSource | null;
  /** Under the installation's limits. */
  readonly places: PlacesSource;
  readonly id: bigint;
  readonly seal: Sealer;
}

/** `installation`: the limits of the installation; the others are those of the owner and the programme. */
function planOf(
  deps: Pick<IssuingDeps, 'ids' | 'vault'>,
  owner: CardOwner,
  input: CardInput,
  found: Pick<Plan, 'wanted' | 'programme' | 'profile'>,
  installation: InstallationLimits,
): Plan {
  const { tenant, identity } = owner;
  const { wanted, programme, profile } = found;
  const counted = {
    tenant_id: tenant.id,
    identity_id: identity.id,
    programme_id: programme.id,
    currency: wanted.currency,
  };
  return {
    owner,
    input,
    ...found,
    counted,
    checks: limitChecks(counted, {
      IDENTITY: identity.settings.cardLimits,
      PROGRAMME: programme.settings.cardLimits,
      TENANT: tenant.settings.cardLimits,
    }),
    identityCount: countKeysOf(counted, 'IDENTITY')[0],
    mobileKey:
      wanted.mobile !== null && programme.settings.uniqueMobile
        ? { tenant_id: tenant.id, programme_id: programme.id, mobile: wanted.mobile }
        : null,
    numbers: profile && numbersFor(profile, wanted.currency, wanted.country),
    places: placesFor(installation, counted),
    id: deps.ids.next(),
    seal: deps.vault.sealer(),
  };
}

export async function createCard(
  deps: IssuingDeps,
  owner: CardOwner,
  input: CardInput,
  once: Once | null,
): Promise<CommittedAnswer> {
  const { tenant, identity } = owner;
  const { tenants, permutation } = deps;
  const wanted = wantedFrom(input);
  const profileId = permutation.inward(input.data.profileId);
  const [programme, profile, limits] = await Promise.all([
    programmeOf(deps, owner),
    profileId === null ? null : tenants.profile(tenant.id, profileId),
    tenants.limits(),
  ]);
  const [parent, { linked, factors }, takenByUser] = await Promise.all([
    wanted.mode === 'DEBIT_MODE' ? parentOf(deps, owner, input.data.parentManagedAccountId) : null,
    linkedOf(deps, owner, wanted.threeDs),
    mobileOfUser(deps, owner, programme, wanted),
  ]);
  const plan = planOf(deps, owner, input, { wanted, programme, profile }, limits);
  const levelOne = programme.settings.kyc[identity.kyc_level].cards !== null;
  const counts = [
    ...plan.checks.map(({ key }) => key),
    ...(levelOne ? [plan.identityCount] : []),
    ...countsOfPlaces(plan.places),
  ];
  const needs: Need[] = [
    ...countsUpTo(plan.counted, counts).map(needCount),
    ...(parent ? [needAccount(tenant.id, parent.id)] : []),
    ...(plan.mobileKey ? [needMobile(plan.mobileKey)] : []),
    ...needsOfNumber(plan.numbers),
    ...needsOfPlaces(plan.places),
  ];
  const command: EndingCommand = {
    name: 'card.create',
    owner: tenant.id,
    needs,
    decide(loaded, told): Ending {
      const mobileHolder = plan.mobileKey ? loaded.get(mobileKind, plan.mobileKey) : undefined;
      const refused = creationConflict({
        wanted,
        tenant: tenant.settings,
        programme,
        profile,
        identity,
        liveCards: levelOne ? (loaded.get(countKind, plan.identityCount) ?? 0n) : 0n,
        parent: parent ? (loaded.get(accountKind, { tenantId: tenant.id, id: parent.id }) ?? null) : null,
        linked,
        factors,
        mobileTaken: takenByUser || (mobileHolder !== undefined && mobileHolder !== identity.id),
      });
      if (refused) throw refuse(refused);
      const full = plan.checks.find(({ key, most }) => (loaded.get(countKind, key) ?? 0n) >= most);
      if (full) throw refuse(full.code);
      assertPlaces(loaded, plan.places);
      return made(deps, told, plan, parent?.id ?? null, mobileHolder, loaded);
    },
  };
  return withLent(deps, () => commitAnswer(deps, once, command));
}

/** The card, its number, its funds, its counts: nothing stands in its way any more but the range. */
function made(
  deps: Pick<IssuingDeps, 'events' | 'permutation' | 'sandbox' | 'vault'>,
  told: Told,
  plan: Plan,
  parentId: bigint | null,
  mobileHolder: bigint | undefined,
  loaded: Loaded,
): Ending {
  const { owner, profile } = plan;
  if (!profile) throw refuse('INSTRUMENT_NOT_FOUND');
  const drawn = drawNumber(deps, plan.seal, loaded, plan.numbers);
  const bare = newCard(told, plan, profile, parentId, drawn);
  const { card, changes: plastic } = profile.settings.physicalByDefault
    ? withPlastic(deps, told, owner, bare, profile)
    : { card: bare, changes: [] };
  const funds = parentId === null ? emptyFunds(card.tenant_id, card.id, card.currency) : null;
  const changes: Change[] = [
    ...drawn.changesFor(card, told, funds),
    ...(funds ? [fundsInsert(funds)] : []),
    ...(plan.mobileKey && mobileHolder === undefined ? [mobileInsert(plan.mobileKey, card.identity_id)] : []),
    ...plastic,
  ];
  const id = deps.permutation.outward(card.id);
  return {
    status: 200,
    body: { id, type: plan.input.type, data: createdView(deps.permutation, card) },
    changes,
  };
}

function newCard(
  { now }: Told,
  { owner: { tenant, identity }, input: { data }, wanted, programme, id }: Plan,
  profile: Profile,
  parentId: bigint | null,
  { brand, pan }: DrawnNumber,
): Card {
  const { settings } = profile;
  const card: Card = {
    tenant_id: tenant.id,
    id,
    identity_id: identity.id,
    programme_id: programme.id,
    profile_id: profile.id,
    mode: wanted.mode,
    currency: wanted.currency,
    parent_account_id: parentId,
    ...ACTIVE,
    type: 'VIRTUAL',
    brand,
    classification: classificationOf(identity),
    first_six: pan.bin(6),
    last_four: pan.lastFour,
    starts: monthAfter(now, 0),
    expires: monthAfter(now, settings.expiryPeriodMonths),
    renewal: settings.renewal,
    friendly_name: data.friendlyName,
    name_on_card: data.nameOnCard,
    tag: data.tag ?? null,
    mobile: wanted.mobile,
    details: {
      ...(data.nameOnCardLine2 === undefined ? {} : { nameOnCardLine2: data.nameOnCardLine2 }),
      billingAddress: data.billingAddress,
      digitalWallets: {
        pushProvisioningEnabled: wanted.wallets.push,
        walletsEnabled: wanted.wallets.enabled,
        artworkReference: wanted.wallets.enabled ? artworkFor(profile, wanted.wallets.artwork) : wanted.wallets.artwork,
      },
      timeoutDecision: wanted.timeoutDecision,
      threeDs: wanted.threeDs && { ...wanted.threeDs, fallbackChannel: wanted.threeDs.fallbackChannel ?? null },
      externalData: data.externalData ?? [],
      externalHandle: data.externalHandle ?? null,
      rules: {},
      physical: null,
      wrongCvvs: 0,
      replacedBy: null,
      replaces: null,
      lostStolen: null,
      expiryPeriodMonths: settings.expiryPeriodMonths,
    },
    due_at: null,
    events: 1,
    created_at: now,
    updated_at: now,
  };
  return { ...card, due_at: dueAtOf(card) };
}

const classificationOf = ({ type }: Identity): Card['classification'] =>
  type === 'corporate' ? 'CORPORATE' : 'CONSUMER';

/** physicalByDefault: the plastic is ordered to the billing address, and its activation code sent to who asked for the card. */
function withPlastic(
  deps: Pick<IssuingDeps, 'sandbox' | 'vault'>,
  told: Told,
  { user, tenant }: CardOwner,
  card: Card,
  { settings: { physical } }: Profile,
): { readonly card: Card; readonly changes: readonly Change[] } {
  if (!user) throw refuse('LINKED_USER_NOT_FOUND');
  const code = oneTimeCode(deps, told.chance);
  const order = orderedPlastic(
    deps,
    {
      productReference: physical.products[0] ?? 'STANDARD',
      carrierType: physical.carriers[0] ?? 'STANDARD',
      bulkDelivery: false,
      deliveryAddress: { name: user.name, surname: user.surname, ...card.details.billingAddress },
      deliveryMethod: physical.deliveryMethods[0] ?? 'STANDARD_DELIVERY',
      nameOnCardLine2: card.details.nameOnCardLine2 ?? null,
      activationHash: activationHash(deps, card, code),
    },
    card.created_at,
  );
  const changed: Card = { ...card, details: { ...card.details, physical: order } };
  const text = `${code} activates your ${tenant.name} card ending in ${card.last_four}.`;
  const message = user.mobile
    ? messageFor(told, { tenantId: tenant.id, channel: 'SMS', recipient: user.mobile, text })
    : messageFor(told, { tenantId: tenant.id, channel: 'EMAIL', recipient: user.email, text });
  return { card: { ...changed, due_at: dueAtOf(changed) }, changes: [message] };
}
