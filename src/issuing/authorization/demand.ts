// What a message asks of a card: its amounts in the card's currency, what its secrets are worth, which device stands for the card.
// Rule: nothing is decided here, and nothing of a secret leaves but whether it was right.
import type { NetworkRequest } from '../../network/index.ts';
import type { Loaded } from '../../store/index.ts';
import type { Card, CardKey } from '../cards/index.ts';
import { billed, type Demand, type Device, given, holdOn, type Tariff } from '../decision/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { walletTokensKind } from '../tokens/index.ts';
import type { Surroundings } from './find.ts';

/** Money that comes to the card. */
const isCredit = ({ operation, channel }: NetworkRequest): boolean => operation === 'credit' || channel === 'credit';

export const tariffOf = (
  { profile }: Surroundings,
  request: Pick<NetworkRequest, 'channel' | 'amount'>,
  currency: string,
): Tariff => ({
  fees: profile.settings.fees,
  atm: request.channel === 'atm',
  foreign: request.amount.currency !== currency,
});

/** Amounts and secrets of a request, as this card sees them. */
export function demandOf(
  deps: Pick<IssuingDeps, 'vault'>,
  around: Surroundings,
  card: Card,
  request: NetworkRequest,
  { sca, device }: Pick<Demand, 'sca' | 'device'>,
): Demand {
  const { amount, terminal, pan, cvv, pin } = request;
  const { cardVerification } = deps.vault;
  const rate = amount.currency === card.currency ? null : around.rate(amount.currency, card.currency);
  const inCard = (isCredit(request) ? given : billed)(amount, card.currency, rate);
  const secret = (given: string | null, matches: (given: string) => boolean): Demand['cvv'] =>
    given === null ? 'absent' : matches(given) ? 'right' : 'wrong';
  return {
    amount: amount.minor,
    currency: amount.currency,
    billed: inCard,
    total: inCard,
    hold: isCredit(request) ? 0n : holdOn(tariffOf(around, request, card.currency), inCard ?? 0n, 0n),
    channel: isCredit(request) ? 'credit' : request.channel,
    device,
    mcc: terminal.mcc,
    merchantId: terminal.merchantId,
    country: terminal.country,
    expiry: request.expiry,
    cvv: secret(cvv, (given) => cardVerification.cvvMatches(pan, card.expires, given)),
    pin: secret(pin, (given) => cardVerification.pinMatches(pan, card.details.physical?.pinOffset ?? '0000', given)),
    sca,
  };
}

/** What a wallet token is worth, by what is known of it under the card's lock. */
export function deviceOf(loaded: Loaded, card: CardKey, tokenId: bigint | null): Device {
  if (tokenId === null) return 'none';
  const token = loaded.get(walletTokensKind, card)?.find(({ id }) => id === tokenId);
  if (!token || token.state === 'DELETED') return 'unknown';
  return token.state === 'ACTIVE' ? 'active' : 'inactive';
}
