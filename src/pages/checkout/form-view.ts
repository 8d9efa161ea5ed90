// The payment form: what is to pay and to whom, wallets, the card's fields, what went wrong, the time left. Text of merchants is only text.
import type { PageCard, PageView, WrongField } from '../../gateway/checkout/index.ts';
import type { Wallet } from '../../gateway/orders/index.ts';
import type { FieldName } from '../../gateway/templates/index.ts';
import { type Html, html, trusted } from '../../html/index.ts';
import { type Page, page } from '../document.ts';
import type { TextName, Words } from '../languages.ts';

/** What of a wrong form is shown again: never the number, never the security code. */
export type Typed = Pick<PageCard, 'month' | 'year' | 'holder' | 'amount'>;
export const NOTHING_TYPED: Typed = { month: '', year: '', holder: '', amount: '' };

export interface FormState {
  readonly view: PageView;
  readonly words: Words;
  /** Where the page is: `/pay/…`. */
  readonly path: string;
  /** Shows that the form was made by us, for this browser. */
  readonly formToken: string;
  readonly wrong: readonly WrongField[];
  readonly walletRefused: boolean;
  readonly typed: Typed;
}

interface Input {
  readonly name: keyof PageCard;
  readonly label: TextName;
  readonly attributes: string;
  readonly hint?: TextName;
  readonly placeholder?: TextName;
}

const INPUTS = {
  number: {
    name: 'number',
    label: 'number',
    attributes: 'inputmode="numeric" autocomplete="cc-number" maxlength="23" autocorrect="off" spellcheck="false"',
  },
  month: {
    name: 'month',
    label: 'month',
    attributes: 'inputmode="numeric" autocomplete="cc-exp-month" maxlength="2"',
    placeholder: 'month_hint',
  },
  year: {
    name: 'year',
    label: 'year',
    attributes: 'inputmode="numeric" autocomplete="cc-exp-year" maxlength="4"',
    placeholder: 'year_hint',
  },
  cvv: {
    name: 'cvv',
    label: 'cvv',
    attributes: 'type="password" inputmode="numeric" autocomplete="cc-csc" maxlength="4"',
    hint: 'cvv_hint',
  },
  holder: {
    name: 'holder',
    label: 'holder',
    attributes: 'autocomplete="cc-name" maxlength="40" autocapitalize="words" spellcheck="false"',
  },
  amount: {
    name: 'amount',
    label: 'amount_to_pay',
    attributes: 'inputmode="decimal" autocomplete="transaction-amount" maxlength="14"',
  },
} as const satisfies Readonly<Record<keyof PageCard, Input>>;

const WRONG: Readonly<Record<WrongField, TextName>> = {
  number: 'wrong_number',
  month: 'wrong_month',
  year: 'wrong_year',
  expiry: 'wrong_expiry',
  cvv: 'wrong_cvv',
  holder: 'wrong_holder',
  amount: 'wrong_amount',
};

const complaint = ({ words, wrong }: FormState, name: WrongField): Html =>
  html`<p class="bad" id="bad-${name}"${wrong.includes(name) ? null : trusted(' hidden')}>${words.text(WRONG[name])}</p>`;

/** Label and input. What is said about it stands behind it, or behind the row that it is in. */
function input(state: FormState, of: Input, required: boolean, beside: Html | null = null): Html {
  const { words, wrong, typed } = state;
  const expired = wrong.includes('expiry') && (of.name === 'month' || of.name === 'year');
  const described = [
    `bad-${of.name}`,
    ...(of.name === 'month' || of.name === 'year' ? ['bad-expiry'] : []),
    ...(of.hint ? [`hint-${of.name}`] : []),
  ];
  const value = of.name in typed ? typed[of.name as keyof Typed] : '';
  return html`<label for="${of.name}">${words.text(of.label)}${required ? null : html` <span class="soft">(${words.text('optional')})</span>`}${beside}</label><input id="${of.name}" name="${of.name}" ${trusted(of.attributes)} aria-describedby="${described.join(' ')}"${of.placeholder ? html` placeholder="${words.text(of.placeholder)}"` : null}${value === '' ? null : html` value="${value}"`}${required ? trusted(' required') : null}${wrong.includes(of.name) || expired ? trusted(' aria-invalid="true"') : null}>`;
}

const hint = ({ words }: FormState, { name, hint: text }: Input): Html | null =>
  text ? html`<p class="hint" id="hint-${name}">${words.text(text)}</p>` : null;

interface Block {
  readonly inputs: (state: FormState) => readonly Html[];
  readonly said: (state: FormState) => readonly (Html | null)[];
}

const BLOCKS: Readonly<Record<FieldName, Block>> = {
  number: {
    inputs: (state) => [
      input(state, INPUTS.number, true, html`<span class="brand" id="brand" aria-hidden="true"></span>`),
    ],
    said: (state) => [complaint(state, 'number')],
  },
  expiry: {
    inputs: (state) => [input(state, INPUTS.month, true), input(state, INPUTS.year, true)],
    said: (state) => [complaint(state, 'month'), complaint(state, 'year'), complaint(state, 'expiry')],
  },
  cvv: {
    inputs: (state) => [input(state, INPUTS.cvv, state.view.cvvRequired)],
    said: (state) => [complaint(state, 'cvv'), hint(state, INPUTS.cvv)],
  },
  holder: {
    inputs: (state) => [input(state, INPUTS.holder, state.view.holderRequired)],
    said: (state) => [complaint(state, 'holder')],
  },
};

/** Short fields that follow each other share a row. */
const SHORT: readonly FieldName[] = ['expiry', 'cvv'];

