// What an event that is made up tells of: an example of the reference, which a real server has answered.
// Rule: no object of anybody's, and under an id that nobody has.
import examples from '../../examples.json' with { type: 'json' };
import type { Noun } from './catalogue.ts';

/** Events have no secrets of a card, not even the tokens that stand for them. */
function cardOf({ cardNumber: _number, cvv: _cvv, ...card }: (typeof examples.readCard)['200']): object {
  return card;
}

/** Of what isn't here nothing is told yet: an id has to do. */
const OBJECTS: Readonly<Partial<Record<Noun, object | undefined>>> = {
  order: examples.getOrder['200'].orders[0],
  reserve: { id: '1', order_id: '1000000001', amount: '1.25', currency: 'EUR', created: '2027-01-14 09:30:00' },
  card: cardOf(examples.readCard['200']),
  wallet_token: examples.listWalletTokens['200'].tokens[0],
  account: examples.readManagedAccount['200'],
  transfer: examples.readTransfer['200'],
  authorization: examples.listCardPayments['200'].payments[0],
  challenge: {
    id: '1',
    cardId: '1000000001',
    channel: 'OTP_SMS',
    state: 'PENDING',
    amount: 1250,
    currency: 'EUR',
    merchant: 'SIMULATED SHOP',
    expiresAt: '2027-01-14T09:35:00.000Z',
  },
  user: examples.readUser['200'],
  identity: examples.readIdentity['200'],
  operation: examples.operationsStuck['200'].operations[0],
  invariant: { id: 'groups_balance', ok: false, violations: [] },
  range: examples.cardRangeList['200'].ranges[0],
  key: examples.keysRotate['200'],
  page: { ok: false, differences: [] },
  setup: examples.tenantGet['200'],
};

/** An example under this id, where such objects have one that Florin draws. */
export function exampleObject(noun: Noun, id: string): object {
  const found = OBJECTS[noun] ?? { id };
  return 'id' in found && /^\d+$/.test(String(found.id)) ? { ...found, id } : found;
}
