// Shapes: how fields are read, checked and cleaned, and how everything that is wrong is told at once.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { readJson, readPlainJson } from '../../../src/http/fields/json.ts';
import { compileSchema, fieldErrors, type JsonSchema } from '../../../src/http/fields/schema.ts';
import {
  Amount,
  CountryCode,
  Currency,
  DateTime,
  Day,
  Digits,
  Duration,
  Email,
  type FieldError,
  Flag,
  Integer,
  IpAddress,
  List,
  Month,
  Optional,
  pointerOf,
  Shape,
  Text,
  WebAddress,
  Year,
} from '../../../src/http/index.ts';
import { type Service, SHOP, startService } from '../service.ts';

/** What a handler would get for a field, or the one error about it. */
function settle(field: object, source: string): unknown {
  const schema = compileSchema(Shape({ field: field as never }) as unknown as JsonSchema);
  const { value, violations } = readJson(Buffer.from(`{"field":${source}}`), schema.root);
  const broken = [...violations, ...schema.check(value)];
  if (broken.length > 0) {
    const errors = fieldErrors(broken, schema.root);
    assert.deepEqual(
      errors.map(({ uri }) => uri),
      ['#/field'],
    );
    return errors[0];
  }
  schema.clean(value);
  return value.field;
}

const isError = (value: unknown): value is FieldError => typeof value === 'object' && value !== null && 'uri' in value;

const accepted: readonly [name: string, field: object, cases: Readonly<Record<string, unknown>>][] = [
  [
    'amount',
    Amount(),
    {
      '12.50': '12.50',
      '12.5': '12.5',
      '"12.5"': '12.5',
      '1': '1',
      '0.01': '0.01',
      '999999999999': '999999999999',
      '0.1': '0.1',
    },
  ],
  ['amount or zero', Amount({ zero: true }), { '0': '0', '"0.00"': '0.00' }],
  [
    'flag',
    Flag(),
    { '0': false, '1': true, '"0"': false, '"1"': true, false: false, true: true, '"false"': false, '"true"': true },
  ],
  ['digits', Digits(), { '"007"': '007', '7': '7', '12345678901234567890': '12345678901234567890' }],
  ['integer', Integer(0, 48), { '0': 0, '"24"': 24, '48': 48 }],
  ['month', Month(), { '7': '07', '"7"': '07', '"07"': '07', '12': '12' }],
  ['year', Year(), { '2030': '30', '"2030"': '30', '30': '30', '"30"': '30' }],
  ['date-time', DateTime(), { '"2028-02-29 23:59:59"': '2028-02-29 23:59:59' }],
  ['day', Day(), { '"2026-11-21"': '2026-11-21' }],
  ['duration', Duration(), { '"15m"': 900_000, '"30s"': 30_000 }],
  ['country', CountryCode(), { '"DEU"': 'DEU' }],
  ['currency', Currency(), { '"EUR"': 'EUR', '"JPY"': 'JPY' }],
  ['address', IpAddress(), { '"192.0.2.1"': '192.0.2.1', '"2001:db8::1"': '2001:db8::1' }],
  ['e-mail', Email(), { '"a.b@example.com"': 'a.b@example.com' }],
  [
    'web address',
    WebAddress(),
    {
      '"https://shop.example/r?a=1"': 'https://shop.example/r?a=1',
      '"http://127.0.0.1:8080/"': 'http://127.0.0.1:8080/',
    },
  ],
  ['list', List(), { '"a, b,a,,c"': ['a', 'b', 'c'] }],
  ['text', Text(), { '"Zoë\\n2"': 'Zoë\n2', '""': '' }],
];

