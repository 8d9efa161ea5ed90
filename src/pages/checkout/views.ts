// The payment page's views: the form, the end, what went wrong. Server-rendered, no script; merchant text only ever as text.
import type { PageCard, PageView } from '../../gateway/orders/index.ts';
import { type Html, html, trusted } from '../html.ts';
import { css } from '../style.ts';

export function frame(title: string, body: Html): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${trusted(css)}</style></head><body><main>${body}</main></body></html>`
    .text;
}

const summary = (view: PageView): Html =>
  html`<header class="card"><h1>${view.merchant}</h1><p class="amount">${view.amount} ${view.currency}</p>${view.description ? html`<p class="soft">${view.description}</p>` : null}</header>`;

interface Field {
  readonly name: keyof PageCard;
  readonly label: string;
  readonly attributes: string;
  readonly wrong: string;
}

const FIELDS: Readonly<Record<keyof PageCard, Field>> = {
  number: {
    name: 'number',
    label: 'Card number',
    attributes: 'inputmode="numeric" autocomplete="cc-number" maxlength="23"',
    wrong: 'Check the card number',
  },
  month: {
    name: 'month',
    label: 'Month',
    attributes: 'inputmode="numeric" autocomplete="cc-exp-month" placeholder="MM" maxlength="2"',
    wrong: '01 to 12',
  },
  year: {
    name: 'year',
    label: 'Year',
    attributes: 'inputmode="numeric" autocomplete="cc-exp-year" placeholder="YY" maxlength="4"',
    wrong: 'Two digits',
  },
  cvv: {
    name: 'cvv',
    label: 'CVV',
    attributes: 'inputmode="numeric" autocomplete="cc-csc" maxlength="4" type="password"',
    wrong: '3 or 4 digits',
  },
  holder: {
    name: 'holder',
    label: 'Name on card',
    attributes: 'autocomplete="cc-name" maxlength="40"',
    wrong: '2 to 40 characters',
  },
};

const field = ({ name, label, attributes, wrong }: Field, bad: boolean): Html =>
  html`<label>${label}<input name="${name}" ${trusted(attributes)} required${bad ? trusted(` aria-invalid="true" aria-describedby="bad-${name}"`) : null}></label>${bad ? html`<p class="bad" id="bad-${name}">${wrong}</p>` : null}`;

export function formPage(view: PageView, path: string, wrong: readonly (keyof PageCard)[]): string {
  const input = (name: keyof PageCard): Html => field(FIELDS[name], wrong.includes(name));
  const declined = view.attempts > 0 && wrong.length === 0;
  return frame(
    `Pay ${view.merchant}`,
    html`${summary(view)}${declined ? html`<p class="problem" role="alert">The card was declined. Try again or use another card: ${view.attemptsLeft} ${view.attemptsLeft === 1 ? 'attempt' : 'attempts'} left.</p>` : null}
<form class="card" method="post" action="${path}">${input('number')}<div class="row"><div>${input('month')}</div><div>${input('year')}</div><div>${input('cvv')}</div></div>${input('holder')}<button>Pay ${view.amount} ${view.currency}</button></form>
<form method="post" action="${path}/cancel"><button class="plain">Cancel and return</button></form>
${view.sandbox ? html`<p class="note">Test mode, no money moves. Approved: <code>4111 1111 1111 1111</code>, challenge: <code>4999 9910 9200 0004</code> (code 1234), declined: <code>4999 9910 0510 0008</code>.</p>` : null}`,
  );
}

const ENDS: Readonly<Partial<Record<PageView['status'], readonly [title: string, text: string]>>> = {
  authorized: ['Payment received', 'Thank you. The payment was accepted.'],
  charged: ['Payment received', 'Thank you. The payment was made.'],
  declined: ['Payment declined', 'The bank did not accept the payment. Nothing was charged.'],
  rejected: ['Payment not made', 'The payment was cancelled or its time ran out. Nothing was charged.'],
  fraud: ['Payment declined', 'The payment was not accepted. Nothing was charged.'],
  error: ['Payment not made', 'Something went wrong on the way to the bank. Nothing was charged.'],
  prepared: ['Waiting for your bank', 'The payment waits for your bank’s confirmation.'],
  new: ['One moment', 'The payment is being processed. Reload this page in a few seconds.'],
};

/** The receipt, or the end without one. */
export function endPage(view: Pick<PageView, 'status' | 'returnUrl' | 'orderId'> & Partial<PageView>): string {
  const [title, text] = ENDS[view.status] ?? ['Payment completed', 'This payment is finished.'];
  return frame(
    title,
    html`<section class="card"><h1>${title}</h1><p>${text}</p><dl>${view.merchant ? html`<dt>Merchant</dt><dd>${view.merchant}</dd>` : null}${view.amount ? html`<dt>Amount</dt><dd>${view.amount} ${view.currency ?? ''}</dd>` : null}${view.maskedPan ? html`<dt>Card</dt><dd>${view.maskedPan}</dd>` : null}<dt>Order</dt><dd>${view.orderId}</dd></dl>${view.returnUrl ? html`<a class="button" href="${view.returnUrl}" target="_top">Return to the shop</a>` : null}</section>`,
  );
}

/** Goes on by itself after a moment, also without script; a link for who doesn't want to wait. */
export const onwardPage = (url: string): string =>
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta http-equiv="refresh" content="0;url=${url}"><title>Returning to the shop</title><style>${trusted(css)}</style></head><body><main><section class="card"><h1>Returning to the shop</h1><a class="button" href="${url}" target="_top">Continue</a></section></main></body></html>`
    .text;

/** A form for the bank, with its own visible button. */
export const bankPage = (form: string): string =>
  frame(
    'Confirm with your bank',
    html`<section class="card"><h1>Confirm with your bank</h1><p class="soft">Your bank wants to make sure that it is you.</p>${trusted(form)}</section>`,
  );

/** Posts the order's id to the address that the merchant gave for the end of the challenge. */
export const notifyPage = (url: string, orderId: string): string =>
  frame(
    'Returning to the shop',
    html`<section class="card"><h1>Returning to the shop</h1><form method="post" action="${url}" target="_top"><input type="hidden" name="order_id" value="${orderId}"><button>Continue</button></form></section>`,
  );

export const messagePage = (title: string, text: string): string =>
  frame(title, html`<section class="card"><h1>${title}</h1><p>${text}</p></section>`);
