// The pages around the payment form: on to the bank, one moment, the receipt or the end without one, back to the shop, nothing here.
import { isOver, type PageView } from '../../gateway/checkout/index.ts';
import { type Html, html, trusted } from '../../html/index.ts';
import { type Page, page } from '../document.ts';
import type { TextName, Words } from '../languages.ts';
import { summary } from './form-view.ts';

interface Seen {
  readonly view: PageView;
  readonly words: Words;
}

const shop = ({ returnUrl }: PageView): string[] => (returnUrl ? [new URL(returnUrl).origin] : []);
const common = ({ view, words }: Seen) => ({
  language: words.language,
  template: view.template,
  mobile: view.mobile,
  frames: view.frameOrigins,
});
const section = (title: string, ...content: (Html | null)[]): Html =>
  html`<section class="card"><h1>${title}</h1>${content.filter((part) => part !== null)}</section>`;

/** The form as every shop gets it, with its button in the payer's language. */
const toBank = (form: string, words: Words): Html =>
  trusted(
    form.replace(/(<button[^>]*>)[^<]*/, (_, tag: string) => html`${trusted(tag)}${words.text('bank_button')}`.text),
  );

/** The payer's bank wants to see him: goes on by itself where he arrives, by a button where he comes back. */
export function bankPage(seen: Seen, path: string, formToken: string, bankOrigin: string): Page {
  const { view, words } = seen;
  const title = words.text('bank_title');
  return page({
    ...common(seen),
    title,
    formTargets: [bankOrigin, ...shop(view)],
    body: html`${summary(seen)}${section(
      title,
      html`<p>${words.text('bank_text')}</p><div data-go>${toBank(view.bankForm ?? '', words)}</div>`,
    )}<form method="post" action="${path}/cancel"><input type="hidden" name="form" value="${formToken}"><button class="plain">${words.text('cancel')}</button></form>`,
  });
}

/** A further form for the bank, on the way: no page of an order of ours stands behind it. */
export const bankStepPage = (words: Words, form: string, bankOrigin: string): Page =>
  page({
    title: words.text('bank_title'),
    language: words.language,
    formTargets: [bankOrigin],
    frames: ['*'],
    body: section(
      words.text('bank_title'),
      html`<p>${words.text('bank_text')}</p><div data-go>${toBank(form, words)}</div>`,
    ),
  });

/** One section below what is paid for; its form leads back to the shop. */
function sectionPage(seen: Seen, titleName: TextName, content: Html): Page {
  const { view, words } = seen;
  const title = words.text(titleName);
  return page({
    ...common(seen),
    title,
    formTargets: shop(view),
    body: html`${summary(seen)}${section(title, content)}`,
  });
}

/** The bank has answered while nobody was here: the payer's own step finishes the payment. */
export const answeredPage = (seen: Seen, path: string, formToken: string): Page =>
  sectionPage(
    seen,
    'bank_title',
    html`<p>${seen.words.text('bank_done')}</p><form data-go method="post" action="${path}/finish"><input type="hidden" name="form" value="${formToken}"><button>${seen.words.text('finish_button')}</button></form>`,
  );

/** Nothing is taken here any more, or not now: what is left to do is to go. */
export const closedPage = (seen: Seen, path: string, formToken: string): Page =>
  sectionPage(
    seen,
    'closed_title',
    html`<p>${seen.words.text('closed_text')}</p><form method="post" action="${path}/cancel"><input type="hidden" name="form" value="${formToken}"><button class="plain">${seen.words.text('cancel')}</button></form>`,
  );

/** Looks again every two seconds. */
export function workingPage(seen: Seen, path: string): Page {
  const { words } = seen;
  return page({
    ...common(seen),
    title: words.text('working_title'),
    refreshSeconds: 2,
    body: html`${summary(seen)}${section(
      words.text('working_title'),
      html`<p role="status" data-again="2000">${words.text('working_text')}</p><a class="button plain" href="${path}">${words.text('reload')}</a>`,
    )}`,
  });
}

/** status → what the payer is told; whatever isn't here is finished. */
const ENDS: Readonly<Partial<Record<PageView['status'], readonly [title: TextName, text: TextName]>>> = {
  authorized: ['paid_title', 'paid_text'],
  charged: ['paid_title', 'paid_text'],
  declined: ['declined_title', 'declined'],
  fraud: ['declined_title', 'fraud_text'],
  rejected: ['rejected_title', 'rejected_text'],
  error: ['rejected_title', 'error_text'],
  reversed: ['reversed_title', 'reversed_text'],
  refunded: ['refunded_title', 'refunded_text'],
};

