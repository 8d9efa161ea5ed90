// Addresses of the internet: whose they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../src/base/index.ts';

test('what is one party, and what is one net', () => {
  const table: [string | undefined, string | null, string | null][] = [
    ['203.0.113.7', '203.0.113.7', '203.0.113.0/24'],
    [' 203.0.113.7 ', '203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.0/24'],
    ['::FFFF:cb00:7107', '203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:0DB8:0001::', '2001:db8:1:0::/64', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
    ['::1', '0:0:0:0::/64', '0:0:0::/48'],
    ['203.0.113', null, null],
    ['203.0.113.7:80', null, null],
    ['example.com', null, null],
    ['', null, null],
    [undefined, null, null],
  ];
  for (const [given, party, net] of table) {
    const found = addressOf(given);
    assert.deepEqual([found?.party ?? null, found?.net ?? null], [party, net], `${given}`);
  }
});
