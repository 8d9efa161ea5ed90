// Templates with their previews and payment links over HTTP: what is refused, whose they are, what the audit log says, what the picture says.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encode } from 'uqr';
import { DEFAULT_TEMPLATE } from '../../src/gateway/templates/index.ts';
import { openapiOf } from '../../src/http/index.ts';
import { type Client, type TestApp, testApp } from '../support/app.ts';
import { type Installation, installation, SECRET } from './installation.ts';

interface Refused {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
  readonly body: any;
}

/** Status and the wrong fields of a refusal. */
const fieldsOf = ({ status, body }: Refused): [number, ...string[]] => [
  status,
  ...((body?.errors ?? []) as { uri: string }[]).map(({ uri }) => uri),
];

const LOGO = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString('base64')}`;

describe('templates', () => {
  let at: Installation;
  before(async () => {
    at = await installation();
    for (const login of ['looks', 'other-looks'])
      await at.call('POST', '/projects', { login, name: 'Shop', accounting_currency: 'EUR' });
  });
  after(() => at.stop());

  const audit = async (count: number): Promise<string[]> =>
    (await at.call('GET', `/audit?per_page=${count}`)).body.audit.map((row: Record<string, string>) =>
      [row.action, row.target, row.result].join(' '),
    );
  const page = (path: string, accept: string): Promise<Response> =>
    fetch(`${at.url}/operator${path}`, { headers: { authorization: `Bearer ${SECRET}`, accept } });

  it('are put whole, shown whole, listed without their pictures, removed', async () => {
    const given = { brand: '#AA0000', logo: LOGO, fields: ['holder', 'number', 'expiry', 'cvv'] };
    const whole = { id: 'red', ...DEFAULT_TEMPLATE, ...given, brand: '#aa0000', version: 1 };
    const made = await at.call('PUT', '/projects/looks/templates/red', given);
    assert.equal(made.status, 200);
    assert.deepEqual(made.body, { ...whole, updated_at: at.clock.now().toISOString() });
    assert.deepEqual((await at.call('GET', '/projects/looks/templates/red')).body, made.body);
    const { logo, ...listed } = made.body;
    assert.equal(logo, LOGO);
    assert.deepEqual((await at.call('GET', '/projects/looks/templates')).body, {
      templates: [{ ...listed, has_logo: true }],
    });
    const again = await at.call('PUT', '/projects/looks/templates/red', { logo: null, radius: 0 });
    assert.deepEqual(
      [again.body.brand, again.body.logo, again.body.radius, again.body.version],
      [DEFAULT_TEMPLATE.brand, null, 0, 2],
    );
    assert.equal((await at.call('DELETE', '/projects/looks/templates/red')).status, 204);
    assert.equal((await at.call('DELETE', '/projects/looks/templates/red')).status, 404);
    assert.deepEqual(await audit(4), [
      'template.remove looks/red template_unknown',
      'template.remove looks/red done',
      'template.put looks/red done',
      'template.put looks/red done',
    ]);
  });

  it('every wrong field is told at once, and nothing is stored', async () => {
    const wrong = {
      brand: 'red',
      ground: '#12345',
      paper: '#ffffff; background: url(//x)',
      ink: null,
      logo: 'data:image/svg+xml;base64,PHN2Zy8+',
      fields: ['number', 'number', 'cvv', 'holder'],
      radius: 25,
      script: 'alert(1)',
    };
    const all = ['#/brand', '#/ground', '#/paper', '#/logo', '#/fields', '#/radius', '#/script'];
    const refused = await at.call('PUT', '/projects/looks/templates/wrong', wrong);
    assert.deepEqual(fieldsOf(refused), [422, ...all]);
    assert.doesNotMatch(JSON.stringify(refused.body), /alert|url\(|svg/);
    assert.deepEqual(fieldsOf(await at.call('POST', '/projects/looks/templates/preview', wrong)), [422, ...all]);
    for (const [body, field] of [
      [{ ink: '#777777', paper: '#ffffff' }, '#/ink'],
      [{ paper: '#16202c' }, '#/paper'],
      [{ radius: 1.5 }, '#/radius'],
      [{ radius: '8' }, '#/radius'],
      [{ logo: LOGO.replace('png', 'webp') }, '#/logo'],
      [{ logo: `data:image/png;base64,${'A'.repeat(17_000)}` }, '#/logo'],
      [{ fields: [] }, '#/fields'],
      [{ language: 'de' }, '#/language'],
    ] as const)
      assert.deepEqual(fieldsOf(await at.call('PUT', '/projects/looks/templates/wrong', body)), [422, field]);
    assert.deepEqual(fieldsOf(await at.call('PUT', '/projects/looks/templates/a%20b', {})), [422, '#/id']);
    assert.equal((await at.call('GET', '/projects/looks/templates/wrong')).status, 404);
  });

  it('belong to one project', async () => {
    await at.call('PUT', '/projects/looks/templates/own', { radius: 1 });
    const unknown = await at.call('GET', '/projects/other-looks/templates/never');
    for (const [method, path] of [
      ['GET', '/projects/other-looks/templates/own'],
      ['GET', '/projects/other-looks/templates/own/preview'],
      ['DELETE', '/projects/other-looks/templates/own'],
    ] as const) {
      const reply = await at.call(method, path);
      assert.equal(reply.status, 404, `${method} ${path}`);
      assert.deepEqual(reply.body, unknown.body);
    }
    for (const [method, path] of [
      ['GET', '/projects/nobody/templates'],
      ['GET', '/projects/nobody/templates/own'],
      ['PUT', '/projects/nobody/templates/own'],
      ['POST', '/projects/nobody/templates/preview'],
      ['POST', '/projects/nobody/links'],
    ] as const) {
      const body = method === 'GET' ? undefined : path.endsWith('links') ? { amount: 1, currency: 'EUR' } : {};
      assert.equal((await at.call(method, path, body)).status, 404, `${method} ${path}`);
    }
    assert.equal((await at.call('GET', '/projects/looks/templates/own')).body.radius, 1);
  });

  it('are tried as a page: a stored one, or one that never is', async () => {
    await at.call('PUT', '/projects/looks/templates/green', { brand: '#00aa00' });
    const rows = (await audit(1000)).length;
    const stored = await at.call('GET', '/projects/looks/templates/green/preview?language=de');
    assert.equal(stored.status, 200);
    assert.equal(stored.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(stored.headers.get('content-security-policy'), "default-src 'none'; img-src data:", 'the page’s own');
    assert.equal(stored.headers.get('cache-control'), 'no-store');
    assert.match(stored.body, /lang="de" style="color:#00aa00">number expiry cvv holder$/);
    assert.match((await at.call('GET', '/projects/looks/templates/green/preview')).body, /lang="en"/);
    const body = { brand: '#0000aa', logo: LOGO, fields: ['cvv', 'number', 'expiry', 'holder'] };
    const tried = await at.call('POST', '/projects/looks/templates/preview?language=fr', body);
    assert.match(tried.body, /lang="fr" style="color:#0000aa">cvv number expiry holder logo$/);
    const named = await at.call('POST', '/projects/looks/templates/preview', { language: 'pl' });
    assert.match(named.body, new RegExp(`lang="pl" style="color:${DEFAULT_TEMPLATE.brand}"`));
    assert.equal((await at.call('GET', '/projects/looks/templates/preview')).status, 404, 'nothing was stored');
    assert.equal((await audit(1000)).length, rows, 'looking is no change');
  });

  it('a preview is for those who take pages, everything else for those who take JSON', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const preview = '/projects/looks/templates/green/preview';
    for (const [path, accept, status] of [
      [preview, browser, 200],
      [preview, 'text/html', 200],
      [preview, 'text/*', 200],
      [preview, 'application/json', 406],
      [preview, 'text/html;q=0, */*', 406],
      ['/projects/looks/templates/green', 'text/html', 406],
      ['/projects/looks/templates/green', browser, 200],
    ] as const)
      assert.equal((await page(path, accept)).status, status, `${path} ${accept}`);
    const refusal = await page('/projects/looks/templates/never/preview', 'text/html');
    assert.match(refusal.headers.get('content-type') ?? '', /^application\/problem\+json/);
  });

  it('what answers a page is described as one, its failures as problems', () => {
    const { paths } = openapiOf([at.declaration], { title: 'test', version: '1' }) as {
      paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, unknown> }> }>>;
    };
    const of = (path: string, method: string) => paths[`/operator/projects/{login}${path}`]?.[method]?.responses;
    for (const responses of [of('/templates/{id}/preview', 'get'), of('/templates/preview', 'post')]) {
      assert.deepEqual(responses?.['200']?.content, { 'text/html': { schema: { type: 'string' } } });
      assert.deepEqual(Object.keys(responses?.['404']?.content ?? {}), ['application/problem+json']);
    }
    assert.deepEqual(Object.keys(of('/links', 'post')?.['201']?.content ?? {}), ['application/json']);
  });
});

describe('links', () => {
  let shop: TestApp;
  let operator: Client;
  before(async () => {
    shop = await testApp();
    operator = (method, path, body, headers) => shop.operator(method, `/operator${path}`, body, headers);
  });

  const link = (body: unknown, login = 'sandbox') => operator('POST', `/projects/${login}/links`, body);
  const audited = async (): Promise<string[]> =>
    (await operator('GET', '/audit?per_page=1000')).body.audit
      .filter(({ action }: { action: string }) => action === 'link.create')
      .map(({ target, result }: { target: string; result: string }) => `${target} ${result}`);

  /** The dark modules of a picture as rows of truth, read from its path. */
  function modulesOf(svg: string): boolean[][] {
    const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
    const squares = [...svg.matchAll(/M(\d+),(\d+)h(\d+)v\3h-\3z/g)].map(([, x, y, side]) => [x, y, side].map(Number));
    const side = squares[0]?.[2] as number;
    const rows = Array.from({ length: size / side }, () => Array.from({ length: size / side }, () => false));
    for (const [x = 0, y = 0] of squares) (rows[y / side] as boolean[])[x / side] = true;
    return rows;
  }

  it('an order of the project, its address, and the address as a picture', async () => {
    const made = await link({
      amount: 49.9,
      currency: 'EUR',
      description: 'Invoice 1001',
      merchant_order_id: 'INV-1001',
      language: 'de',
      return_url: 'https://shop.example/thanks?x=1',
      expiration_timeout: '7d',
    });
    assert.equal(made.status, 201);
    const { order_id, url, qr_svg, ...rest } = made.body;
    assert.deepEqual(rest, {});
    assert.match(url, new RegExp(`^${shop.url}/pay/[A-Za-z0-9_-]{32}$`));
    assert.equal(made.headers.get('location'), url);
    const [order] = (await shop.merchant('GET', `/gateway/orders/${order_id}`)).body.orders;
    assert.deepEqual(
      [order.status, order.amount, order.currency, order.description, order.merchant_order_id],
      ['new', '49.90', 'EUR', 'Invoice 1001', 'INV-1001'],
    );
    assert.equal((await shop.stranger('GET', `/gateway/orders/${order_id}`)).status, 404, 'nobody else’s');
    const { data } = encode(url, { ecc: 'M', border: 4 });
    assert.deepEqual(modulesOf(qr_svg), data);
    const quiet = modulesOf(qr_svg).slice(0, 4).flat();
    assert.ok(quiet.length > 0 && !quiet.includes(true), 'a quiet zone of four');
    assert.match(qr_svg, /^<svg [^>]*viewBox="[^"]*"><rect fill="#fff" [^>]*\/><path fill="#000" d="[^"]*"\/><\/svg>$/);
    assert.equal((await fetch(url)).status, 200);
  });

  it('an address is good for as long as it says, an hour by default', async () => {
    const short = (await link({ amount: 1, currency: 'EUR', expiration_timeout: '30s' })).body;
    const usual = (await link({ amount: 1, currency: 'EUR' })).body;
    const long = (await link({ amount: 1, currency: 'EUR', expiration_timeout: '2d' })).body;
    assert.equal((await shop.operator('POST', '/simulator/clock/advance', { by: '61m' })).status, 200);
    const statuses = [];
    for (const { order_id } of [short, usual, long])
      statuses.push((await shop.merchant('GET', `/gateway/orders/${order_id}`)).body.orders[0].status);
    assert.deepEqual(statuses, ['rejected', 'rejected', 'new']);
  });

  it('every wrong field is told at once: those of the form, then those of the project', async () => {
    assert.deepEqual(fieldsOf(await link({})), [422, '#/amount', '#/currency']);
    assert.deepEqual(
      fieldsOf(
        await link({
          amount: '1.234',
          currency: 'EURO',
          description: 'x'.repeat(1001),
          language: 'l'.repeat(36),
          return_url: 'javascript:alert(1)',
          static_link: 'maybe',
          expiration_timeout: 'soon',
          template: 'x'.repeat(65),
          pan: '4111111111111111',
        }),
      ),
      [
        422,
        '#/amount',
        '#/currency',
        '#/description',
        '#/language',
        '#/template',
        '#/return_url',
        '#/static_link',
        '#/expiration_timeout',
        '#/pan',
      ],
    );
    const settings = '/projects/sandbox-two/settings';
    const changed = await operator('PATCH', settings, {
      static_links: false,
      return_origins: ['https://shop.example'],
    });
    assert.equal(changed.status, 200);
    const wrong = {
      amount: '0.5',
      currency: 'VUV',
      static_link: 1,
      return_url: 'https://elsewhere.example/',
      template: 'none',
    };
    assert.deepEqual(fieldsOf(await link(wrong, 'sandbox-two')), [
      422,
      '#/amount',
      '#/currency',
      '#/static_link',
      '#/return_url',
      '#/template',
    ]);
    assert.deepEqual(fieldsOf(await link({ amount: 1, currency: 'MRU' }, 'sandbox-two')), [422, '#/currency']);
    assert.deepEqual((await audited()).slice(0, 2), ['sandbox-two unfit', 'sandbox-two unfit']);
    await operator('PATCH', settings, { static_links: null, return_origins: null });
  });

  it('a template must be the project’s own', async () => {
    await operator('PUT', '/projects/sandbox/templates/dark', { paper: '#101010', ink: '#fafafa' });
    assert.equal((await link({ amount: 1, currency: 'EUR', template: 'dark' })).status, 201);
    const theirs = await link({ amount: 1, currency: 'EUR', template: 'dark' }, 'sandbox-two');
    const unknown = await link({ amount: 1, currency: 'EUR', template: 'never' }, 'sandbox-two');
    assert.deepEqual(fieldsOf(theirs), [422, '#/template']);
    assert.deepEqual(theirs.body, unknown.body);
  });

  it('a merchant_order_id that only one order may have is refused for a second', async () => {
    await operator('PATCH', '/projects/sandbox/settings', { unique_merchant_order_id: true });
    const body = { amount: 1, currency: 'EUR', merchant_order_id: 'ONCE' };
    assert.equal((await link(body)).status, 201);
    assert.deepEqual(fieldsOf(await link(body)), [422, '#/merchant_order_id']);
    assert.deepEqual(fieldsOf(await link({ ...body, amount: 2 })), [422, '#/merchant_order_id']);
    await operator('PATCH', '/projects/sandbox/settings', { unique_merchant_order_id: null });
  });

  it('a closed project makes none', async () => {
    const terminal = { descriptor: 'X', currencies: ['EUR'], link: 'simulator', merchant_id: 'X1', mcc: '5999' };
    await operator('POST', '/projects', { login: 'closing', name: 'Closing', accounting_currency: 'EUR' });
    assert.deepEqual(fieldsOf(await link({ amount: 1, currency: 'EUR' }, 'closing')), [422, '#/currency']);
    await operator('PUT', '/projects/closing/terminals/1', terminal);
    assert.equal((await link({ amount: 1, currency: 'EUR' }, 'closing')).status, 201);
    await operator('PATCH', '/projects/closing', { active: false });
    assert.equal((await link({ amount: 1, currency: 'EUR' }, 'closing')).status, 409);
    assert.deepEqual((await audited()).slice(0, 3), ['closing project_closed', 'closing done', 'closing unfit']);
  });

  it('card numbers in its words are masked, and no address is ever told again', async () => {
    const { order_id, url } = (await link({ amount: 1, currency: 'EUR', description: 'card 4111 1111 1111 1111' }))
      .body;
    const [order] = (await shop.merchant('GET', `/gateway/orders/${order_id}`)).body.orders;
    assert.doesNotMatch(order.description, /1111 1111/);
    const token = url.split('/').at(-1) as string;
    for (const answer of [
      await operator('GET', '/audit?per_page=1000'),
      await operator('GET', `/orders/${order_id}/trace`),
      await shop.merchant('GET', `/gateway/orders/${order_id}?expand=custom_fields`),
    ])
      assert.ok(answer.text !== '' && !answer.text.includes(token));
  });

  describe('without amount', () => {
    const zero = { currency: 'EUR', static_link: true };

    it('the payer enters it, behind a static link only', async () => {
      for (const amount of [undefined, 0, '0', '0.00']) {
        const made = await link({ ...zero, amount });
        assert.equal(made.status, 201, String(amount));
        const [order] = (await shop.merchant('GET', `/gateway/orders/${made.body.order_id}`)).body.orders;
        assert.deepEqual([order.status, order.amount], ['new', '0.00']);
      }
      assert.equal((await link({ ...zero, amount: 5 })).status, 201);
      for (const body of [
        { currency: 'EUR' },
        { currency: 'EUR', amount: 0 },
        { currency: 'EUR', amount: '0.0', static_link: 0 },
        { currency: 'EUR', static_link: false },
      ])
        assert.deepEqual(fieldsOf(await link(body)), [422, '#/amount'], JSON.stringify(body));
    });

    it('create takes zero there and nowhere else', async () => {
      const create = (body: unknown): ReturnType<Client> => shop.merchant('POST', '/gateway/orders/create', body);
      const options = { static_link: 1 };
      for (const amount of [0, '0', '0.00'])
        assert.equal((await create({ amount, currency: 'EUR', options })).status, 201);
      assert.deepEqual(fieldsOf(await create({ currency: 'EUR', options })), [422, '#/amount'], 'still required');
      for (const body of [
        { amount: 0 },
        { amount: '0.00', options: {} },
        { amount: 0, options: { static_link: 0 } },
        { amount: '-0', options },
        { amount: '0.000', options },
      ])
        assert.deepEqual(fieldsOf(await create({ currency: 'EUR', ...body })), [422, '#/amount'], JSON.stringify(body));
      const [error] = (await create({ amount: 0, currency: 'EUR' })).body.errors;
      assert.deepEqual([error.attribute, /greater than zero/.test(error.details[0])], ['format', true]);
    });
  });
});