function cardFields(state: FormState): Html[] {
  const rows: FieldName[][] = [];
  for (const name of state.view.template.fields) {
    const last = rows.at(-1);
    if (last && SHORT.includes(name) && last.every((other) => SHORT.includes(other))) last.push(name);
    else rows.push([name]);
  }
  return rows.map((row) => {
    const inputs = row.flatMap((name) => BLOCKS[name].inputs(state)).map((one) => html`<div>${one}</div>`);
    const said = row.flatMap((name) => BLOCKS[name].said(state)).filter((one) => one !== null);
    return html`${inputs.length > 1 ? html`<div class="row">${inputs}</div>` : inputs}${said}`;
  });
}

export function summary({ view, words }: Pick<FormState, 'view' | 'words'>): Html {
  const { logo } = view.template;
  const amount = view.minor === null ? null : html`<p class="amount">${words.amount(view.minor, view.currency)}</p>`;
  return html`<header class="card">${view.sandbox ? html`<p class="chip">${words.text('test_mode')}</p>` : null}${logo ? html`<img class="logo" src="${logo}" alt="">` : null}<h1>${view.merchant}</h1>${amount}${view.description ? html`<p class="soft">${view.description}</p>` : null}</header>`;
}

/** Names of brands, as they write themselves; not translated. */
const WALLET_NAMES: Readonly<Record<Wallet, string>> = { apple_pay: 'Apple Pay', google_pay: 'Google Pay' };

function walletForms({ view, words, path, formToken }: FormState): Html | null {
  // Without a fixed amount there is nothing that a wallet could approve; outside the sandbox a wallet needs its own script.
  if (view.wallets.length === 0 || view.minor === null || !view.sandbox) return null;
  const forms = view.wallets.map(
    (wallet) =>
      html`<form class="wallet" method="post" action="${path}/wallet"><input type="hidden" name="form" value="${formToken}"><input type="hidden" name="wallet" value="${wallet}"><button data-busy="${words.text('paying')}">${WALLET_NAMES[wallet]} (${words.text('test_wallet')})</button></form>`,
  );
  return html`${forms}<p class="or">${words.text('or_by_card')}</p>`;
}

const ADVICE: Readonly<Record<string, TextName>> = {
  never: 'declined_never',
  correct_data: 'declined_data',
};

function problem({ view, words, wrong, walletRefused }: FormState): Html | null {
  const said = (...texts: string[]): Html =>
    html`<div class="problem" role="alert">${texts.map((text) => html`<p>${text}</p>`)}</div>`;
  if (walletRefused) return said(words.text('wallet_refused'));
  if (wrong.length > 0) return said(words.text('check_fields'));
  if (view.attempts === 0) return null;
  const advice = words.text(ADVICE[view.retry ?? ''] ?? 'declined_retry');
  return said(words.text('declined'), `${advice} ${words.attemptsLeft(view.attemptsLeft)}.`);
}

/** Numbers of the sandbox's own cards, for people who try it by hand. */
const TEST_CARDS: readonly (readonly [TextName, string])[] = [
  ['test_approved', '4111 1111 1111 1111'],
  ['test_challenge', '4999 9910 9200 0004'],
  ['test_declined', '4999 9910 0510 0008'],
  ['test_fraud', '4000 0000 0000 0002'],
];

const testMode = ({ words }: FormState): Html =>
  html`<section class="note test" aria-labelledby="test"><strong id="test">${words.text('test_mode')}</strong> ${words.text('test_text')}<ul>${TEST_CARDS.map(([name, number]) => html`<li><span>${words.text(name)}</span><code>${number}</code></li>`)}</ul></section>`;

const BROWSER_FIELDS = [
  'browser_color_depth',
  'browser_language',
  'browser_screen_height',
  'browser_screen_width',
  'browser_timezone',
  'browser_java_enabled',
] as const;

export function formPage(state: FormState): Page {
  const { view, words, path, formToken } = state;
  const { template } = view;
  const leftMs = view.expiresAt === null ? null : Math.max(0, view.expiresAt.getTime() - view.now.getTime());
  const today = view.now.toISOString();
  const pay =
    view.minor === null
      ? words.text('pay_button', { amount: '' }).trim()
      : words.text('pay_button', { amount: words.amount(view.minor, view.currency) });
  const amount =
    view.minor === null
      ? html`${input(state, INPUTS.amount, true, html`<span class="brand">${view.currency}</span>`)}${complaint(state, 'amount')}`
      : null;
  const body = html`<div class="what">${summary(state)}</div>
<div class="how">${problem(state)}<section class="card" aria-label="${words.text('card_section')}">${walletForms(state)}<form id="card" method="post" action="${path}" data-now="${today.slice(2, 4)}${today.slice(5, 7)}"><input type="hidden" name="form" value="${formToken}">${BROWSER_FIELDS.map((name) => html`<input type="hidden" name="${name}">`)}${amount}${cardFields(state)}<button data-busy="${words.text('paying')}">${pay}</button></form>
<form method="post" action="${path}/cancel"><input type="hidden" name="form" value="${formToken}"><button class="plain">${words.text('cancel')}</button></form></section>
<p class="soft small time" id="left" role="timer"${leftMs === null ? null : html` data-ms="${leftMs}"`} data-text="${words.text('expires_in', { time: '{time}' })}" hidden></p><p class="soft small time">${words.text('secured')}</p></div>${view.sandbox ? testMode(state) : null}`;
  return page({
    title: words.text('pay_title', { merchant: view.merchant }),
    language: words.language,
    template,
    mobile: view.mobile,
    wide: true,
    body,
    formTargets: view.returnUrl ? [new URL(view.returnUrl).origin] : [],
    frames: view.frameOrigins,
    refreshSeconds: leftMs === null ? null : Math.ceil(leftMs / 1000) + 1,
  });
}
