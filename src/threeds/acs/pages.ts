// The access control server's pages: whole documents without anything from elsewhere, that work in a frame, on a phone and without script.
// Rule: style and script stand in the page and are allowed by their hash, so a change here changes the policy below by itself.
import { addMs, exponentOf, formatAmount } from '../../base/index.ts';
import { type Html, hashOf, html, trusted } from '../../html/index.ts';
import { collectedFields, encodeRequest, MAX_RESENDS, MAX_TRIES, RESEND_AFTER_MS } from '../protocol/index.ts';
import { termUrl } from '../requestor.ts';
import type { Notice, View } from './acs.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#16202e;--soft:#5b6878;--line:#d9e0e8;--paper:#fff;--ground:#eef2f6;--accent:#0b5fd3;--on:#fff;--bad:#b3261e;--badbg:#fdeceb}
@media (prefers-color-scheme:dark){:root{--ink:#e8edf3;--soft:#9dabba;--line:#33404f;--paper:#19222d;--ground:#10161d;--accent:#6aa7ff;--on:#0b1420;--bad:#ff9a92;--badbg:#3a1f1e}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{background:var(--paper);margin:0 auto;padding:20px;max-width:440px;min-height:100vh}
.w01 main{max-width:250px;padding:12px}.w02 main{max-width:390px}.w03 main{max-width:500px}.w04 main{max-width:600px;padding:16px 24px}
.w01{font-size:14px}
@media (min-width:480px) and (min-height:620px){.w05 main{margin:6vh auto;min-height:0;border:1px solid var(--line);border-radius:16px;padding:32px}}
header{display:flex;justify-content:space-between;align-items:center;gap:12px;border-bottom:1px solid var(--line);padding-bottom:12px}
header b{letter-spacing:.02em}header span{color:var(--soft);font-size:.85em;text-transform:capitalize}
h1{font-size:1.25em;line-height:1.25;margin:16px 0 8px}
p{margin:0 0 12px}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px;margin:12px 0 16px}
dt{color:var(--soft)}dd{margin:0;text-align:right;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
label{display:block;font-weight:600;margin-bottom:6px}
input[name=code]{width:100%;padding:12px;font:inherit;font-size:1.25em;letter-spacing:.25em;text-align:center;color:inherit;background:transparent;border:1px solid var(--soft);border-radius:10px}
button{width:100%;padding:12px 16px;margin-top:12px;font:inherit;font-weight:600;color:var(--on);background:var(--accent);border:1px solid var(--accent);border-radius:10px;cursor:pointer}
button.plain{color:var(--accent);background:transparent;border-color:var(--line)}
button[disabled]{opacity:.5;cursor:default}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.pair{display:flex;gap:12px}.pair button{flex:1 1 auto;width:auto;padding:12px 8px}
.note{padding:10px 12px;border:1px solid var(--line);border-radius:10px}
.bad{color:var(--bad);background:var(--badbg);border-color:transparent}
small,details{color:var(--soft);font-size:.85em}small{display:block;margin-top:12px}details{margin-top:16px}summary{cursor:pointer}
`;

const RETURN_SCRIPT = `document.getElementById('return').submit()`;

/** Fills in what only a script can see, then goes on; the button does the same with less. */
const METHOD_SCRIPT = `(function(){var f=document.getElementById('device'),s=screen,v={browser_color_depth:s.colorDepth,browser_language:navigator.language,browser_screen_height:s.height,browser_screen_width:s.width,browser_timezone:new Date().getTimezoneOffset(),browser_java_enabled:false,window_height:innerHeight,window_width:innerWidth};for(var n in v)if(f.elements[n])f.elements[n].value=v[n];f.submit()})()`;

const POLICY_STYLE = hashOf(STYLE);
const POLICY_SCRIPTS = [RETURN_SCRIPT, METHOD_SCRIPT].map(hashOf).join(' ');

/** Frames are welcome on purpose: a shop may show a challenge in one. Forms go to us and to nobody else. */
export function pageHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${POLICY_STYLE}; script-src ${POLICY_SCRIPTS}; form-action 'self' ${new URL(publicUrl).origin}; base-uri 'none'; frame-ancestors *`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function page(title: string, brand: string, window: string, content: Html, script: string | null = null): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${trusted(STYLE)}</style></head>
<body class="w${window}"><main><header><b>Florin Bank</b><span>${brand}</span></header>
${content}</main>${script === null ? null : html`<script>${trusted(script)}</script>`}</body></html>
`.text;
}

const hidden = (fields: readonly (readonly [string, string])[]): Html[] =>
  fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

/** How often a code may still be entered. */
const triesLeft = ({ tries }: { readonly tries: number }): string =>
  MAX_TRIES - tries === 1 ? '1 try' : `${MAX_TRIES - tries} tries`;

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** As people write it: no decimals where the currency has none. */
const amountText = (minor: bigint, currency: string): string =>
  `${exponentOf(currency) === 0 ? minor.toString() : formatAmount(minor, currency)} ${currency}`;

type Shown<Kind extends View['kind']> = Extract<View, { kind: Kind }>;

const NOTICES: Readonly<Record<Notice, (view: Shown<'challenge'>) => readonly [text: string, bad: boolean]>> = {
  wrong: ({ row }) => [`That code is not right. ${triesLeft(row)} left.`, true],
  again: () => ['This page had been answered before. Please enter the code again.', false],
  sent: () => ['A new code is on its way.', false],
  too_early: ({ row, now }) => [
    `Please wait ${plural(Math.ceil((addMs(row.sent_at, RESEND_AFTER_MS).getTime() - now.getTime()) / 1000), 'second')} before you ask for another code.`,
    true,
  ],
  no_more_codes: () => ['No more codes can be sent for this payment.', true],
  waiting: () => ['We are still waiting for an answer. Please keep this page open.', false],
};

const APPS: Readonly<Record<'BIOMETRICS' | 'EXTERNAL_AUTHY', string>> = {
  BIOMETRICS: "Open your bank's app and confirm this payment with your fingerprint or face.",
  EXTERNAL_AUTHY: 'Open your authenticator app and confirm this payment.',
};

function challengePage(view: Shown<'challenge'>, publicUrl: string): string {
  const { row, md, request, notice, now } = view;
  const told = notice && NOTICES[notice](view);
  const minutes = Math.max(1, Math.ceil((row.expires_at.getTime() - now.getTime()) / 60_000));
  const fields = hidden([
    ['MD', md],
    ['PaReq', encodeRequest(request)],
    ['tries', String(row.tries)],
    ['resends', String(row.resends)],
  ]);
  const resend =
    row.resends < MAX_RESENDS
      ? html`<button class="plain" type="submit" name="do" value="resend" formnovalidate>Send a new code</button>`
      : html`<button class="plain" type="button" disabled>No more codes</button>`;
  const { challenge } = row;
  const fallback = challenge?.fallback
    ? html`<button class="plain" type="submit" name="do" value="fallback" formnovalidate>Send me a code by SMS instead</button>`
    : null;
  const ask =
    challenge && challenge.channel !== 'OTP_SMS'
      ? html`<p class="note">${APPS[challenge.channel]}</p>
<button type="submit" name="do" value="proceed" autofocus>I have confirmed</button>${fallback}
<div class="pair"><button class="plain" type="submit" name="do" value="cancel" formnovalidate>Cancel</button></div>`
      : html`<label for="code">${challenge?.sentTo ? `Code that we sent to ${challenge.sentTo}` : 'Code that we sent to your phone'}</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required autofocus aria-describedby="left">
<button type="submit" name="do" value="submit">Confirm</button>
<div class="pair">${resend}<button class="plain" type="submit" name="do" value="cancel" formnovalidate>Cancel</button></div>`;
  const help = challenge
    ? null
    : html`<details><summary>Test codes</summary>This is a sandbox: no message is sent. 1234 confirms, 1111 fails, 2222 is rejected, 3333 is unavailable, 7777 is an attempt, 00 and two digits fails with that reason.</details>`;
  const content = html`<h1>Confirm your payment</h1>
<dl><dt>Merchant</dt><dd>${row.merchant_name}</dd><dt>Amount</dt><dd><b>${amountText(row.amount, row.currency)}</b></dd><dt>Card</dt><dd>${row.masked_pan}</dd></dl>
${told && html`<p class="note${told[1] ? ' bad' : ''}" role="${told[1] ? 'alert' : 'status'}">${told[0]}</p>`}
<form id="challenge" method="POST" action="${publicUrl}/acs/answer">${fields}
${ask}
</form>
<p><small id="left">${challenge && challenge.channel !== 'OTP_SMS' ? null : `${triesLeft(row)} left. `}This page is valid for ${plural(minutes, 'minute')}.</small></p>
${help}
`;
  return page('Confirm your payment', row.brand, request.challengeWindowSize, content);
}

function methodPage({ row, md, request }: Shown<'method'>, publicUrl: string): string {
  const carried = hidden([
    ['MD', md],
    ['PaReq', encodeRequest(request)],
  ]);
  const asked = hidden(Object.keys(collectedFields).map((name) => [name, '']));
  const content = html`<h1>One moment</h1>
<p>Your bank looks at the device that you pay with.</p>
<form id="device" method="POST" action="${publicUrl}/acs/device">${carried}${asked}<button type="submit">Continue</button></form>
`;
  return page('One moment', row.brand, request.challengeWindowSize, content, METHOD_SCRIPT);
}

function returnPage({ fields }: Shown<'return'>, publicUrl: string): string {
  const content = html`<h1>Thank you</h1>
<p>You are taken back to the shop.</p>
<form id="return" method="POST" action="${termUrl(publicUrl)}">${hidden(fields)}<button type="submit">Back to the shop</button></form>
`;
  return page('Thank you', '', '05', content, RETURN_SCRIPT);
}

/** The same for everything that is wrong, so that it teaches nobody to guess. */
export const refusedPage = (): string =>
  page(
    'Not possible',
    '',
    '05',
    html`<h1>This can't be continued</h1>
<p class="note bad" role="alert">The request is incomplete or no longer valid. Please go back to the shop and pay again.</p>
`,
  );

/** The page that answers a post. */
export function render(view: View, publicUrl: string): string {
  if (view.kind === 'challenge') return challengePage(view, publicUrl);
  if (view.kind === 'method') return methodPage(view, publicUrl);
  return view.kind === 'return' ? returnPage(view, publicUrl) : refusedPage();
}
