// /simulator/purchases, /authorizations/{id}/…, /refunds: a foreign merchant that a person or a test can play. Sandbox mode only.
// Rule: what it does goes through the same host as a message of the network; it has no way of its own to the money.
import { assert, countryOf, maskPansIn, Pan } from '../../base/index.ts';
import {
  type AnyEndpoint,
  Choice,
  Currency,
  Digits,
  endpointOf,
  Failure,
  Flag,
  invalid,
  MinorUnits,
  Optional,
  Shape,
  Text,
} from '../../http/index.ts';
import { type Channel, isApproved } from '../../network/index.ts';
import { type Card, cardAnywhere, cardGet } from '../cards/index.ts';
import { type Authorization, authorizationAnywhere, authorizationGet, stepView } from '../payments/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { decision } from './answer-schemas.ts';
import type { Outcome } from './authorize.ts';
import { placeOf } from './find.ts';
import { type Everything, expire, type FollowUp } from './follow-up.ts';
import type { Authorizer } from './host.ts';
import { merchantWire, presenting, SHOP } from './merchant.ts';

const endpoint = endpointOf<unknown>();
const CHANNELS = [
  'ecommerce',
  'chip',
  'contactless',
  'atm',
  'cashback',
  'credit',
] as const satisfies readonly Channel[];
const TAG = 'Issued cards';

const amount = MinorUnits(1, { description: 'Minor units.' });
const IdPath = Shape({ id: Text({ description: 'The authorization.' }) });

const answers = {
  200: { description: 'What the issuer answered', schema: decision },
  404: { description: 'No such card or authorization' },
} as const;

