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
      const { body } = await florin.operator('GET', '/operator/invariants');
      assert.deepEqual(
        body.checks.filter(({ ok }: { ok: boolean }) => !ok),
        [],
      );
    },
  };
}

export type Shop = ReturnType<typeof shopOf>;
