// Request bodies as typed input of the use cases, and what schemas can't say about them. Rule: wrong fields are all told at once.
import { exponentOf, Pan, parseAmount } from '../../base/index.ts';
import { type Input, invalid } from '../../http/index.ts';
import { lookupBin } from '../../network/index.ts';
import type { StoredAnswer } from '../../store/index.ts';
import { type BrowserDetails, checkExternal } from '../../threeds/index.ts';
import type { Credential, Project } from '../projects/index.ts';
import { authorize, refuseWithout } from './authorize.ts';
import type { Draft } from './draft.ts';
import { OrderNotFound } from './errors.ts';
import type { Gateway } from './gateway.ts';
import type { OrderOptions } from './model.ts';
import { parentFor } from './parent.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies differ by endpoint and share the common fields
export type Body = any;

/** Minor units, or the contract's validation failure: the currency decides how many decimals fit. */
export function minorOf(text: string, currency: string): bigint {
  const minor = parseAmount(text, currency);
  if (minor !== null) return minor;
  const rule = exponentOf(currency) === 0 ? 'a whole amount in this currency' : 'at most 12 digits in minor units';
  throw invalid({ message: 'Invalid amount', uri: '#/amount', attribute: 'amount', details: [rule] });
}

export function panOf(text: string): Pan {
  const pan = Pan.parse(text);
  if (!pan)
    throw invalid({
      message: 'Invalid card number',
      uri: '#/pan',
      attribute: 'luhn',
      details: ['13 to 19 digits with a right check digit'],
    });
  return pan;
}

export function draftOf(project: Project, body: Body): Draft {
  const currency: string = body.currency ?? project.accounting_currency;
  const named = body.options?.terminal || undefined;
  if (named !== undefined && !project.terminals.some(({ id }) => id === named)) {
    throw invalid({
      message: 'Unknown terminal',
      uri: '#/options/terminal',
      attribute: 'exists',
      details: ['a terminal of the project'],
    });
  }
  const origins = project.settings.return_origins;
  for (const name of ['return_url', 'secure3d20_return_url'] as const) {
    const url = body.options?.[name];
    if (url !== undefined && origins.length > 0 && !origins.includes(new URL(url).origin)) {
      throw invalid({
        message: 'Address is not allowed',
        uri: `#/options/${name}`,
        attribute: 'origin',
        details: ['an origin that the project lists'],
      });
    }
  }
  return {
    amount: minorOf(body.amount, currency),
    currency,
    merchantOrderId: body.merchant_order_id ?? null,
    segment: body.segment ?? '',
    description: body.description ?? null,
    client: body.client ?? null,
    location: body.location ?? null,
    customFields: body.custom_fields ?? null,
    extraFields: body.extra_fields ?? null,
    ...(named === undefined ? {} : { terminal: named }),
    options: optionsOf(body.options ?? {}),
  };
}

/** The options as they are kept; the wallets' two spellings become one, the terminal has a place of its own. */
function optionsOf({
  terminal: _,
  wallet_a_pay_enabled,
  wallet_b_pay_enabled,
  expiration_timeout,
  ...rest
}: Body): OrderOptions {
  return {
    ...rest,
    ...(expiration_timeout === undefined ? {} : { expiration_timeout: `${expiration_timeout}ms` }),
    ...(wallet_a_pay_enabled === undefined ? {} : { apple_pay_enabled: wallet_a_pay_enabled }),
    ...(wallet_b_pay_enabled === undefined ? {} : { google_pay_enabled: wallet_b_pay_enabled }),
  };
}

const missing = (uri: string) => ({
  message: 'Required',
  uri,
  attribute: 'required',
  details: ['This field is required'],
});

export async function authorizeFrom(
  gateway: Gateway,
  { principal, body, once }: Input<Credential, unknown, unknown, Body>,
): Promise<StoredAnswer> {
  const { project } = principal;
  const { recurring_details: recurring, secure3d } = body;
  const merchant = body.options?.exemption_mit === true || (recurring !== undefined && recurring.indicator !== 'C');
  const errors = [];
  if (project.settings.cvv_required && !merchant && body.card.cvv === undefined) errors.push(missing('#/card/cvv'));
  if (project.settings.holder_required && body.card.holder === undefined) errors.push(missing('#/card/holder'));
  const pan = Pan.parse(body.pan);
  if (!pan)
    errors.push({
      message: 'Invalid card number',
      uri: '#/pan',
      attribute: 'luhn',
      details: ['13 to 19 digits with a right check digit'],
    });
  const { browser_details: browser, ...result } = secure3d ?? {};
  const external = Object.values(result).some((value) => value !== undefined && value !== '');
  if (external && body.options?.force3d)
    errors.push({
      message: 'Not together with secure3d',
      uri: '#/options/force3d',
      attribute: 'exclusive',
      details: ['either force3d or results of an earlier authentication'],
    });
  if (external && pan) {
    errors.push(
      ...checkExternal(result, lookupBin(pan).brand).map(({ field, attribute, message }) => ({
        message,
        uri: `#/secure3d/${field}`,
        attribute,
        details: [message],
      })),
    );
  }
  if (errors.length > 0 || !pan) throw invalid(...errors);
  const draft = draftOf(project, body);
  const parent = await parentFor(gateway, project, pan, recurring ?? null);
  return authorize(gateway, {
    project,
    draft: {
      ...draft,
      options: {
        ...draft.options,
        ...(recurring?.indicator ? { indicator: recurring.indicator } : {}),
        ...(parent.traceId ? { trace_id: parent.traceId } : {}),
      },
    },
    card: {
      pan,
      expiry: `${body.card.expiration_year}${body.card.expiration_month}`,
      cvv: body.card.cvv ?? null,
      holder: body.card.holder ?? null,
    },
    external: external ? result : null,
    browser: (browser as BrowserDetails | undefined) ?? null,
    initiator: merchant ? 'merchant' : 'customer',
    parentOrderId: parent.orderId,
    cardId: null,
    refuse: parent.refuse,
    pageOrder: null,
    once,
  });
}

export async function rebillFrom(
  gateway: Gateway,
  { principal, body, once }: Input<Credential, unknown, unknown, Body>,
  parentId: bigint,
): Promise<StoredAnswer> {
  const { project } = principal;
  const draft = draftOf(project, body);
  const parent = await parentFor(gateway, project, null, {
    parent_order_id: gateway.permutation.outward(parentId),
    indicator: 'U',
  });
  if (parent.unknown) throw new OrderNotFound();
  // The parent is as it should be written, but in a state without a card: a refusal, not a wrong field.
  if (!parent.card) return refuseWithout(gateway, project, once, 'rebill', 'card_unknown');
  return authorize(gateway, {
    project,
    draft: {
      ...draft,
      options: {
        ...draft.options,
        indicator: body.options?.recurring ? 'R' : 'U',
        ...(parent.traceId ? { trace_id: parent.traceId } : {}),
      },
    },
    card: { ...parent.card, cvv: body.cvv ?? body.card?.cvv ?? null },
    external: null,
    browser: null,
    initiator: 'merchant',
    parentOrderId: parent.orderId,
    cardId: parent.cardId,
    refuse: parent.refuse,
    pageOrder: null,
    once,
  });
}