const refused: readonly [name: string, field: object, sources: readonly string[]][] = [
  [
    'amount',
    Amount(),
    [
      '0',
      '0.00',
      '-1',
      '-0',
      '1e2',
      '1E2',
      '"1e2"',
      '1.005',
      '1.500',
      '"+1"',
      '"1,50"',
      '" 1"',
      '"١"',
      '"NaN"',
      '"Infinity"',
      '"01"',
      '".5"',
      '"5."',
      '1000000000000',
      '10e15',
      'true',
      '{}',
      '[]',
      '[1]',
      '""',
    ],
  ],
  ['flag', Flag(), ['2', '"yes"', '"True"', '1.0', '"01"', '-1', '""', '{}', '[]']],
  ['digits', Digits({ min: 3, max: 4 }), ['"12"', '"12345"', '1e3', '-123', '"12a"', '1.5', 'true', '"١٢٣"']],
  ['integer', Integer(0, 48), ['49', '-1', '1.5', '1e1', '"x"', '""', 'true']],
  ['month', Month(), ['0', '13', '"00"', '1.5', '"jan"']],
  ['year', Year(), ['"1999"', '3', '"203"', '20300']],
  [
    'date-time',
    DateTime(),
    ['"2027-02-29 00:00:00"', '"2026-11-21T09:30:00"', '"2026-11-21 24:00:00"', '"2026-11-21"', '20261121'],
  ],
  ['day', Day(), ['"2026-02-30"', '"2026-1-1"']],
  ['duration', Duration(), ['"15"', '"0s"', '"1w"', '900']],
  ['country', CountryCode(), ['"DE"', '"deu"', '"XXX"']],
  ['currency', Currency(), ['"EURO"', '"eur"', '"BHD"', '"XYZ"']],
  ['address', IpAddress(), ['"192.0.2.256"', '"localhost"', '"1"']],
  ['e-mail', Email(), ['"a"', '"a@b@c"', '"a b@c"']],
  [
    'web address',
    WebAddress(),
    [
      '"javascript:alert(1)"',
      '"//shop.example"',
      '"https://a:b@shop.example"',
      '"https://shop.example\\\\@evil.example"',
      '"https://shop.example/\\n"',
      '"ftp://a"',
    ],
  ],
  ['list', List(['a', 'b'] as const), ['"a,c"', '["a"]', `"${'a,'.repeat(300)}"`]],
  ['text', Text({ max: 5 }), ['"123456"', '"\\u0007"', '7', 'true', '"\\u0000"', '"\\ud800"']],
];

for (const [name, field, cases] of accepted) {
  test(`${name}: what is accepted, and what a handler gets`, () => {
    for (const [source, value] of Object.entries(cases)) assert.deepEqual(settle(field, source), value, source);
  });
}
for (const [name, field, sources] of refused) {
  test(`${name}: what is refused, with one error that never repeats the value`, () => {
    for (const source of sources) {
      const error = settle(field, source);
      assert.ok(isError(error), `${source} was accepted`);
      assert.ok(error.message && error.attribute && error.details?.every((detail) => detail !== ''), source);
    }
  });
}

test('an amount is the text of its number, never a float', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 99_999_999_999_999n), (minor) => {
      const text = `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
      assert.equal(settle(Amount(), text), text);
    }),
  );
});

describe('pointers', () => {
  const unescaped = (uri: string): string[] =>
    uri
      .slice(2)
      .split('/')
      .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));

  test('escape what a name may hold, and can be read back', () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 30 })
      .filter((text) => !/\d[\d -]{11,}/.test(text));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (path) => {
        const uri = pointerOf(path);
        assert.match(uri, /^#(\/[A-Za-z0-9\-._~!'()*%]*)+$/);
        assert.deepEqual(
          unescaped(uri),
          path.map((part) => part.toWellFormed()),
        );
      }),
    );
  });

  test('a name of the client’s is cut and loses card numbers', () => {
    assert.equal(pointerOf(['4111111111111111']), '#/411111******1111');
    assert.equal(decodeURIComponent(pointerOf(['4111 1111 1111 1111x'])), '#/411111******1111x');
    assert.ok(pointerOf(['é'.repeat(500)]).length < 500);
    assert.equal(
      decodeURIComponent(pointerOf([`${'a'.repeat(60)}4111111111111111`])).includes('4111111111111111'),
      false,
    );
    assert.equal(pointerOf([]), '#/');
  });
});

describe('a JSON body', () => {
  const root = compileSchema({ type: 'object', additionalProperties: true }).root;
  const read = (text: string | Buffer): unknown => readJson(Buffer.from(text), root).value;

  test('is read as JSON.parse reads it', () => {
    const isNamed = (value: unknown): boolean => !/"(__proto__|constructor|prototype)"/.test(JSON.stringify(value));
    const value = fc.dictionary(
      fc.string({ unit: 'grapheme' }),
      fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme', noUnicodeString: true } as never),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (given, indent) => {
        fc.pre(isNamed(given) && !JSON.stringify(given).includes('\\u0000'));
        const text = JSON.stringify(given, null, indent);
        assert.deepEqual(read(text), JSON.parse(text));
      }),
    );
  });

  test('with escapes in names and values', () => {
    assert.deepEqual(read('{ "a\\"\\\\" : "\\\\\\"" , "\\u00e9\\n":["\\/",{"\\ud83d\\ude00":"😀"}] }'), {
      'a"\\': '\\"',
      'é\n': ['/', { '😀': '😀' }],
    });
  });

  test('that is empty is an empty object', () => assert.deepEqual(read(''), {}));

  for (const text of [
    'nonsense',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '{"a":01}',
    '{"a":NaN}',
    '{"a":"\t"}',
    '[]',
    '1',
    '"a"',
    'null',
    'true',
    '{}{}',
    '\ufeff{}',
    `${'{"a":'.repeat(11)}1${'}'.repeat(11)}`,
    `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  ]) {
    test(`is refused as a whole: ${text.slice(0, 20)}`, () => {
      assert.throws(
        () => read(text),
        (error: { kind: string; detail: { errors: FieldError[] } }) =>
          error.kind === 'validation' && error.detail.errors.length === 1 && error.detail.errors[0]?.uri === '#/',
      );
    });
  }

  test('that is no UTF-8 is refused as a whole', () => {
    assert.throws(() => read(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), { kind: 'validation' });
    assert.throws(() => read(Buffer.from('{"a":"é"}', 'latin1')), { kind: 'validation' });
  });

  test('may be nested ten deep', () => {
    assert.ok(read(`${'{"a":'.repeat(10)}1${'}'.repeat(10)}`));
  });

  test('keeps names of the language’s machinery out, wherever they stand', () => {
    const { value, violations } = readJson(
      Buffer.from('{"a":{"__proto__":{"x":1}},"constructor":1,"prototype":[],"b":[{"__proto__":1}],"toString":1}'),
      root,
    );
    assert.deepEqual(
      violations.map(({ path }) => path.join('/')),
      ['a/__proto__', 'constructor', 'prototype', 'b/0/__proto__'],
    );
    assert.deepEqual(Object.keys(value), ['a', 'b', 'toString']);
    assert.equal(({} as { x?: number }).x, undefined);
  });
});

