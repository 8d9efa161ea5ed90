// Addresses that somebody names who wants the server to call a place inside: none of them is connected to, whatever it is written like.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Cause, isPublicAddress, readAllow } from '../../../src/events/index.ts';
import { allowing, door, type Listener, listen, sandboxDoor, send } from './doors.ts';

let inside: Listener;
before(async () => {
  inside = await listen();
});
after(() => inside.close());

/** Where names of the tests lead. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'inside.example': ['127.0.0.1'],
  'inside6.example': ['::1'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mixed6.example': ['2606:4700:4700::1111', 'fd00::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zero.example': ['0.0.0.0'],
  'metadata.example': ['169.254.169.254'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'sixtofour.example': ['2002:7f00:1::1'],
  'nothing.example': [],
  'text.example': ['localhost'],
  'zone.example': ['fe80::1%lo'],
};
const lookup = async (name: string): Promise<readonly string[]> => {
  const found = NAMES[name];
  if (!found) throw new Error('ENOTFOUND');
  return found;
};

/** PORT: that of the listener. */
const HOSTILE: readonly (readonly [url: string, cause: Cause])[] = [
  // Names and addresses of this machine.
  ['https://localhost:PORT/', 'not_public'],
  ['https://LOCALHOST:PORT/', 'not_public'],
  ['https://localhost.:PORT/', 'not_public'],
  ['https://app.localhost:PORT/', 'not_public'],
  ['https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/', 'not_public'],
  ['https://127.0.0.1:PORT/', 'not_public'],
  ['https://127.0.0.1.:PORT/', 'not_public'],
  ['https://127.1:PORT/', 'not_public'],
  ['https://127.0.1:PORT/', 'not_public'],
  ['https://127.255.255.254:PORT/', 'not_public'],
  ['https://0:PORT/', 'not_public'],
  ['https://0.0.0.0:PORT/', 'not_public'],
  // Other ways to write a number.
  ['https://2130706433:PORT/', 'not_public'],
  ['https://0x7f000001:PORT/', 'not_public'],
  ['https://0x7F.0.0.1:PORT/', 'not_public'],
  ['https://0177.0.0.1:PORT/', 'not_public'],
  ['https://017700000001:PORT/', 'not_public'],
  ['https://0177.0x0.0.1:PORT/', 'not_public'],
  ['https://%31%32%37.0.0.1:PORT/', 'not_public'],
  ['https://１２７.０.０.１:PORT/', 'not_public'],
  ['https://①②⑦.0.0.1:PORT/', 'not_public'],
  ['https://127。0。0。1:PORT/', 'not_public'],
  ['https://127.0.0.1:PORT\\@example.com/', 'not_public'],
  ['https:127.0.0.1:PORT', 'not_public'],
  ['https:\\\\127.0.0.1:PORT\\', 'not_public'],
  ['\thttps://127.0.0.1:PORT/', 'not_public'],
  ['https://127.0.\n0.1:PORT/', 'not_public'],
  // IPv6, and IPv4 inside it.
  ['https://[::1]:PORT/', 'not_public'],
  ['https://[0:0:0:0:0:0:0:1]:PORT/', 'not_public'],
  ['https://[::]:PORT/', 'not_public'],
  ['https://[::ffff:127.0.0.1]:PORT/', 'not_public'],
  ['https://[::ffff:7f00:1]:PORT/', 'not_public'],
  ['https://[::ffff:0:127.0.0.1]:PORT/', 'not_public'],
  ['https://[::127.0.0.1]:PORT/', 'not_public'],
  ['https://[64:ff9b::127.0.0.1]:PORT/', 'not_public'],
  ['https://[64:ff9b::a9fe:a9fe]/', 'not_public'],
  ['https://[64:ff9b:1::127.0.0.1]:PORT/', 'not_public'],
  ['https://[2002:7f00:1::]:PORT/', 'not_public'],
  ['https://[2002:0101:0101::1]/', 'not_public'],
  ['https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/', 'not_public'],
  ['https://[2606:4700::5efe:127.0.0.1]/', 'not_public'],
  ['https://[2606:4700::200:5efe:127.0.0.1]/', 'not_public'],
  ['https://[fe80::1]/', 'not_public'],
  ['https://[fe80::1%25eth0]/', 'unreadable_url'],
  ['https://[fc00::1]/', 'not_public'],
  ['https://[fd00:ec2::254]/', 'not_public'],
  ['https://[fec0::1]/', 'not_public'],
  ['https://[ff02::1]/', 'not_public'],
  ['https://[100::1]/', 'not_public'],
  ['https://[2001:db8::1]/', 'not_public'],
  ['https://[3fff::1]/', 'not_public'],
  ['https://[5f00::1]/', 'not_public'],
  // Networks that are nobody's, or of those next door.
  ['https://10.1.2.3/', 'not_public'],
  ['https://172.31.255.255/', 'not_public'],
  ['https://192.168.0.1/', 'not_public'],
  ['https://100.64.0.1/', 'not_public'],
  ['https://169.254.169.254/latest/meta-data/', 'not_public'],
  ['https://168.63.129.16/', 'not_public'],
  ['https://192.0.0.192/', 'not_public'],
  ['https://198.18.0.1/', 'not_public'],
  ['https://203.0.113.1/', 'not_public'],
  ['https://224.0.0.1/', 'not_public'],
  ['https://255.255.255.255/', 'not_public'],
  // Names.
  ['https://inside.example:PORT/', 'not_public'],
  ['https://inside6.example:PORT/', 'not_public'],
  ['https://mixed.example:PORT/', 'not_public'],
  ['https://mixed6.example:PORT/', 'not_public'],
  ['https://mapped.example:PORT/', 'not_public'],
  ['https://zero.example:PORT/', 'not_public'],
  ['https://metadata.example/', 'not_public'],
  ['https://nat64.example:PORT/', 'not_public'],
  ['https://sixtofour.example:PORT/', 'not_public'],
  ['https://nothing.example:PORT/', 'dns'],
  ['https://text.example:PORT/', 'dns'],
  ['https://zone.example:PORT/', 'dns'],
  ['https://unknown.example:PORT/', 'dns'],
  ['https://intranet:PORT/', 'not_public'],
  ['https://db.internal:PORT/', 'not_public'],
  ['https://printer.local:PORT/', 'not_public'],
  ['https://a..example:PORT/', 'unreadable_url'],
  ['https://example.com../', 'unreadable_url'],
  // Other schemes, somebody's password, ports of other services.
  ['http://127.0.0.1:PORT/', 'plain_http'],
  ['http://example.com/', 'plain_http'],
  ['ftp://127.0.0.1:PORT/', 'plain_http'],
  ['file:///etc/passwd', 'plain_http'],
  ['gopher://127.0.0.1:PORT/_GET', 'plain_http'],
  ['javascript:fetch(1)', 'plain_http'],
  ['https://user@127.0.0.1:PORT/', 'user_info'],
  ['https://example.com:word@127.0.0.1:PORT/', 'user_info'],
  ['https://example.com:22/', 'port'],
  ['https://example.com:80/', 'port'],
  ['https://example.com:0/', 'port'],
  ['https://example.com:65536/', 'unreadable_url'],
  ['https://127.0.0.1%00.example:PORT/', 'unreadable_url'],
  ['https://', 'unreadable_url'],
  ['//127.0.0.1:PORT/', 'unreadable_url'],
  ['', 'unreadable_url'],
  [`https://example.com/${'a'.repeat(2048)}`, 'unreadable_url'],
];

