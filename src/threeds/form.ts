// The form that a shop puts into its own page and submits (`form3d`, `form3d_html`).
// Rule: inert. One form, id form3d, hidden inputs of a strict alphabet, a visible button; no script, nothing from the request.
import { assert } from '../base/index.ts';
import { html } from '../html/index.ts';

export interface Form3d {
  readonly MD: string;
  readonly PaReq: string;
  /** Where the transaction is finalized: ours. */
  readonly TermUrl: string;
  /** The front door of the access control server. */
  readonly action: string;
  readonly method: 'POST';
}

const VALUE = /^[A-Za-z0-9_-]{1,1024}$/;
const URL_TEXT = /^https?:\/\/[A-Za-z0-9.[\]:-]+(?:\/[A-Za-z0-9._~/-]*)?$/;

/** Well-formed HTML and XML at once, so that any parser sees the same form. */
export function formHtml(form: Form3d): string {
  assert(VALUE.test(form.MD) && VALUE.test(form.PaReq), 'form3d value outside its alphabet');
  assert(URL_TEXT.test(form.TermUrl) && URL_TEXT.test(form.action), 'form3d address outside its alphabet');
  const inputs = (['MD', 'PaReq', 'TermUrl'] as const).map(
    (name) => html`<input type="hidden" name="${name}" value="${form[name]}"/>`,
  );
  return html`<form id="form3d" action="${form.action}" method="${form.method}">${inputs}<button type="submit">Continue</button></form>`
    .text;
}