describe('a JSON body without a schema', () => {
  const read = (text: string): unknown => readPlainJson(Buffer.from(text));

  test('is read as JSON.parse reads it, whatever it holds', () => {
    const texts = { unit: 'binary' } as const;
    const value = fc.dictionary(fc.string(texts), fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' } as never));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (given, indent) => {
        const text = JSON.stringify(given, null, indent);
        assert.deepEqual(read(text), JSON.parse(text));
      }),
    );
    for (const text of [
      '{"a":{"__proto__":{"x":1}},"constructor":null}',
      '{"a":"\\u0000\\ud800","b":[null,{}]}',
      '',
      '{ }',
    ])
      assert.deepEqual(read(text), JSON.parse(text || '{}'));
    assert.equal(({} as { x?: number }).x, undefined);
  });

  test('gives a number that its text does not say exactly as none', () => {
    assert.deepEqual(read('{"a":[1e2,9007199254740990.6,1.00000000000000000001,1e-400,-0.5]}'), {
      a: [100, Number.NaN, Number.NaN, Number.NaN, -0.5],
    });
  });

  for (const text of [
    '{"a":1,"a":1}',
    '{"b":[{"a":1,"\\u0061":2}]}',
    '{"__proto__":1,"__proto__":1}',
    '[]',
    '{',
    '\ufeff',
  ])
    test(`is refused as a whole: ${text}`, () => assert.throws(() => read(text), { kind: 'validation' }));
});