describe('outside a sandbox', () => {
  for (const [written, cause] of HOSTILE)
    test(`${JSON.stringify(written.slice(0, 60))}: ${cause}`, async () => {
      const egress = door({ lookup });
      const url = written.replace('PORT', String(inside.port));
      const answer = await send(egress, url);
      assert.equal(answer.cause, cause);
      assert.equal(await egress.resolves(url), cause, 'said when it is saved, too');
      const [byName, said] = [cause === 'dns' || /\w\.example[:/]/.test(written), egress.check(url)];
      assert.ok(said === cause || (byName && said === null), `without asking a name server: ${said}`);
      assert.equal(inside.taken(), 0, 'no connection');
    });

  test('there are more than sixty of them, and a door whose check is gone connects', async () => {
    assert.ok(HOSTILE.length >= 60, String(HOSTILE.length));
    const found = await listen();
    const planted = door({ allow: allowing('0.0.0.0/0,::/0'), lookup });
    // Spellings of this machine's own address: nothing else is called by a test.
    const own = /^(127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|inside6?\.example)$/;
    const leading = HOSTILE.map(([url]) => url.replace('PORT', String(found.port))).filter((url) => {
      const { protocol = '', hostname = '', username = '' } = URL.parse(url) ?? {};
      return protocol === 'https:' && username === '' && own.test(hostname.replace(/\.$/, ''));
    });
    await Promise.all(leading.map((url) => send(planted, url)));
    assert.ok(leading.length >= 20, leading.join(' '));
    assert.equal(found.taken(), leading.length);
    await found.close();
  });
});

describe('in a sandbox', () => {
  for (const host of [
    '169.254.169.254',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '255.255.255.255',
    'metadata.example',
    'zero.example',
    'mapped.example',
  ])
    test(`${host} is not called either`, async () => {
      assert.equal((await send(sandboxDoor({ lookup }), `http://${host}:${inside.port}/`)).cause, 'not_public');
      assert.equal(inside.taken(), 0);
    });
});

