// The room on its own: a real database, a clock that stands still until it is moved, the access control server on a port,
// and a gateway that does nothing but write down what is posted to TermUrl.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import {
  idMaker,
  idPermutation,
  type Money,
  maskDigits,
  Pan,
  systemRandom,
  VirtualClock,
} from '../../src/base/index.ts';
import { formBodies } from '../../src/http/index.ts';
import { type Change, statementsFor } from '../../src/store/index.ts';
import type { Cardholders } from '../../src/threeds/index.ts';
import {
  type AuthenticationRequest,
  acsRoutes,
  createThreeds,
  type Directory,
  type Keys,
  type SandboxOutcome,
  type Started,
  sandboxDirectory,
  type Threeds,
} from '../../src/threeds/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';
import { atEnd } from '../support/ends.ts';

export const keys: Keys = {
  keyed: (purpose, data) => createHmac('sha256', `key of ${purpose}`).update(data).digest(),
  fingerprint: (pan) => createHmac('sha256', 'key of fingerprints').update(pan.reveal()).digest('hex'),
};

export const ids = idPermutation(Buffer.from('0123456789abcdef'));
/** No card here is issued by ourselves. */
const never = (): never => assert.fail('asked about a card of our own');
const nobody: Cardholders = { enrol: never, check: never, state: never, resend: never, fallBack: never };

export const MERCHANT_ID = 'SHOP00000000001';
export const PAN = Pan.parse('4111111111111111') as Pan;
export const MASKED = maskDigits('4111111111111111');
export const NOON = new Date('2026-11-21T12:00:00.000Z');

export type Prepared = Extract<Started, { kind: 'form' }>;
export type Fields = Readonly<Record<string, string>>;

export interface World {
  readonly url: string;
  readonly database: TestDatabase;
  readonly clock: VirtualClock;
  readonly threeds: Threeds;
  /** What TermUrl was sent, newest last. */
  readonly landed: Fields[];
  /** Pages of a shop of ours, below /shop/. */
  readonly shop: Map<string, string>;
  /** What the directory answers next. */
  outcome: SandboxOutcome | null;
  /** Starts, expects a form, commits its rows. */
  prepare(fields?: Partial<AuthenticationRequest>): Promise<Prepared>;
  request(fields?: Partial<AuthenticationRequest>): AuthenticationRequest;
  commit(changes: readonly Change[]): Promise<void>;
  post(path: string, fields: Fields | URLSearchParams, headers?: Record<string, string>): Promise<Page>;
  advance(ms: number): void;
}

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

/** Long: a requestor, a directory and their bank, and what tests may do with them. */
export async function world(directory?: Directory): Promise<World> {
  const database = await testDatabase();
  const clock = new VirtualClock();
  clock.set(NOON);
  clock.freeze(true);
  const maker = idMaker(clock, 7);
  const landed: Fields[] = [];
  const app = fastify();
  formBodies(app);
  app.post('/threeds/term', (request, reply) => {
    landed.push({ ...(request.body as Fields) });
    return reply.type('text/html').send('<!doctype html><title>Landed</title><h1>Landed</h1>');
  });
  const shop = new Map<string, string>();
  app.get<{ Params: { name: string } }>('/shop/:name', (request, reply) =>
    reply.type('text/html').send(shop.get(request.params.name) ?? ''),
  );
  // The routes have to know their public address before the server listens.
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  await app.register(
    acsRoutes({
      db: database,
      clock,
      keys,
      ids,
      log: silent,
      publicUrl,
      cardholders: nobody,
      remoteAddressOf: ({ ip }) => ip,
    }),
  );
  await app.listen({ port, host: '127.0.0.1' });
  atEnd(() => app.close());

  const made: World = {
    url: publicUrl,
    database,
    clock,
    landed,
    shop,
    outcome: null,
    threeds: createThreeds({
      db: database,
      clock,
      log: silent,
      keys,
      ids,
      publicUrl,
      directory: directory ?? sandboxDirectory({ outcome: () => made.outcome, keys, random: systemRandom }),
    }),
    request: (fields = {}) => ({
      owner: 41n,
      orderId: maker.next(),
      transactionId: maker.next(),
      pan: PAN,
      expiry: '3012',
      holder: 'Ada Example',
      brand: 'visa',
      amount: { minor: 1250n, currency: 'EUR' } satisfies Money,
      merchantId: MERCHANT_ID,
      merchantName: 'Corner Shop',
      forced: true,
      browser: null,
      methodDone: false,
      at: clock.now(),
      ...fields,
    }),
    async prepare(fields) {
      const started = await made.threeds.start(made.request(fields));
      if (started.kind !== 'form') throw new Error(`expected a form, got ${started.kind}`);
      await made.commit(started.changes);
      return started;
    },
    async commit(changes) {
      for (const { text, values } of statementsFor(changes)) await database.query(text, values);
    },
    async post(path, fields, headers = {}) {
      const response = await fetch(new URL(path, publicUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      });
      return { status: response.status, headers: response.headers, html: await response.text() };
    },
    advance: (ms) => clock.set(new Date(clock.now().getTime() + ms)),
  };
  return made;
}

async function freePort(): Promise<number> {
  const probe = fastify();
  await probe.listen({ port: 0, host: '127.0.0.1' });
  const { port } = probe.server.address() as AddressInfo;
  await probe.close();
  return port;
}

export interface Form {
  readonly id: string;
  readonly action: string;
  readonly fields: Fields;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
export const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => NAMED[name] as string);

/** The only form of a page. */
export function formIn(html: string): Form {
  const forms = [...html.matchAll(/<form ([^>]*)>([\s\S]*?)<\/form>/g)];
  if (forms.length !== 1) throw new Error(`expected one form, found ${forms.length}`);
  const [, head, inside] = forms[0] as unknown as [string, string, string];
  const attribute = (tag: string, name: string): string =>
    unescapeHtml(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
  const fields: Record<string, string> = {};
  for (const [tag] of inside.matchAll(/<input [^>]*type="hidden"[^>]*>/g))
    fields[attribute(tag, 'name')] = attribute(tag, 'value');
  return { id: attribute(head, 'id'), action: attribute(head, 'action'), fields };
}

/** What the shop's form posts. */
export const shopFields = ({ form }: Prepared): Fields => ({ MD: form.MD, PaReq: form.PaReq, TermUrl: form.TermUrl });

/** Opens the challenge and answers it; what the page then holds. */
export async function answer(made: World, prepared: Prepared, code: string, button = 'submit'): Promise<Page> {
  const opened = formIn((await made.post('/acs', shopFields(prepared))).html);
  return made.post(opened.action, { ...opened.fields, code, do: button });
}
