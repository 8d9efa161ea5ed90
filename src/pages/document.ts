// A whole page and the headers that go with it. Rule: nothing comes from elsewhere, and what may run or look stands in the policy by its
// hash, so that a page that was changed on its way doesn't run.
import { readFileSync } from 'node:fs';
import { DEFAULT_TEMPLATE, type PageTemplate } from '../gateway/templates/index.ts';
import { type Html, hashOf, html, trusted } from '../html/index.ts';
import type { Language } from './languages.ts';
import { BASE_STYLE, themeStyle } from './style.ts';

/** What makes the pages handier; each of them works without. */
export const SCRIPT = readFileSync(new URL('./browser/checkout.js', import.meta.url), 'utf8').trim();

const SCRIPT_HASH = hashOf(SCRIPT);
const BASE_HASH = hashOf(BASE_STYLE);

export const REPORT_PATH = '/csp-report';

export interface PageParts {
  readonly title: string;
  readonly language: Language;
  readonly body: Html;
  readonly template?: PageTemplate;
  readonly mobile?: boolean;
  /** Two columns where there is room. */
  readonly wide?: boolean;
  /** Origins that a form of the page leads to, by itself or by a redirect behind it. */
  readonly formTargets?: readonly string[];
  /** Who may frame it: origins, or `*`; empty: nobody. */
  readonly frames?: readonly string[];
  /** Where there is no script to do it: looked at again after so many seconds. */
  readonly refreshSeconds?: number | null;
  /** Where it goes on by itself, also without script. */
  readonly onwardTo?: string | null;
}

export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function page(parts: PageParts): Page {
  const { template = DEFAULT_TEMPLATE, frames = [], formTargets = [], refreshSeconds = null, onwardTo = null } = parts;
  const theme = themeStyle(template);
  const refresh =
    onwardTo === null
      ? refreshSeconds === null
        ? null
        : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`
      : html`<noscript><meta http-equiv="refresh" content="0;url=${onwardTo}"></noscript>`;
  const text =
    html`<!doctype html><html lang="${parts.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><meta name="referrer" content="same-origin"><title>${parts.title}</title>${refresh}<style>${trusted(BASE_STYLE)}</style><style>${trusted(theme)}</style></head><body${parts.mobile ? trusted(' class="mobile"') : null}><main${parts.wide ? trusted(' class="wide"') : null}>${parts.body}</main><script>${trusted(SCRIPT)}</script></body></html>`
      .text;
  const policy = [
    `default-src 'none'`,
    `style-src ${BASE_HASH} ${hashOf(theme)}`,
    `script-src ${SCRIPT_HASH}`,
    ...(template.logo ? ['img-src data:'] : []),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors ${frames.length > 0 ? frames.join(' ') : `'none'`}`,
    `require-trusted-types-for 'script'`,
    `report-uri ${REPORT_PATH}`,
  ].join('; ');
  return {
    html: text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      ...(frames.length > 0 ? {} : { 'x-frame-options': 'DENY' }),
    },
  };
}
