// What the contract's tests ask of a running Florin in a word or two. Rule: only over HTTP, as a merchant or its operator would.
import assert from 'node:assert/strict';
import { payment, type Reply, type TestApp } from './app.ts';

type Fields = Record<string, unknown>;

/** The one order of an answer. */
export const orderOf = ({ body }: Reply) => body.orders[0];

/** HTTP status, failure_type, and whether an order is named. */
export const refusedAs = ({ status, body }: Reply) => [status, body.failure_type, body.order_id !== null];

/** Where a validation failure points: `#/card/cvv`. */
export const uris = ({ status, body, text }: Reply): string[] => {
  assert.equal(status, 422, text);
  return body.errors.map(({ uri }: { uri: string }) => uri).sort();
};

/** What a browser does with a form. */
const postForm = (url: string, fields: Fields): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields as Record<string, string>),
  });

interface PageForm {
  readonly action: string;
  readonly fields: Record<string, string>;
}

/** Where a page's form posts to, and its hidden fields; of several forms the one that asks for a code or brings a result. */
async function formIn(response: Response): Promise<PageForm> {
  const forms = [...(await response.text()).matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([text]) => text);
  const form = forms.find((text) => /name="(code|PaRes)"/.test(text)) ?? forms[0] ?? '';
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]* type="hidden"[^>]*>|<input type="hidden"[^>]*>/g))
    fields[/name="([^"]*)"/.exec(input)?.[1] ?? ''] = /value="([^"]*)"/.exec(input)?.[1] ?? '';
  return { action: new URL(/action="([^"]*)"/.exec(form)?.[1] ?? '', response.url).toString(), fields };
}

/** The cardholder at his bank's page with a code, up to what his browser would bring to TermUrl. */
export async function challenge({ form3d }: { form3d: Record<string, string> }, code: string): Promise<PageForm> {
  const { action = '', MD, PaReq, TermUrl } = form3d;
  const page = await formIn(await postForm(action, { MD, PaReq, TermUrl }));
  return formIn(await postForm(page.action, { ...page.fields, code, do: 'submit' }));
}

/** The cardholder's browser at his bank's device-data page. */
export async function deviceData({ form3d }: { form3d: Record<string, string> }): Promise<void> {
  const { action = '', MD, PaReq, TermUrl } = form3d;
  const page = await formIn(await postForm(action, { MD, PaReq, TermUrl }));
  assert.equal((await postForm(page.action, page.fields)).status, 200);
}

export function shopOf(florin: TestApp) {
  const authorize = (fields: Fields = {}) => florin.merchant('POST', '/gateway/orders/authorize', payment(fields));
  const create = (fields: Fields = {}) => florin.merchant('POST', '/gateway/orders/create', { amount: 5, ...fields });
  const act = (id: string, action: string, body: unknown = {}) =>
    florin.merchant('PUT', `/gateway/orders/${id}/${action}`, body);
  const post = (id: string, action: string, body: unknown = {}) =>
    florin.merchant('POST', `/gateway/orders/${id}/${action}`, body);
  const get = async (id: string, expand = '') =>
    orderOf(await florin.merchant('GET', `/gateway/orders/${id}${expand ? `?expand=${expand}` : ''}`));
  return {
    authorize,
    create,
    act,
    post,
    get,
    /** An order that is authorized, whatever the fields. */
    async authorized(fields: Fields = {}) {
      const reply = await authorize(fields);
      assert.equal(reply.status, 200, reply.text);
      return orderOf(reply);
    },
    async charged(fields: Fields = {}) {
      const reply = await authorize({ ...fields, options: { ...(fields.options as Fields), auto_charge: 1 } });
      assert.equal(orderOf(reply)?.status, 'charged', reply.text);
      return orderOf(reply);
    },
    /** An order that waits for its cardholder. */
    async prepared(fields: Fields = {}) {
      const reply = await authorize({ ...fields, options: { ...(fields.options as Fields), force3d: 1 } });
      assert.equal(reply.status, 201, reply.text);
      return orderOf(reply);
    },
    /** Something comes from the issuer by itself. */
    async arrives(id: string, type: 'chargeback' | 'representment'): Promise<void> {
      const reply = await florin.operator('POST', `/simulator/orders/${id}/${type}`);
      assert.equal(reply.status, 204, reply.text);
    },
    list: (path: string) => florin.merchant('GET', `/gateway/${path}`),
    /** Runs with settings of project `sandbox`, and sets them back to their defaults. */
    async withSettings(settings: Fields, work: () => Promise<void>): Promise<void> {
      const patch = (body: Fields) => florin.operator('PATCH', '/operator/projects/sandbox/settings', body);
      const reply = await patch(settings);
      assert.equal(reply.status, 200, reply.text);
      try {
        await work();
      } finally {
        await patch(Object.fromEntries(Object.keys(settings).map((name) => [name, null])));
      }
    },
    async terminal(id: string, fields: Fields): Promise<void> {
      const whole = { descriptor: 'SHOP', currencies: ['EUR'], link: 'simulator', merchant_id: 'M1', mcc: '5999' };
      const reply = await florin.operator('PUT', `/operator/projects/sandbox/terminals/${id}`, { ...whole, ...fields });
      assert.ok(reply.status < 300, reply.text);
    },
    async advance(by: string): Promise<void> {
      const reply = await florin.operator('POST', '/simulator/clock/advance', { by });
      assert.equal(reply.status, 200, reply.text);
    },
    async booksHold(): Promise<void> {
      const { body } = await florin.operator('GET', '/operator/invariants?full=true');
      assert.deepEqual(
        body.checks.filter(({ ok }: { ok: boolean }) => !ok),
        [],
      );
    },
  };
}

export type Shop = ReturnType<typeof shopOf>;
