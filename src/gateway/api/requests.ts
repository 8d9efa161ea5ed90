// Request bodies as typed input of the use cases. Rule: what is wrong with a field was told before (request-schemas.ts, request-rules.ts).
import { assert, Pan, parseAmount } from '../../base/index.ts';
import { type Input, invalid, pointerOf } from '../../http/index.ts';
import type { StoredAnswer } from '../../store/index.ts';
import type { BrowserDetails } from '../../threeds/index.ts';
import { authorize, parentFor } from '../authorization/index.ts';
import type { Draft } from '../intake/index.ts';
import { type GatewayDeps, type OrderOptions, refuse, rejectWithout } from '../orders/index.ts';
import type { Credential, Project } from '../projects/index.ts';
import { externalOf, isMerchantInitiated, wrongAmount } from './request-rules.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies differ by endpoint and share the common fields
export type Body = any;

/** Minor units of an order's own currency, or the contract's validation failure: only the order tells how many decimals fit. */
export function minorOf(text: string, currency: string): bigint {
  const minor = parseAmount(text, currency);
  if (minor !== null) return minor;
  const { path, ...rest } = wrongAmount(currency);
  throw invalid({ ...rest, uri: pointerOf(path) });
}

/** Of a request that request-rules.ts found nothing in. */
export function panOf(text: string): Pan {
  const pan = Pan.parse(text);
  assert(pan, 'a card number that was checked');
  return pan;
}

export function draftOf(project: Project, body: Body): Draft {
  const currency: string = body.currency ?? project.accounting_currency;
  const named = body.options?.terminal || undefined;
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

/** Whoever pays on a page is there: no exemption of payments without him. */
export function createDraftOf(project: Project, body: Body): Draft {
  const draft = draftOf(project, body);
  const { exemption_mit: _, ...options } = draft.options;
  return { ...draft, options };
}

export async function authorizeFrom(
  deps: GatewayDeps,
  { principal, body, once }: Input<Credential, unknown, unknown, Body>,
): Promise<StoredAnswer> {
  const { project } = principal;
  const recurring = body.recurring_details;
  const pan = panOf(body.pan);
  const draft = draftOf(project, body);
  const parent = await parentFor(deps, project, pan, recurring ?? null);
  const exempt = draft.options.exemption_mit === true && parent.orderId === null && parent.traceId === null;
  return authorize(deps, {
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
    external: externalOf(body),
    browser: (body.secure3d?.browser_details as BrowserDetails | undefined) ?? null,
    visit: null,
    initiator: isMerchantInitiated(body) ? 'merchant' : 'customer',
    parentOrderId: parent.orderId,
    cardId: null,
    reject: parent.reject ?? (exempt ? 'agreement_unknown' : null),
    pageOrder: null,
    once,
  });
}

export async function rebillFrom(
  deps: GatewayDeps,
  { principal, body, once }: Input<Credential, unknown, unknown, Body>,
  parentId: bigint,
): Promise<StoredAnswer> {
  const { project } = principal;
  const draft = draftOf(project, body);
  const parent = await parentFor(deps, project, null, {
    parent_order_id: deps.permutation.outward(parentId),
    indicator: 'U',
  });
  if (parent.unknown) throw refuse('not_found');
  // The parent is as it should be written, but in a state without a card: a rejection, not a wrong field.
  if (!parent.card) return rejectWithout(deps, project, once, 'rebill', 'card_unknown');
  return authorize(deps, {
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
    visit: null,
    initiator: 'merchant',
    parentOrderId: parent.orderId,
    cardId: parent.cardId,
    reject: parent.reject,
    pageOrder: null,
    once,
  });
}
