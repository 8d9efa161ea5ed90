// Every setting with values that it takes and values that it refuses; addresses that a project lets in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressAllowed,
  defaultSettings,
  type Project,
  type ProjectSettings,
  settingProblems,
  settingRules,
} from '../../src/gateway/projects/index.ts';

const FLAG = { good: [true, false], bad: [0, 1, 'true', '', [], {}] };

const AMOUNT = { good: ['0', '0.01', '10000.00', 500, 12.5], bad: ['', '-1', '1e3', '1.005', '01', 1e21, -1, {}, [1]] };

const VALUES: Readonly<Record<keyof ProjectSettings, { good: readonly unknown[]; bad: readonly unknown[] }>> = {
  time_zone: {
    good: ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'],
    bad: ['', 'Mars/Olympus', '+02:00', 'Europe/Berlin ', '../etc/passwd', 2, {}],
  },
  cvv_required: FLAG,
  holder_required: FLAG,
  capture_delay: {
    good: ['1s', '30m', '2h', '1d', '5d', '120h'],
    bad: ['0s', '6d', '121h', '1w', '-1d', '1.5h', 3600, ''],
  },
  trace_id: FLAG,
  unique_merchant_order_id: FLAG,
  strict_filters: FLAG,
  step_up_automatically: FLAG,
  unlinked_credit: FLAG,
  payout_limit: AMOUNT,
  payout_limit_card_day: AMOUNT,
  payout_limit_project_day: AMOUNT,
  page_attempts: { good: [1, 3, 10], bad: [0, 11, -1, 2.5, '3', Number.NaN, 1e9] },
  unable_to_authenticate: {
    good: ['reject', 'reject_when_forced', 'authorize'],
    bad: ['REJECT', '', 'accept', true, 0],
  },
  static_links: FLAG,
  wallets: FLAG,
  allowed_addresses: {
    good: [[], ['192.0.2.1'], ['192.0.2.0/24', '2001:db8::/32', '::1'], ['0.0.0.0/0']],
    bad: [
      '192.0.2.1',
      ['192.0.2.1/33'],
      ['2001:db8::/129'],
      ['192.0.2'],
      ['192.0.2.1', '192.0.2.1'],
      ['fe80::1%eth0'],
      ['example.com'],
      [1],
      ['192.0.2.0/024'],
    ],
  },
  frame_origins: {
    good: [[], ['https://shop.example', 'http://localhost:3000']],
    bad: ['https://shop.example', ['https://shop.example/'], ['shop.example'], ['*'], ["'self'"], [1]],
  },
  return_origins: {
    good: [[], ['https://shop.example'], ['https://shop.example:8443', 'http://localhost:3000']],
    bad: [
      'https://shop.example',
      ['https://shop.example/'],
      ['https://shop.example/paid'],
      ['shop.example'],
      ['ftp://shop.example'],
      ['https://u:p@shop.example'],
      ['javascript:alert(1)'],
      ['https://SHOP.example'],
      ['null'],
    ],
  },
  card_testing: FLAG,
  risk_dry_run: FLAG,
  rate_limit: {
    good: [
      { per_second: 1, burst: 1 },
      { per_second: 100, burst: 200 },
    ],
    bad: [
      {},
      { per_second: 10 },
      { per_second: 10, burst: 5 },
      { per_second: 0, burst: 5 },
      { per_second: 1.5, burst: 5 },
      { per_second: '1', burst: 5 },
      { per_second: 1, burst: 5, extra: 1 },
      [1, 2],
      100,
    ],
  },
};

for (const [name, { good, bad }] of Object.entries(VALUES)) {
  test(`${name} takes what it should and says what it wants`, () => {
    for (const value of [...good, null])
      assert.deepEqual(settingProblems({ [name]: value }), [], JSON.stringify(value));
    for (const value of bad) {
      const says = settingRules[name as keyof ProjectSettings].says;
      assert.deepEqual(
        settingProblems({ [name]: value }),
        [{ path: [name], message: 'Not allowed', details: [says] }],
        JSON.stringify(value),
      );
    }
  });
}

test('every default is a value that its own rule takes', () => {
  assert.deepEqual(settingProblems({ ...defaultSettings }), []);
});

test('every wrong setting is reported at once, unknown ones too, also those that JavaScript knows', () => {
  const problems = settingProblems({ page_attempts: 0, colour: 'red', trace_id: 'yes', constructor: 1, toString: 1 });
  assert.deepEqual(
    problems.map(({ path, message }) => [path[0], message]),
    [
      ['page_attempts', 'Not allowed'],
      ['colour', 'Unknown property'],
      ['trace_id', 'Not allowed'],
      ['constructor', 'Unknown property'],
      ['toString', 'Unknown property'],
    ],
  );
});

test('addresses: none named lets in all, otherwise only those covered', () => {
  const at = (...allowed_addresses: string[]): Project =>
    ({ settings: { ...defaultSettings, allowed_addresses } }) as unknown as Project;
  const cases: [Project, string, boolean][] = [
    [at(), '203.0.113.9', true],
    [at(), 'not an address', true],
    [at('192.0.2.0/24'), '192.0.2.255', true],
    [at('192.0.2.0/24'), '192.0.3.0', false],
    [at('192.0.2.7'), '192.0.2.7', true],
    [at('192.0.2.7'), '192.0.2.70', false],
    [at('192.0.2.7'), '::ffff:192.0.2.7', true],
    [at('2001:db8::/32'), '2001:db8:ffff::1', true],
    [at('2001:db8::/32'), '2001:db9::1', false],
    [at('2001:db8::/32'), '192.0.2.7', false],
    [at('192.0.2.7'), 'not an address', false],
  ];
  for (const [project, address, allowed] of cases) {
    assert.equal(addressAllowed(project, address), allowed, `${project.settings.allowed_addresses.join()} ${address}`);
    assert.equal(addressAllowed(project, address), allowed, 'the same answer from memory');
  }
});
