// The operator API over HTTP: who may, what each endpoint does, what is refused, and that each change is in the audit log.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defaultSettings } from '../../src/gateway/projects/index.ts';
import { openapiOf } from '../../src/http/index.ts';
import { type Installation, installation, type Reply, SECRET } from './installation.ts';

let at: Installation;
before(async () => {
  at = await installation();
});
after(() => at.stop());

const TERMINAL = { descriptor: 'SHOP*TEST', currencies: ['EUR'], link: 'simulator', merchant_id: 'SHOP1', mcc: '5999' };

const project = async (login: string): Promise<string> => {
  const { status } = await at.call('POST', '/projects', { login, name: 'A shop', accounting_currency: 'EUR' });
  assert.equal(status, 201);
  return `/projects/${login}`;
};

/** Status and the wrong fields of a refusal. */
const fieldsOf = ({ status, body }: Reply): [number, ...string[]] => [
  status,
  ...((body.errors ?? []) as { uri: string }[]).map(({ uri }) => uri),
];

test('every endpoint refuses a missing, wrong or otherwise shaped secret with the same 401, before it reads anything', async () => {
  const bodies = new Set<string>();
  let asked = 0;
  for (const { method, path } of at.declaration.endpoints) {
    const where = path.replace(/:[a-z]+/g, 'x');
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${btoa(`operator:${SECRET}`)}` },
    ] as Record<string, string>[]) {
      const writes = ['POST', 'PUT', 'PATCH'].includes(String(method));
      const {
        status,
        headers: answered,
        body,
      } = await at.call(String(method), where, writes ? { nonsense: 1 } : undefined, headers);
      assert.equal(status, 401, `${String(method)} ${path}`);
      assert.equal(answered.get('www-authenticate'), 'Bearer realm="operator"');
      assert.match(answered.get('content-type') ?? '', /^application\/problem\+json/);
      bodies.add(JSON.stringify(body));
      asked++;
    }
  }
  assert.equal(bodies.size, 1);
  assert.ok(asked >= 3 * 25, String(asked));
});

test('two secrets are right while the operator’s is changed', async () => {
  for (const secret of [SECRET, 'the-secret-before-it']) {
    assert.equal((await at.call('GET', '/projects', undefined, { authorization: `Bearer ${secret}` })).status, 200);
    assert.equal((await at.call('GET', '/projects', undefined, { authorization: `bearer  ${secret}` })).status, 200);
    assert.equal((await at.call('GET', '/projects', undefined, { authorization: `Bearer ${secret}x` })).status, 401);
  }
});

test('a project: made, shown, listed, changed', async () => {
  const made = await at.call('POST', '/projects', { login: 'full-shop', name: 'Full', accounting_currency: 'USD' });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('location'), 'https://pay.example/operator/projects/full-shop');
  const expected = {
    login: 'full-shop',
    name: 'Full',
    accounting_currency: 'USD',
    active: true,
    created_at: at.clock.now().toISOString(),
  };
  assert.deepEqual(made.body, expected);
  assert.deepEqual((await at.call('GET', '/projects/full-shop')).body, expected);
  assert.deepEqual((await at.call('PATCH', '/projects/full-shop', { active: false })).body, {
    ...expected,
    active: false,
  });
  const listed = (await at.call('GET', '/projects')).body.projects as { login: string }[];
  assert.ok(listed.some(({ login }) => login === 'full-shop'));
});

test('what is wrong is named, all at once', async () => {
  const here = await project('strict');
  assert.deepEqual(fieldsOf(await at.call('POST', '/projects', { name: 'x', colour: 'red' })), [
    422,
    '#/login',
    '#/accounting_currency',
    '#/colour',
  ]);
  assert.deepEqual(
    fieldsOf(await at.call('POST', '/projects', { login: 'UPPER', name: ' ', accounting_currency: 'EUR' })),
    [422, '#/login', '#/name'],
  );
  assert.deepEqual(
    fieldsOf(await at.call('POST', '/projects', { login: 'dinar', name: 'D', accounting_currency: 'KWD' })),
    [422, '#/accounting_currency'],
  );
  assert.equal(
    (await at.call('POST', '/projects', { login: 'strict', name: 'S', accounting_currency: 'EUR' })).status,
    409,
  );
  assert.deepEqual(fieldsOf(await at.call('PUT', `${here}/terminals/1`, { ...TERMINAL, currencies: ['EUR', 'KWD'] })), [
    422,
    '#/currencies/1',
  ]);
  assert.deepEqual(fieldsOf(await at.call('PUT', `${here}/terminals/1`, { ...TERMINAL, link: 'none', mcc: '12' })), [
    422,
    '#/link',
    '#/mcc',
  ]);
  const wrong = await at.call('PATCH', `${here}/settings`, { page_attempts: 0, time_zone: 'Moon', nonsense: 1 });
  assert.deepEqual(fieldsOf(wrong), [422, '#/nonsense']);
  assert.deepEqual(fieldsOf(await at.call('PATCH', `${here}/settings`, { page_attempts: 0, time_zone: 'Moon' })), [
    422,
    '#/page_attempts',
    '#/time_zone',
  ]);
  assert.deepEqual(
    fieldsOf(
      await at.call('PUT', `${here}/pricing`, {
        rules: [{ operation: 'charge', percent: '101', fixed: '0.305' }],
        reserve: { percent: '5', days: 30 },
      }),
    ),
    [422, '#/rules/0/percent', '#/rules/0/fixed'],
  );
  assert.deepEqual(fieldsOf(await at.call('POST', `${here}/credentials`, { label: 'x', rights: ['everything'] })), [
    422,
    '#/rights/0',
  ]);
});

test('unknown projects, parts and paths are 404, wrong verbs 405', async () => {
  const here = await project('known');
  for (const [method, path] of [
    ['GET', '/projects/unknown'],
    ['PATCH', '/projects/unknown'],
    ['GET', '/projects/unknown/settings'],
    ['GET', '/projects/unknown/terminals'],
    ['GET', `${here}/terminals/9`],
    ['DELETE', `${here}/terminals/9`],
    ['DELETE', `${here}/credentials/12345`],
    ['DELETE', `${here}/credentials/abc`],
    ['POST', `${here}/credentials/12345/rotate`],
    ['GET', '/projects/unknown/rules'],
    ['DELETE', `${here}/rules/none`],
    ['DELETE', '/bins/999999'],
    ['GET', '/orders/1/trace'],
    ['GET', '/orders/abc/trace'],
    ['GET', '/nothing'],
  ] as const) {
    const reply = await at.call(method, path, method === 'GET' || method === 'DELETE' ? undefined : {});
    assert.equal(reply.status, 404, `${method} ${path}`);
    assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/);
  }
  const verb = await at.call('DELETE', '/projects');
  assert.equal(verb.status, 405);
  assert.match(verb.headers.get('allow') ?? '', /GET.*POST/);
});

test('settings: shown whole, changed in part, set back by null', async () => {
  const here = await project('tuned');
  assert.deepEqual((await at.call('GET', `${here}/settings`)).body, defaultSettings);
  const changes = {
    unlinked_credit: true,
    capture_delay: '2h',
    allowed_addresses: ['192.0.2.0/24'],
    rate_limit: { per_second: 5, burst: 9 },
    page_attempts: 4,
  };
  assert.deepEqual((await at.call('PATCH', `${here}/settings`, changes)).body, { ...defaultSettings, ...changes });
  const back = await at.call('PATCH', `${here}/settings`, {
    capture_delay: null,
    page_attempts: null,
    rate_limit: null,
  });
  assert.deepEqual(back.body, { ...defaultSettings, unlinked_credit: true, allowed_addresses: ['192.0.2.0/24'] });
  assert.deepEqual((await at.projects.byLogin('tuned'))?.settings, back.body, 'the gateway sees it at once');
});

test('terminals and pricing', async () => {
  const here = await project('equipped');
  const full = {
    id: 'a',
    ...TERMINAL,
    secure3d: 'when_needed',
    multicapture: false,
    cvv_must_match: false,
    position: 1,
  };
  assert.deepEqual((await at.call('PUT', `${here}/terminals/a`, TERMINAL)).body, full);
  assert.deepEqual((await at.call('GET', `${here}/terminals/a`)).body, full);
  await at.call('PUT', `${here}/terminals/b`, { ...TERMINAL, multicapture: 1, position: 1 });
  assert.deepEqual(
    (await at.call('GET', `${here}/terminals`)).body.terminals.map(({ id }: { id: string }) => id),
    ['a', 'b'],
  );
  assert.deepEqual(
    [(await at.call('DELETE', `${here}/terminals/a`)).status, (await at.call('GET', `${here}/terminals/a`)).status],
    [204, 404],
  );
  const plan = {
    rules: [{ operation: 'charge', percent: '1.5', fixed: '0.10', card_type: 'visa', country: 'DEU', min: '0.20' }],
    reserve: { percent: '0', days: 7 },
  };
  assert.deepEqual((await at.call('PUT', `${here}/pricing`, plan)).body, plan);
  assert.deepEqual((await at.call('GET', `${here}/pricing`)).body, plan);
  const numbers = { rules: [{ operation: 'refund', percent: 0, fixed: 0.1 }], reserve: { percent: 10, days: 30 } };
  assert.deepEqual((await at.call('PUT', `${here}/pricing`, numbers)).body, {
    rules: [{ operation: 'refund', percent: '0', fixed: '0.1' }],
    reserve: { percent: '10', days: 30 },
  });
});

test('a secret is shown once; rotated, both work; revoked, none', async () => {
  const here = await project('secrets');
  const made = await at.call('POST', `${here}/credentials`, { label: 'server', rights: ['read', 'create'] });
  assert.equal(made.status, 201);
  const { id, secret } = made.body as { id: string; secret: string };
  assert.ok(await at.projects.authenticate('secrets', secret));
  const rotated = await at.call('POST', `${here}/credentials/${id}/rotate`, { overlap: '1h' });
  assert.equal(rotated.status, 201);
  assert.ok(await at.projects.authenticate('secrets', secret));
  assert.ok(await at.projects.authenticate('secrets', rotated.body.secret));
  const listed = await at.call('GET', `${here}/credentials`);
  assert.deepEqual(
    listed.body.credentials.map((credential: { id: string; state: string; expires_at: string | null }) => [
      credential.id,
      credential.state,
      credential.expires_at !== null,
    ]),
    [
      [rotated.body.id, 'valid', false],
      [id, 'valid', true],
    ],
  );
  assert.ok(!JSON.stringify(listed.body).includes('florin_'));
  assert.equal((await at.call('DELETE', `${here}/credentials/${id}`)).status, 204);
  assert.equal(await at.projects.authenticate('secrets', secret), null);
  assert.equal((await at.call('POST', `${here}/credentials/${id}/rotate`, {})).status, 409);
  await project('stranger');
  assert.equal((await at.call('DELETE', `/projects/stranger/credentials/${rotated.body.id}`)).status, 404);
});

const ECB = (cubes: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject><Cube><Cube time='2026-11-20'>${cubes}</Cube></Cube></gesmes:Envelope>`;

test('rates: rows, the European Central Bank’s document, the inverse of each, and what is neither', async () => {
  const rows = await at.call('POST', '/rates', {
    rates: [
      { from: 'EUR', to: 'USD', rate: 1.25 },
      { from: 'EUR', to: 'PLN', rate: '4.25', day: '2026-11-19' },
    ],
    source: 'treasury',
  });
  assert.equal(rows.status, 200);
  assert.deepEqual(rows.body.rates[0], {
    from: 'EUR',
    to: 'USD',
    rate: '1.250000',
    day: '2026-11-21',
    source: 'treasury',
  });
  const latest = (await at.call('GET', '/rates?from=USD&to=EUR')).body.rates;
  assert.deepEqual(latest, [
    { from: 'USD', to: 'EUR', rate: '0.800000', day: '2026-11-21', source: 'treasury, inverse' },
  ]);
  assert.equal(at.rates.get('EUR', 'USD')?.micro, 1_250_000n, 'payments use it at once');
  const xml = await at.call('POST', '/rates', {
    ecb_xml: ECB("<Cube currency='GBP' rate='0.8512'/><Cube currency='JPY' rate='162.5'/>"),
  });
  assert.equal(xml.status, 200);
  assert.equal(xml.body.rates.length, 4);
  assert.equal(at.rates.get('EUR', 'GBP')?.source, 'ECB');
  const period = (await at.call('GET', '/rates?date_from=2026-11-19&date_to=2026-11-19')).body.rates;
  assert.deepEqual(
    period.map(({ from, to }: { from: string; to: string }) => `${from}${to}`),
    ['EURPLN', 'PLNEUR'],
  );
  for (const [body, ...fields] of [
    [{}, '#/rates'],
    [{ rates: [{ from: 'EUR', to: 'USD', rate: '1' }], ecb_xml: ECB('') }, '#/rates'],
    [
      {
        rates: [
          { from: 'EUR', to: 'EUR', rate: '1' },
          { from: 'EUR', to: 'USD', rate: '0' },
          { from: 'EUR', to: 'USD', rate: '-1' },
        ],
      },
      '#/rates/0/to',
      '#/rates/1/rate',
      '#/rates/2/rate',
    ],
    [{ rates: [{ from: 'EUR', to: 'EURO', rate: '1' }] }, '#/rates/0/to'],
    [{ rates: [{ from: 'EUR', to: 'USD', rate: '1', day: '2026-02-30' }] }, '#/rates/0/day'],
    [{ ecb_xml: '<html/>' }, '#/ecb_xml'],
    [{ ecb_xml: '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>' }, '#/ecb_xml'],
  ] as const) {
    assert.deepEqual(fieldsOf(await at.call('POST', '/rates', body)), [422, ...fields], JSON.stringify(body));
  }
});

test('fraud rules', async () => {
  const here = await project('guarded');
  const rule = { class: 'amount', expression: 'amount > 1000.0', action: 'refuse' };
  const { created_at, ...put } = (await at.call('PUT', `${here}/rules/large`, rule)).body;
  assert.equal(created_at, at.clock.now().toISOString());
  assert.deepEqual(put, {
    id: 'large',
    ...rule,
    dry_run: false,
    active: true,
    name: 'large',
    position: 0,
    version: 1,
  });
  assert.deepEqual(
    (await at.call('GET', `${here}/rules`)).body.rules.map(({ id }: { id: string }) => id),
    ['large'],
  );
  assert.deepEqual(fieldsOf(await at.call('PUT', `${here}/rules/broken`, { ...rule, expression: 'amount >' })), [
    422,
    '#/expression',
  ]);
  assert.deepEqual(fieldsOf(await at.call('PUT', `${here}/rules/broken`, { ...rule, class: 'mood' })), [
    422,
    '#/class',
  ]);
  await project('unguarded');
  assert.equal((await at.call('DELETE', '/projects/unguarded/rules/large')).status, 404);
  assert.equal((await at.call('DELETE', `${here}/rules/large`)).status, 204);
  assert.deepEqual((await at.call('GET', `${here}/rules`)).body.rules, []);
});

test('card ranges', async () => {
  const range = { brand: 'visa', subtype: 'debit', title: 'A Bank', country: 'DEU' };
  assert.deepEqual((await at.call('PUT', '/bins/45678901', range)).body, { prefix: '45678901', ...range, own: false });
  const find = async (): Promise<unknown> =>
    (await at.call('GET', '/bins')).body.bins.find(({ prefix }: { prefix: string }) => prefix === '45678901');
  assert.deepEqual(await find(), { prefix: '45678901', ...range, own: false });
  assert.equal((await at.call('DELETE', '/bins/45678901')).status, 204);
  assert.equal(await find(), undefined);
  assert.deepEqual(fieldsOf(await at.call('PUT', '/bins/456789', { ...range, brand: 'VISA' })), [422, '#/brand']);
  assert.equal((await at.call('PUT', '/bins/45678', range)).status, 422);
});

test('invariants, trace, keys', async () => {
  assert.deepEqual((await at.call('GET', '/invariants')).body, {
    ok: true,
    checks: [
      { id: 'books_balance', ok: true, violations: [] },
      { id: 'audit_chain', ok: true, violations: [] },
    ],
    covered: {
      looked_at: 5,
      waiting: 2,
      owners: 3,
      proved: 2,
      oldest_at: '2026-11-21T12:00:00.000Z',
      under_way: 1,
      slices: 7,
    },
  });
  assert.equal((await at.call('GET', '/invariants?full=true')).body.covered.looked_at, 0);
  assert.equal((await at.call('GET', '/invariants?full=maybe')).status, 422);
  at.checks.push({ id: 'groups_balance', ok: false, violations: [{ project_id: 9_007_199_254_740_993n }] });
  const broken = (await at.call('GET', '/invariants')).body;
  assert.equal(broken.ok, false);
  assert.deepEqual(broken.checks[1].violations, [{ project_id: '9007199254740993' }]);
  at.checks.pop();
  at.traces.set(77n, { operations: [{ id: 5n, type: 'authorize' }] });
  assert.deepEqual((await at.call('GET', `/orders/${at.permutation.outward(77n)}/trace`)).body, {
    operations: [{ id: '5', type: 'authorize' }],
  });
  assert.deepEqual((await at.call('POST', '/keys/rotate')).body, { key: 'key-1' });
});

test('each change and each refused change is one audit row, without secrets', async () => {
  const latest = async (count: number): Promise<[string, string, string][]> =>
    (await at.call('GET', `/audit?per_page=${count}`)).body.audit.map((row: Record<string, string>) => [
      row.action,
      row.target,
      row.result,
    ]);
  const here = await project('watched');
  await at.call('PATCH', `${here}/settings`, { trace_id: true, wallets: true });
  await at.call('PUT', `${here}/terminals/1`, TERMINAL);
  const { secret, id } = (await at.call('POST', `${here}/credentials`, { label: 'x', rights: ['read'] })).body;
  await at.call('DELETE', `${here}/credentials/${id}`);
  await at.call('POST', `${here}/credentials/${id}/rotate`, {});
  await at.call('DELETE', `${here}/rules/none`);
  await at.call('POST', '/keys/rotate');
  assert.deepEqual(await latest(8), [
    ['keys.rotate', 'vault', 'done'],
    ['rule.remove', 'watched/none', 'rule_unknown'],
    ['credential.rotate', `watched/${id}`, 'credential_ended'],
    ['credential.revoke', `watched/${id}`, 'done'],
    ['credential.create', 'watched', 'done'],
    ['terminal.put', 'watched/1', 'done'],
    ['settings.patch', 'watched trace_id,wallets', 'done'],
    ['project.create', 'watched', 'done'],
  ]);
  const [row] = (await at.call('GET', '/audit?per_page=1')).body.audit;
  assert.deepEqual([row.actor, row.origin, row.at], ['operator', '127.0.0.1', at.clock.now().toISOString()]);
  const older = (await at.call('GET', `/audit?before=${row.id}&per_page=1`)).body.audit;
  assert.equal(Number(older[0].id), Number(row.id) - 1);
  assert.ok(!JSON.stringify((await at.call('GET', '/audit?per_page=1000')).body).includes(secret));
});

test('the API describes itself completely', () => {
  const document = openapiOf([at.declaration], { title: 'test', version: '1' }) as {
    paths: Record<string, Record<string, { operationId: string; security: object[] }>>;
  };
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  assert.equal(operations.length, at.declaration.endpoints.length);
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  for (const { security, operationId } of operations) assert.deepEqual(security, [{ operator: [] }], operationId);
});