export function authorizationSimulatorEndpoints(deps: IssuingDeps, authorizer: Authorizer): AnyEndpoint<unknown>[] {
  const { db, permutation, vault } = deps;
  const unknown = (): Failure => new Failure('not_found', { message: 'No such card or authorization' });

  async function cardOf(text: string): Promise<Card> {
    const id = permutation.inward(text);
    const card = id === null ? null : await cardAnywhere(db, id);
    if (!card) throw unknown();
    return card;
  }
  async function panOf(card: Card): Promise<Pan> {
    const sealed = await vault.open(card.tenant_id, card.id);
    if (!sealed) throw unknown();
    return sealed.pan;
  }
  async function authorizationOf(text: string): Promise<Authorization> {
    const id = permutation.inward(text);
    const row = id === null ? null : await authorizationAnywhere(db, id);
    if (!row) throw unknown();
    return row;
  }

  const told = ({ answer, row, reason, explanation }: Outcome): { status: number; body: object } => ({
    status: 200,
    body: {
      approved: isApproved(answer.responseCode),
      responseCode: answer.responseCode,
      reason,
      explanation: explanation.map(stepView),
      authorizationId: row ? permutation.outward(row.id) : null,
      ...(answer.authCode === null ? {} : { authCode: answer.authCode }),
      ...(answer.cvvResult === null ? {} : { cvvResult: answer.cvvResult }),
    },
  });

  /** A later message of a payment, as its merchant would send it. */
  async function follow(
    row: Authorization,
    operation: FollowUp,
    amount: bigint | Everything,
    final: boolean,
  ): Promise<Outcome> {
    const [minor, everything] = typeof amount === 'bigint' ? [amount, undefined] : [0n, amount];
    const card = await cardGet(db, row.tenant_id, row.card_id);
    if (!card) throw unknown();
    const message = merchantWire(
      deps,
      operation,
      { minor, currency: row.currency },
      { original: row.reference, channel: row.channel, final },
    );
    return authorizer.live(placeOf(card), message, everything);
  }

  const following = (
    path: 'clear' | 'reverse' | 'increment',
    operation: FollowUp,
    summary: string,
    everything?: Everything,
  ): AnyEndpoint<unknown> =>
    endpoint({
      method: 'POST',
      path: `/authorizations/:id/${path}`,
      operation: `${path}Authorization`,
      summary,
      tag: TAG,
      right: null,
      params: IdPath,
      body: Shape({ amount: everything ? Optional(amount) : amount, final: Optional(Flag()) }),
      answers,
      async handler({ params, body }) {
        const row = await authorizationOf(params.id);
        const asked = body.amount ?? everything;
        assert(asked !== undefined, 'an amount is asked for where none is meant by default');
        return told(await follow(row, operation, asked, body.final ?? true));
      },
    });

  const open: Everything = ({ asked }) => BigInt(asked.open) || null;

  return [
    endpoint({
      method: 'POST',
      path: '/purchases',
      operation: 'simulatePurchase',
      summary: 'A purchase with an issued card at a foreign merchant',
      description:
        'Amounts are in minor units. `threeDs: true`: the cardholder was authenticated. `walletTokenId`: a device in the place of the card, contactless or in e-commerce. `dryRun: true` answers the same question and changes nothing. Channel `credit` pays to the card.',
      tag: TAG,
      right: null,
      body: Shape({
        cardId: Optional(Text()),
        pan: Optional(Digits({ max: 19 })),
        amount: MinorUnits(0, { description: 'Minor units; 0 verifies the card.' }),
        currency: Currency(),
        mcc: Optional(Digits({ min: 4, max: 4 })),
        merchantId: Optional(Text({ min: 1, max: 15 })),
        merchantName: Optional(Text({ min: 1, max: 40 })),
        country: Optional(Text({ min: 2, max: 3 })),
        channel: Optional(Choice(CHANNELS)),
        cvv: Optional(Digits({ min: 3, max: 4 })),
        pin: Optional(Digits({ min: 4, max: 12 })),
        expiry: Optional(Digits({ min: 4, max: 4, description: 'YYMM.' })),
        walletTokenId: Optional(Digits({ max: 20 })),
        threeDs: Optional(Flag()),
        dryRun: Optional(Flag()),
        final: Optional(Flag()),
      }),
      example: { cardId: '1234567890', amount: 1250, currency: 'EUR', channel: 'ecommerce', threeDs: true },
      answers,
      async handler({ body }) {
        const pan = body.pan === undefined ? null : Pan.parse(body.pan);
        const country = countryOf(body.country ?? (SHOP.country as string));
        const wrong = (uri: string, attribute: string, details: string) =>
          invalid({ message: details, uri, attribute, details: [details] });
        if ((body.cardId === undefined) === (body.pan === undefined))
          throw wrong('#/', 'required', 'either cardId or pan');
        if (body.pan !== undefined && !pan) throw wrong('#/pan', 'format', 'a card number');
        if (!country) throw wrong('#/country', 'format', 'an ISO 3166-1 code');
        const device = body.walletTokenId === undefined ? null : (permutation.inward(body.walletTokenId) ?? 0n);
        const channel = body.channel ?? 'ecommerce';
        if (device !== null && channel !== 'contactless' && channel !== 'ecommerce')
          throw wrong('#/walletTokenId', 'dependent', 'a device pays contactless or in e-commerce');
        const number = pan ?? (await panOf(await cardOf(body.cardId as string)));
        const message = merchantWire(
          deps,
          channel === 'credit' ? 'credit' : 'authorize',
          { minor: body.amount, currency: body.currency },
          {
            channel,
            final: body.final ?? true,
            terminal: {
              ...SHOP,
              merchantId: body.merchantId ?? SHOP.merchantId,
              mcc: body.mcc ?? SHOP.mcc,
              descriptor: maskPansIn(body.merchantName ?? SHOP.descriptor),
              country: country.alpha3,
            },
          },
        );
        const { expiry = null, cvv = null, pin = null } = body;
        const outcome = await authorizer.ask(presenting(message, { pan: number, expiry, cvv, pin }), {
          dryRun: body.dryRun ?? false,
          authenticated: body.threeDs ?? false,
          walletTokenId: device,
        });
        return told(outcome);
      },
    }),
    following(
      'clear',
      'charge',
      'The merchant takes the money; without amount all that is held, or was when its time ended before',
      (row) => open(row) ?? (BigInt(row.asked.cleared) > 0n ? null : BigInt(row.details.lapsed ?? 0) || null),
    ),
    following('reverse', 'reverse', 'The merchant gives up a part of the hold, or all of it', open),
    following('increment', 'increment', 'The merchant asks for more'),
    endpoint({
      method: 'POST',
      path: '/authorizations/:id/expire',
      operation: 'expireAuthorization',
      summary: 'The hold ends now, as if its time were over',
      tag: TAG,
      right: null,
      params: IdPath,
      answers,
      async handler({ params }) {
        const row = await authorizationOf(params.id);
        const ended = await expire(deps, row.tenant_id, row.id, 'now');
        const after = await authorizationGet(db, row.tenant_id, row.id);
        return {
          status: 200,
          body: {
            approved: ended,
            responseCode: ended ? '00' : '25',
            reason: ended ? null : 'ORIGINAL_NOT_FOUND',
            explanation: [],
            authorizationId: permutation.outward(row.id),
            state: (after ?? row).state,
          },
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/refunds',
      operation: 'simulateRefund',
      summary: 'A merchant gives money back, for a payment or without one',
      description:
        'With `authorizationId`: all of it that was cleared and not given back, or `amount` of that. With `cardId`: amount and currency.',
      tag: TAG,
      right: null,
      body: Shape({
        authorizationId: Optional(Text()),
        cardId: Optional(Text()),
        amount: Optional(amount),
        currency: Optional(Currency()),
      }),
      answers,
      async handler({ body }) {
        if (body.authorizationId !== undefined) {
          const row = await authorizationOf(body.authorizationId);
          const left: Everything = ({ asked }) => BigInt(asked.cleared) - BigInt(asked.refunded);
          return told(await follow(row, 'refund', body.amount ?? left, true));
        }
        if (body.cardId === undefined || body.amount === undefined || body.currency === undefined)
          throw invalid({
            message: 'Something is missing',
            uri: '#/',
            attribute: 'required',
            details: ['authorizationId, or cardId with amount and currency'],
          });
        const card = await cardOf(body.cardId);
        return told(
          await authorizer.live(
            placeOf(card),
            merchantWire(deps, 'refund', { minor: body.amount, currency: body.currency }, {}),
          ),
        );
      },
    }),
  ];
}