const row = (name: string, value: string | null, whole = false): Html | null =>
  value === null || value === ''
    ? null
    : html`<div><dt>${name}</dt><dd${whole ? trusted(' class="whole"') : null}>${value}</dd></div>`;

/** Says the same as the title beside it, to who only glances. */
const mark = (stage: PageView['stage']): Html =>
  stage === 'paid'
    ? html`<p class="mark good" aria-hidden="true">✓</p>`
    : html`<p class="mark${stage === 'failed' ? ' wrong' : ''}" aria-hidden="true">${stage === 'failed' ? '!' : '↩'}</p>`;

/** The receipt of what was paid, or why it wasn't; printable. */
export function endPage(seen: Seen): Page {
  const { view, words } = seen;
  const [title, text] = ENDS[view.status] ?? ['finished_title', 'finished_text'];
  const paid = view.stage === 'paid' || view.stage === 'undone';
  const rows = [
    row(words.text('merchant'), view.merchant),
    row(words.text('amount'), view.minor === null ? null : words.amount(view.minor, view.currency)),
    row(words.text('description'), view.description),
    row(words.text('date'), words.dateTime(view.updatedAt, view.timeZone)),
    row(words.text('card'), view.maskedPan, true),
    row(words.text('auth_code'), paid ? view.authCode : null),
    row(words.text('order'), view.orderId, true),
  ].filter((part) => part !== null);
  const { logo } = view.template;
  return page({
    ...common(seen),
    title: words.text(title),
    body: html`<section class="card">${logo ? html`<img class="logo" src="${logo}" alt="">` : null}${mark(view.stage)}<div role="status"><h1>${words.text(title)}</h1><p>${words.text(text)}</p></div>${view.heldBack ? html`<p class="note test">${words.text('test_held_back', { setting: 'card_testing' })}</p>` : null}${paid ? html`<h2>${words.text('receipt')}</h2>` : null}<dl>${rows}</dl>${view.returnUrl ? html`<a class="button" href="${view.returnUrl}" target="_top">${words.text('return_button')}</a>` : null}${paid ? html`<button class="plain" type="button" id="print" data-script hidden>${words.text('print')}</button>` : null}</section>`,
  });
}

/** Who leaves without paying a link that is for many. */
export const leftPage = (seen: Seen): Page =>
  page({
    ...common(seen),
    title: seen.words.text('rejected_title'),
    body: section(seen.words.text('rejected_title'), html`<p>${seen.words.text('rejected_text')}</p>`),
  });

/** Back to the shop: the whole window, also out of a frame; a link for who has no script or doesn't want to wait. */
export const onwardPage = (words: Words, url: string, framed: boolean): Page =>
  page({
    title: words.text('return_title'),
    language: words.language,
    frames: ['*'],
    // Without script the frame alone would go, and show the shop inside the shop: there the link leads out.
    onwardTo: framed ? null : url,
    body: section(
      words.text('return_title'),
      html`<a class="button" href="${url}" target="_top" data-onward>${words.text('return_button')}</a>`,
    ),
  });

/** Posts the order's id to the address that the merchant gave for the end of the challenge. */
export const notifyPage = (words: Words, url: string, orderId: string): Page =>
  page({
    title: words.text('return_title'),
    language: words.language,
    frames: ['*'],
    formTargets: [new URL(url).origin],
    body: section(
      words.text('return_title'),
      html`<form data-go method="post" action="${url}" target="_top"><input type="hidden" name="order_id" value="${orderId}"><button>${words.text('return_button')}</button></form>`,
    ),
  });

export const messagePage = (words: Words, title: TextName, text: TextName, frames: readonly string[] = []): Page =>
  page({
    title: words.text(title),
    language: words.language,
    frames,
    body: section(words.text(title), html`<p>${words.text(text)}</p>`),
  });

/** Which page an order that is over shows: the shop's, or our own end. */
export const leadsToShop = (view: PageView): view is PageView & { readonly returnUrl: string } =>
  isOver(view.stage) && view.returnUrl !== null;