describe('over HTTP', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.server.close());

  const post = async (
    body: string | Buffer | undefined,
    query = '',
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => {
    const response = await fetch(`${service.url}/test/orders/create${query}`, {
      method: 'POST',
      headers: { authorization: SHOP, ...headers },
      ...(body === undefined ? {} : { body: body as never }),
    });
    return {
      status: response.status,
      body: (await response.json()) as { kind?: string; errors?: FieldError[]; body?: Record<string, unknown> },
    };
  };
  const uris = (answer: Awaited<ReturnType<typeof post>>): string[] => {
    assert.equal(answer.status, 422);
    return (answer.body.errors ?? []).map(({ uri }) => uri);
  };

  test('a handler gets typed values', async () => {
    const answer = await post(
      '{"amount":12.50,"segment":12345678901234567890,"options":{"force3d":1,"auto_charge":"0"},"card":{"cvv":"012","holder":"A B","expiration_month":7,"expiration_year":"2030"},"location":{"ip":"192.0.2.1","color_depth":0},"custom_fields":{"a.b":"c","toString":"d"}}',
    );
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body.body, {
      amount: '12.50',
      segment: '12345678901234567890',
      options: { force3d: true, auto_charge: false },
      card: { cvv: '012', holder: 'A B', expiration_month: '07', expiration_year: '30' },
      location: { ip: '192.0.2.1', color_depth: 0 },
      custom_fields: { 'a.b': 'c', toString: 'd' },
    });
  });

  test('everything wrong is told at once, in the order of the schema, the contract’s way', async () => {
    const answer = await post(
      '{"zebra":1,"card":{"colour":"SECRETVALUE","holder":"x"},"amount":"SECRETVALUE","custom_fields":{"k":7,"bad name":"v"},"options":{"force3d":"SECRETVALUE","2":1},"apple":null}',
    );
    assert.deepEqual(uris(answer), [
      '#/amount',
      '#/card/cvv',
      '#/card/holder',
      '#/card/expiration_month',
      '#/card/expiration_year',
      '#/card/colour',
      '#/options/force3d',
      '#/options/2',
      '#/custom_fields/bad%20name',
      '#/custom_fields/k',
      '#/zebra',
      '#/apple',
    ]);
    const byUri = new Map((answer.body.errors ?? []).map((error) => [error.uri, error]));
    assert.deepEqual(byUri.get('#/card/cvv'), {
      message: 'Required',
      uri: '#/card/cvv',
      attribute: 'required',
      details: ['a value is required'],
    });
    assert.deepEqual(byUri.get('#/zebra'), { message: 'Unknown property', uri: '#/zebra' });
    assert.deepEqual(byUri.get('#/card/holder'), {
      message: 'Wrong length',
      uri: '#/card/holder',
      attribute: 'minLength',
      details: ['at least 2 characters'],
    });
    assert.doesNotMatch(JSON.stringify(answer.body), /SECRETVALUE/);
  });

  test('null is absent: Required where a value is needed, nothing elsewhere', async () => {
    assert.deepEqual(uris(await post('{"amount":null}')), ['#/amount']);
    const told = (await post('{"amount":true}')).body.errors?.map(({ details }) => details);
    assert.deepEqual(told, [['must be of type number or string']], 'as the client may send it');
    assert.deepEqual((await post('{"amount":1,"segment":null,"card":null}')).body.body, { amount: '1' });
  });

  test('too many entries in a map are one error', async () => {
    const fields = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 'v']));
    assert.deepEqual(uris(await post(JSON.stringify({ amount: 1, custom_fields: fields }))), ['#/custom_fields']);
  });

  test('thousands of unknown names make a bounded answer', async () => {
    const names = Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`n${i}`, 0]));
    assert.equal(
      uris(
        await post(
          JSON.stringify({ amount: 1, ...names })
            .slice(0, 60_000)
            .replace(/,[^,]*$/, '}'),
        ),
      ).length,
      256,
    );
  });

  test('the query is merged into the body; dots lead into objects that the schema has', async () => {
    const answer = await post(
      '{"amount":1,"location":{"color_depth":8}}',
      '?location.ip=192.0.2.1&options.auto_charge=1&custom_fields.a.b=c+d&segment=%C3%A9',
    );
    assert.deepEqual(answer.body.body, {
      amount: '1',
      location: { color_depth: 8, ip: '192.0.2.1' },
      options: { auto_charge: true },
      custom_fields: { 'a.b': 'c d' },
      segment: 'é',
    });
    assert.deepEqual((await post(undefined, '?amount=12.50', {})).body.body, { amount: '12.50' });
    assert.deepEqual((await post('{"amount":12.50}', '?amount=12.50')).body.body, { amount: '12.50' });
  });

  test('one name with two values is an error at that name', async () => {
    assert.deepEqual(uris(await post('{"amount":1}', '?amount=2')), ['#/amount']);
    assert.deepEqual(uris(await post('{"amount":1}', '?segment=a&segment=b')), ['#/segment']);
    assert.deepEqual(uris(await post('{"amount":1,"amount":2}')), ['#/amount']);
    assert.deepEqual(uris(await post('{"amount":1,"location":{"ip":"192.0.2.1"}}', '?location.ip=192.0.2.2')), [
      '#/location/ip',
    ]);
    assert.deepEqual(
      uris(await post('{"amount":1,"location":"x"}', '?location.ip=192.0.2.2')),
      ['#/location/ip', '#/location'].sort((a, b) => a.length - b.length),
    );
  });

  test('unknown names in the query are unknown properties', async () => {
    assert.deepEqual(uris(await post('{"amount":1}', '?colour=1&a.b=2&card.x=1')), [
      '#/card/cvv',
      '#/card/holder',
      '#/card/expiration_month',
      '#/card/expiration_year',
      '#/card/x',
      '#/colour',
      '#/a.b',
    ]);
    assert.deepEqual(uris(await post('{"amount":1}', '?__proto__.x=1&constructor=1')), [
      '#/constructor',
      '#/__proto__.x',
    ]);
  });

  test('a query that is no UTF-8 is 400', async () => {
    for (const query of ['?segment=%ff', '?segment=%', '?%zz=1'])
      assert.equal((await post('{"amount":1}', query)).status, 400, query);
    assert.deepEqual(uris(await post('{"amount":1}', '?segment=%00')), ['#/segment']);
  });

  const types: readonly [type: string, status: number][] = [
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['application/json;charset="UTF-8"', 201],
    ['APPLICATION/JSON', 201],
    ['application/json; charset=latin1', 201],
    ['text/json', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonx', 415],
    ['application/json; version=2', 201],
    ['nonsense', 415],
    ['application/json, text/plain', 415],
  ];
  for (const [type, status] of types) {
    test(`content type ${type} is ${status}`, async () => {
      assert.equal((await post('{"amount":1}', '', { 'content-type': type })).status, status);
    });
  }
  test('a body without a type, or packed, is 415; no body needs none', async () => {
    assert.equal((await post(Buffer.from('{"amount":1}'), '', {})).status, 415);
    assert.equal(
      (await post('{"amount":1}', '', { 'content-type': 'application/json', 'content-encoding': 'gzip' })).status,
      415,
    );
    assert.deepEqual(uris(await post(undefined, '', {})), ['#/amount']);
  });

  const accepts: readonly [accept: string, status: number][] = [
    ['*/*', 201],
    ['application/json', 201],
    ['application/*', 201],
    ['text/html, application/json;q=0.5', 201],
    ['text/html,*/*;q=0.1', 201],
    ['APPLICATION/JSON', 201],
    ['text/html', 406],
    ['application/json;q=0', 406],
    ['*/*, application/json;q=0.0', 406],
    ['application/xml, image/*', 406],
    ['application/jsonx', 406],
  ];
  for (const [accept, status] of accepts) {
    test(`Accept ${accept} is ${status}`, async () => {
      assert.equal((await post('{"amount":1}', '', { 'content-type': 'application/json', accept })).status, status);
    });
  }

  test('an endpoint without parameters takes none', async () => {
    const cancel = async (method: string, body?: string): Promise<[number, unknown]> => {
      const headers = { authorization: SHOP, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      const response = await fetch(`${service.url}/test/orders/7/cancel/`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return [response.status, await response.json()];
    };
    assert.deepEqual(await cancel('PUT'), [200, { params: { id: '7' } }]);
    assert.deepEqual(await cancel('POST', '{}'), [200, { params: { id: '7' } }]);
    assert.deepEqual(await cancel('PUT', '{"x":1}'), [
      422,
      { kind: 'validation', errors: [{ message: 'Unknown property', uri: '#/x' }] },
    ]);
  });

  const list = async (query: string, on = service): Promise<[number, unknown]> => {
    const response = await fetch(`${on.url}/test/orders${query}`, { headers: { authorization: SHOP } });
    return [response.status, await response.json()];
  };

  test('filters have flat names; unknown ones are ignored, empty ones are none', async () => {
    assert.deepEqual(await list('/?status=new,charged&card.type=visa&per_page=5&colour=1&sort='), [
      200,
      { query: { status: ['new', 'charged'], 'card.type': 'visa', per_page: 5 } },
    ]);
    const [status, body] = await list('?created_from=yesterday&per_page=2001&status=old');
    assert.equal(status, 422);
    assert.deepEqual(
      (body as { errors: FieldError[] }).errors.map(({ uri }) => uri),
      ['#/status', '#/created_from', '#/per_page'],
    );
    assert.equal((await list('?sort=up&sort=down'))[0], 422);
  });

  test('unknown filters are errors for a principal that wants so', async () => {
    const strict = await startService({ api: { strictQuery: () => true } });
    assert.deepEqual(await list('?colour=1', strict), [
      422,
      { kind: 'validation', errors: [{ message: 'Unknown property', uri: '#/colour' }] },
    ]);
    await strict.server.close();
  });
});

test('Optional keeps a field’s kind', () => {
  assert.equal(settle(Optional(Flag()), '1'), true);
});
