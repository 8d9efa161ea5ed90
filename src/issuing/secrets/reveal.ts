// Card number, CVV and PIN for their cardholder: one-time tokens, or the values for a stepped-up session of a tenant in PCI scope.
// Rule: a token is signed, bound to its user, good for five minutes and for one use; the use and its event are one commit.

import { timingSafeEqual } from 'node:crypto';
import { addMs, assert } from '../../base/index.ts';
import type { Told } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import { needFunds } from '../accounts/index.ts';
import { type Card, cardGet, cardKind, cardWritten, fundsLoaded, needCard, type Secrets } from '../cards/index.ts';
import { refuse } from '../fields/index.ts';
import { type IssuingDeps, toldNow } from '../requests/index.ts';
import { revealInsert, revealKind, revealsPurge } from './queries.ts';

type Kind = 'number' | 'cvv' | 'pin';
const KINDS: readonly Kind[] = ['number', 'cvv', 'pin'];
const VALID_MS = 5 * 60_000;
const BODY_BYTES = 41;
const SIGNATURE_BYTES = 16;

type Viewer = Pick<Session, 'tenant' | 'user' | 'steppedUp'>;

const signatureOf = (deps: Pick<IssuingDeps, 'vault'>, body: Buffer): Buffer =>
  deps.vault.keyed('card.reveal', body).subarray(0, SIGNATURE_BYTES);

/** What reveal tokens are made and read with: ids as clients see them, and a key. */
type TokenDeps = Pick<IssuingDeps, 'permutation' | 'vault'>;

/** kind (1), card (8), user (8), until (8), random (16), signature (16). */
export function revealToken(
  deps: TokenDeps,
  { now, chance }: Told,
  viewer: Viewer,
  card: Pick<Card, 'id'>,
  kind: Kind,
): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUInt8(KINDS.indexOf(kind));
  body.writeBigUInt64BE(BigInt(deps.permutation.outward(card.id)), 1);
  body.writeBigUInt64BE(BigInt(deps.permutation.outward(viewer.user.id)), 9);
  body.writeBigUInt64BE(BigInt(addMs(now, VALID_MS).getTime()), 17);
  chance.bytes(16).copy(body, 25);
  return Buffer.concat([body, signatureOf(deps, body)]).toString('base64url');
}

interface Claim {
  readonly kind: Kind;
  readonly cardId: bigint;
  readonly userId: bigint;
  readonly until: Date;
}

function claimOf(deps: TokenDeps, token: string): Claim | null {
  if (!/^[\w-]{76}$/.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const body = bytes.subarray(0, BODY_BYTES);
  if (!timingSafeEqual(bytes.subarray(BODY_BYTES), signatureOf(deps, body))) return null;
  const kind = KINDS[body.readUInt8()];
  const { inward } = deps.permutation;
  const cardId = inward(body.readBigUInt64BE(1).toString());
  const userId = inward(body.readBigUInt64BE(9).toString());
  return kind && cardId !== null && userId !== null
    ? {
        kind,
        cardId,
        userId,
        until: new Date(Number(body.readBigUInt64BE(17))),
      }
    : null;
}

/** The values of a card. Only for who may see them, and for the sandbox's operator. */
export async function clearValues(
  { vault }: Pick<IssuingDeps, 'vault'>,
  card: Card,
): Promise<{ readonly number: string; readonly cvv: string; readonly pin: string }> {
  const sealed = await vault.open(card.tenant_id, card.id);
  assert(sealed, 'a card without a number');
  const { pan } = sealed;
  return {
    number: pan.reveal(),
    cvv: vault.cardVerification.cvv(pan, card.expires),
    pin: vault.cardVerification.pin(pan, card.details.physical?.pinOffset ?? '0000'),
  };
}

/** What a session is shown for number and CVV of a card. */
export async function secretsFor(
  deps: Pick<IssuingDeps, 'clock' | 'ids' | 'permutation' | 'random' | 'vault'>,
  viewer: Viewer,
  card: Card,
): Promise<Secrets> {
  if (viewer.steppedUp && viewer.tenant.settings.pciScoped) return clearValues(deps, card);
  return tokensFor(deps, toldNow(deps), viewer, card);
}

export const tokensFor = (deps: TokenDeps, told: Told, viewer: Viewer, card: Pick<Card, 'id'>): Secrets => ({
  number: revealToken(deps, told, viewer, card, 'number'),
  cvv: revealToken(deps, told, viewer, card, 'cvv'),
});

/** The value behind a token, once. Anything wrong with the token is RESOURCE_NOT_FOUND. */
export async function reveal(
  deps: Pick<IssuingDeps, 'clock' | 'committer' | 'db' | 'events' | 'permutation' | 'vault'>,
  session: Session,
  token: string,
): Promise<string> {
  const claim = claimOf(deps, token);
  const now = deps.clock.now();
  if (!claim || claim.userId !== session.user.id || claim.until <= now) throw refuse('RESOURCE_NOT_FOUND');
  const card = await cardGet(deps.db, session.tenant.id, claim.cardId);
  if (card?.identity_id !== session.identity.id) throw refuse('RESOURCE_NOT_FOUND');
  const values = await clearValues(deps, card);
  const key = { tenantId: session.tenant.id, tokenHash: deps.vault.keyed('card.reveal.used', token).toString('hex') };
  await deps.committer.submit<null>({
    name: 'card.reveal',
    owner: session.tenant.id,
    needs: [needCard(card.tenant_id, card.id), needFunds(card.tenant_id, card.id), { kind: revealKind, key }],
    decide(loaded, told) {
      const current = loaded.get(cardKind, { tenantId: card.tenant_id, id: card.id });
      if (!current || loaded.get(revealKind, key)) throw refuse('RESOURCE_NOT_FOUND');
      const happened = {
        before: current,
        after: current,
        event: 'card.revealed',
        funds: fundsLoaded(loaded, current),
        operation: { what: claim.kind, userId: deps.permutation.outward(session.user.id) },
        always: true,
      } as const;
      return {
        value: null,
        changes: [revealInsert(key, told.now), ...cardWritten(deps, told, happened)],
      };
    },
  });
  return values[claim.kind];
}

export const purgeReveals = (deps: Pick<IssuingDeps, 'clock' | 'db'>): Promise<void> =>
  revealsPurge(deps.db, addMs(deps.clock.now(), -2 * VALID_MS));