describe('exceptions', () => {
  const checks = (allow: string, url: string): Cause | null => door({ allow: allowing(allow) }).check(url);

  test('a network, for https alone or for plain HTTP, too', () => {
    assert.equal(checks('10.0.0.0/8', 'https://10.1.2.3/'), null);
    assert.equal(checks('10.0.0.0/8', 'http://10.1.2.3/'), 'plain_http');
    assert.equal(checks('http://10.0.0.0/8', 'http://10.1.2.3/'), null);
    assert.equal(checks('http://10.0.0.0/8', 'http://1.1.1.1/'), 'plain_http');
    assert.equal(checks('10.0.0.0/8', 'https://192.168.0.1/'), 'not_public');
    assert.equal(checks('127.0.0.1', 'https://127.0.0.2/'), 'not_public');
    assert.equal(checks('fd00::/8', 'https://[fd00::1]/'), null);
    assert.equal(checks('127.0.0.0/8', 'https://[::ffff:127.0.0.1]/'), 'not_public');
    assert.equal(checks('0.0.0.0/0,::/0', 'https://[::ffff:127.0.0.1]/'), 'not_public');
  });

  test('a host, wherever it is, and no other', async () => {
    const egress = door({ allow: allowing('http://inside.example, inside6.example'), lookup });
    assert.equal(await egress.resolves('http://inside.example/'), null);
    assert.equal(await egress.resolves('https://inside6.example/'), null);
    assert.equal(await egress.resolves('http://inside6.example/'), 'plain_http');
    assert.equal(await egress.resolves('https://mixed.example/'), 'not_public');
    assert.equal(egress.check('https://127.0.0.1/'), 'not_public');
  });

  test('a name of this network is looked up where there is an exception, and judged by what it leads to', async () => {
    const hooks = async () => ['10.0.0.7'];
    const near = door({ allow: allowing('10.0.0.0/8'), lookup: hooks });
    assert.equal(await near.resolves('https://hooks/'), null);
    assert.equal(
      await door({ allow: allowing('192.168.0.0/16'), lookup: hooks }).resolves('https://hooks/'),
      'not_public',
    );
  });

  test('what else is written there is refused', () => {
    for (const text of [
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      'a b',
      'https://x',
      'x:80',
      '*.example',
      'a,,b',
      '0x7f.1',
      '127.1',
      'private http',
    ])
      assert.equal(readAllow(text), null, text);
    assert.deepEqual(readAllow(' '), { private: false, http: false, exceptions: [] });
  });
});

describe('the server itself', () => {
  const own = (): readonly string[] => ['https://pay.example/base', 'http://0.0.0.0:8080', ''];
  const egress = sandboxDoor({ own, inbox: '/simulator/inbox/', lookup });

  test('is not called, by whatever name', () => {
    for (const url of [
      'https://pay.example/gateway/orders',
      'https://PAY.example./',
      'https://pay.example:8443/',
      'http://127.0.0.1:8080/',
      'http://[::1]:8080/operator',
      'http://127.9.9.9:8080/',
      'http://127.0.0.1:8080/simulator/inbox/../../operator',
      'http://127.0.0.1:8080/simulator/inbox/%2e%2e/clock',
      'http://127.0.0.1:8080/simulator/inbox/..%2f..%2foperator',
      'http://127.0.0.1:8080/simulator/inbox/',
      'http://127.0.0.1:8080/simulator/inbox/one/two',
    ])
      assert.equal(egress.check(url), 'own_host', url);
  });

  test('nor by a name that leads to it', async () => {
    assert.equal((await send(egress, 'http://inside.example:8080/')).cause, 'own_host');
    assert.equal(await egress.resolves('http://inside.example:8080/'), 'own_host');
    assert.equal(await egress.resolves('http://inside.example:8080/simulator/inbox/shop'), null);
  });

  test('but for the inbox, and programs beside it', () => {
    for (const url of [
      'https://pay.example/simulator/inbox/shop',
      'http://127.0.0.1:8080/simulator/inbox/shop?fail=1',
      'http://127.0.0.1:8081/hook',
    ])
      assert.equal(egress.check(url), null, url);
    assert.equal(door({ own, inbox: null }).check('https://pay.example/simulator/inbox/shop'), 'own_host');
    assert.equal(door({ own, allow: allowing('pay.example') }).check('https://pay.example/hook'), null);
  });
});

test('public addresses', () => {
  for (const address of ['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '64:ff9b::101:101'])
    assert.ok(isPublicAddress(address), address);
  for (const address of [
    '100.64.0.1',
    '172.31.255.255',
    '224.0.0.1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fe80::1',
    'x',
    '',
  ])
    assert.ok(!isPublicAddress(address), address);
});
