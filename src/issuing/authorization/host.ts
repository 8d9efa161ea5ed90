// The issuing side as the card network sees it: every message finds its card, is answered, and has its effect at most once.
// Rule: nothing of a message is kept but what stands in authorizations and their messages; number, CVV and PIN are never stored.
import type { IssuerHost, NetworkRequest } from '../../network/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { authorizeCommand, notFound, type Outcome } from './authorize.ts';
import { type CardPlace, cardFinder, type FindCard, type Surroundings, surroundingsOf } from './find.ts';
import { type Everything, type FollowUp, type FollowUpWire, followUp } from './follow-up.ts';
import { askTenant, concludeByDefault } from './forwarded.ts';
import type { AuthorizationPorts } from './ports.ts';

export interface AskedBeside {
  readonly dryRun?: boolean;
  /** The cardholder is taken as authenticated: the simulator's word, which no message can say. */
  readonly authenticated?: boolean;
  /** The device that stands for the card, by its token: no message of this network carries it. */
  readonly walletTokenId?: bigint | null;
}

export interface Authorizer extends IssuerHost {
  /** What `handle` does, with the whole outcome. */
  ask(request: NetworkRequest, beside?: AskedBeside): Promise<Outcome>;
  /** A later message about a card that is known already. `everything`: its amount, for who names none. */
  live(place: CardPlace, wire: FollowUpWire, everything?: Everything): Promise<Outcome>;
}

/** Attempted (A) counts as authenticated, as the networks have it; the value must be ours all the same. */
const PROVEN = new Set(['Y', 'A']);

interface Proof {
  readonly sca: 'not_needed' | 'authenticated' | 'exempt' | 'missing';
  readonly cavvHash: string | null;
}

/**
 * Is the cardholder authenticated, or needn't be? Permitted exemptions: payments that the merchant starts, by `exemption: mit` or with the
 * trace id of the payment in which the cardholder agreed. A small amount alone is none: no message of this network claims it, and the
 * count of small payments since the last authentication, which the law asks for, would have to be claimed with it.
 */
function proofOf(
  deps: Pick<IssuingDeps, 'vault'>,
  { verifyCavv }: AuthorizationPorts,
  request: NetworkRequest,
  trusted: boolean,
): Proof {
  if (request.channel !== 'ecommerce' || request.operation !== 'authorize')
    return { sca: 'not_needed', cavvHash: null };
  if (trusted) return { sca: 'authenticated', cavvHash: null };
  const { authentication, terminal } = request;
  const { eci = null, cavv = null, dsTransId = null } = authentication ?? {};
  if (authentication && PROVEN.has(authentication.letter) && eci !== null && cavv !== null && dsTransId !== null) {
    const claim = {
      pan: request.pan,
      amount: request.amount,
      dsTransId,
      eci,
      cavv,
      merchantId: terminal.merchantId,
      merchantName: terminal.descriptor,
    };
    if (verifyCavv(claim)) {
      // Over the bytes: another spelling of a value is the same value.
      const bytes = /^[0-9a-f]{40}$/i.test(cavv) ? Buffer.from(cavv, 'hex') : Buffer.from(cavv, 'base64');
      return { sca: 'authenticated', cavvHash: deps.vault.keyed('card.used_cavv', bytes).toString('base64url') };
    }
  }
  const agreed = request.initiator === 'merchant' && request.originalTraceId !== null;
  return { sca: request.exemption === 'mit' || agreed ? 'exempt' : 'missing', cavvHash: null };
}

const FOLLOW_UPS: ReadonlySet<string> = new Set(['increment', 'charge', 'reverse', 'refund'] satisfies FollowUp[]);
const isFollowUp = (request: NetworkRequest): request is NetworkRequest & { operation: FollowUp } =>
  FOLLOW_UPS.has(request.operation);

export function createAuthorizer(
  deps: IssuingDeps,
  ports: AuthorizationPorts,
  find: FindCard = cardFinder(deps),
): Authorizer {
  /** Authorizations whose tenant is being asked by this process: a repeat waits for the same answer. */
  const asking = new Map<bigint, Promise<Outcome>>();

  async function finish(place: CardPlace, around: Surroundings, id: bigint, mine: boolean): Promise<Outcome | null> {
    const under = asking.get(id);
    if (under) return under;
    if (!mine) return concludeByDefault(deps, place.tenantId, id);
    const work = askTenant(deps, ports.forward, place, around, id).finally(() => asking.delete(id));
    asking.set(id, work);
    return work;
  }

  async function authorize(
    place: CardPlace,
    around: Surroundings,
    request: NetworkRequest,
    beside: AskedBeside,
  ): Promise<Outcome> {
    const { sca, cavvHash } = proofOf(deps, ports, request, beside.authenticated ?? false);
    const { dryRun = false, walletTokenId = null } = beside;
    const first = await deps.committer.submit(
      authorizeCommand(deps, place, around, request, { dryRun, cavvHash, sca, walletTokenId }),
    );
    if (!('pending' in first)) return first;
    return (await finish(place, around, first.pending, first.mine)) ?? notFound(request);
  }

  async function ask(request: NetworkRequest, beside: AskedBeside = {}): Promise<Outcome> {
    const place = await find(request.pan);
    const around = place && (await surroundingsOf(deps, place));
    if (!place || !around) return notFound(request);
    return isFollowUp(request) ? followUp(deps, place, around, request) : authorize(place, around, request, beside);
  }

  return {
    ask,
    handle: async (request) => (await ask(request)).answer,
    async live(place, wire, everything) {
      const around = await surroundingsOf(deps, place);
      return around ? followUp(deps, place, around, wire, everything) : notFound(wire);
    },
  };
}
