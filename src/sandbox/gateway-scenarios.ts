// One request for each documented error of the gateway API, against the sandbox's data (docs/contract/gateway.md#errors). Data only.
export interface GatewayScenario {
  readonly id: string;
  readonly api: 'gateway';
  readonly summary: string;
  readonly request: {
    readonly method: string;
    /** From the server's root. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: object | string | null;
  };
  readonly expect: {
    readonly status: number;
    readonly failureType?: string;
    readonly failureMessage?: string;
    /** Of a 422: pointer to the wrong field and what it says. */
    readonly field?: { readonly uri: string; readonly message: string };
  };
}

const basic = (login: string, password: string): string =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
const SANDBOX = basic('sandbox', 'sandbox-secret');

const card = { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2049 };

/** A good authorization; the number decides. */
const payment = (pan: string, fields: object = {}): object => ({
  amount: 12.5,
  currency: 'EUR',
  pan,
  card,
  location: { ip: '192.0.2.1' },
  ...fields,
});

const GOOD = '4111111111111111';

interface Row {
  readonly id: string;
  readonly summary: string;
  readonly body?: object | string;
  readonly method?: string;
  readonly path?: string;
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: GatewayScenario['expect'];
}

const ROWS: readonly Row[] = [
  {
    id: 'unauthenticated',
    summary: 'Wrong password',
    authorization: basic('sandbox', 'wrong'),
    expect: { status: 401, failureType: 'rejected' },
  },
  {
    id: 'unauthenticated.missing',
    summary: 'No credentials',
    authorization: null,
    expect: { status: 401, failureType: 'rejected' },
  },
  {
    id: 'validation.not_json',
    summary: 'Not JSON',
    body: '{',
    expect: { status: 422, failureType: 'validation', field: { uri: '#/', message: 'Not a JSON object' } },
  },
  {
    id: 'malformed',
    summary: 'An idempotency key that is too long',
    headers: { 'idempotency-key': 'k'.repeat(256) },
    expect: { status: 400, failureType: 'rejected' },
  },
  {
    id: 'not_found',
    summary: 'No such order',
    method: 'GET',
    path: '/gateway/orders/1',
    expect: { status: 404, failureType: 'rejected' },
  },
  {
    id: 'method_not_allowed',
    summary: 'No such method here',
    method: 'DELETE',
    path: '/gateway/ping',
    expect: { status: 405, failureType: 'rejected' },
  },
  {
    id: 'unsupported_media_type',
    summary: 'Not application/json',
    headers: { 'content-type': 'text/plain' },
    expect: { status: 415, failureType: 'rejected' },
  },
  {
    id: 'validation.required',
    summary: 'A required field is missing',
    body: payment(GOOD, { pan: undefined }),
    expect: { status: 422, failureType: 'validation', field: { uri: '#/pan', message: 'Required' } },
  },
  {
    id: 'validation.unknown_property',
    summary: 'A field that does not exist',
    body: payment(GOOD, { surprise: 1 }),
    expect: { status: 422, failureType: 'validation', field: { uri: '#/surprise', message: 'Unknown property' } },
  },
  {
    id: 'declined',
    summary: 'The issuer declines: insufficient funds',
    body: payment('4999991005100008'),
    expect: { status: 402, failureType: 'declined' },
  },
  {
    id: 'declined.soft',
    summary: 'Soft decline: to be repeated with force3d',
    body: payment('4999991090100004'),
    expect: { status: 402, failureType: 'declined', failureMessage: 'Soft-Decline' },
  },
  {
    id: 'rejected',
    summary: 'The gateway rejects: the card has expired',
    body: payment(GOOD, { card: { ...card, expiration_year: 2020 } }),
    expect: { status: 402, failureType: 'rejected' },
  },
  {
    id: 'fraud',
    summary: 'A fraud rule refuses',
    body: payment('4000000000000002'),
    expect: { status: 402, failureType: 'fraud' },
  },
  {
    id: 'error',
    summary: 'The answer of the acquirer is lost',
    body: payment('4999991091000005'),
    expect: { status: 500, failureType: 'error' },
  },
];

export const gatewayScenarios: readonly GatewayScenario[] = ROWS.map(
  ({ id, summary, method = 'POST', path = '/gateway/orders/authorize', authorization = SANDBOX, headers, ...row }) => {
    const body = row.body ?? (method === 'POST' ? payment(GOOD) : null);
    return {
      id: `gateway.${id}`,
      api: 'gateway',
      summary,
      request: {
        method,
        path,
        headers: {
          ...(authorization === null ? {} : { authorization }),
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body,
      },
      expect: row.expect,
    };
  },
);
