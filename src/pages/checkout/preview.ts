// The payment form as a template makes it look, of an order that is none: for the operator who designs it, and for the page's self-check.
import type { PageView } from '../../gateway/checkout/index.ts';
import type { PageTemplate } from '../../gateway/templates/index.ts';
import type { Page } from '../document.ts';
import { languageFor, wordsIn } from '../languages.ts';
import { formPage, NOTHING_TYPED } from './form-view.ts';

const EXAMPLE: Omit<PageView, 'template' | 'now' | 'updatedAt'> = {
  stage: 'form',
  status: 'new',
  merchant: 'Florin Example',
  description: 'Order 1001',
  minor: 1250n,
  currency: 'EUR',
  orderId: '1001',
  attempts: 0,
  attemptsLeft: 3,
  retry: null,
  expiresAt: null,
  returnUrl: null,
  cvvRequired: true,
  holderRequired: true,
  language: null,
  mobile: false,
  wallets: [],
  maskedPan: '',
  brand: '',
  authCode: '',
  timeZone: 'UTC',
  sandbox: false,
  heldBack: false,
  frameOrigins: [],
  bankForm: null,
};

/** Its forms lead nowhere. */
export function previewPage(template: PageTemplate, language: string, now: Date): Page {
  return formPage({
    view: { ...EXAMPLE, template, now, updatedAt: now },
    words: wordsIn(languageFor(language, undefined)),
    path: '/pay/preview',
    formToken: '',
    wrong: [],
    walletRefused: false,
    typed: NOTHING_TYPED,
  });
}
