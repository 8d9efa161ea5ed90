// Credentials and client certificates from the command line: bound by PEM file or fingerprint, shown, given up; and by `florin apply`.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { runCli } from '../../src/cli/index.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { fingerprintOf, pem } from '../support/tls.ts';

let app: TestApp;
let folder: string;
before(async () => {
  app = await testApp();
  folder = mkdtempSync(path.join(tmpdir(), 'florin-certificates-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function florin(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const nothing = (): Promise<never> => Promise.reject(new Error('not here'));
  const code = await runCli(args, {
    serve: nothing,
    migrate: nothing,
    distribute: nothing,
    connection: () => ({ url: app.url, secret: 'sandbox-operator' }),
    write: (text) => void (said.out += text),
    writeError: (text) => void (said.err += text),
  });
  return { code, ...said };
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
async function json(...args: string[]): Promise<any> {
  const { code, out, err } = await florin(...args, '--json');
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

const plain = (name: Parameters<typeof fingerprintOf>[0]): string =>
  fingerprintOf(name).replaceAll(':', '').toLowerCase();
const [SHOP, NEXT] = [plain('shop'), plain('shop-next')];

for (const [group, owner, list] of [
  ['credential', 'sandbox', 'credentials'],
  ['tenant-secret', 'sandbox', 'secrets'],
] as const)
  test(`${group}: made bound, bound anew by file and fingerprint, given up`, async () => {
    const made = await json(group, 'create', owner, '--label', 'cli', '--certificates', pem('shop'));
    const bound = async (): Promise<string[]> =>
      (await json(group, 'list', owner))[list].find(({ id }: { id: string }) => id === made.id).certificates;
    assert.deepEqual(await bound(), [SHOP]);
    const both = await json(group, 'bind', owner, made.id, pem('shop'), fingerprintOf('shop-next'));
    assert.deepEqual(
      [both.certificates, await bound()],
      [
        [SHOP, NEXT],
        [SHOP, NEXT],
      ],
    );
    assert.match((await florin(group, 'list', owner)).out, new RegExp(`${SHOP},${NEXT}`));
    await json(group, 'unbind', owner, made.id);
    assert.deepEqual(await bound(), []);
    assert.equal((await florin(group, 'bind', owner, made.id)).code, 2, 'nothing is not bound by a slip');
    for (const [name, says] of [
      [path.join(folder, 'missing.pem'), /can't be read/],
      [path.join(import.meta.dirname, 'cli.test.ts'), /holds no certificate/],
    ] as const) {
      const { code, err } = await florin(group, 'bind', owner, made.id, name);
      assert.deepEqual([code, says.test(err)], [1, true], err);
    }
    assert.deepEqual(await bound(), []);
  });

test('florin apply binds what the file says, changes nothing the second time, and leaves what it does not name', async () => {
  const file = path.join(folder, 'setup.json');
  const apply = async (certificates: string[] | undefined): Promise<string[]> => {
    const setup = {
      projects: [
        {
          login: 'certified',
          name: 'Certified',
          accounting_currency: 'EUR',
          credentials: [{ label: 'server', rights: ['read'], certificates }],
        },
      ],
      tenants: [{ name: 'certified', secrets: ['plain', { label: 'server', certificates }] }],
    };
    writeFileSync(file, JSON.stringify(setup));
    const { changes } = await json('apply', file);
    return changes.map(({ action, what, fields = [] }: { action: string; what: string; fields?: string[] }) =>
      [action, what, ...fields].join(' '),
    );
  };
  assert.deepEqual(await apply([fingerprintOf('shop')]), [
    'make project certified',
    'make credential certified/server',
    'make tenant certified',
    'make secret certified/plain',
    'make secret certified/server',
  ]);
  assert.deepEqual(await apply([SHOP, fingerprintOf('shop')]), []);
  assert.deepEqual(await apply([NEXT, SHOP]), [
    'change credential certified/server certificates',
    'change secret certified/server certificates',
  ]);
  assert.deepEqual(await apply([SHOP, NEXT]), [], 'in any order');
  assert.deepEqual(await apply(undefined), []);
  const { secrets } = await json('tenant-secret', 'list', 'certified');
  assert.deepEqual(
    secrets.map(({ label, certificates }: { label: string; certificates: string[] }) => [label, certificates.length]),
    [
      ['plain', 0],
      ['server', 2],
    ],
  );
  assert.equal((await apply([])).length, 2);
  writeFileSync(
    file,
    JSON.stringify({ tenants: [{ name: 'certified', secrets: [{ label: 'x', certificates: ['y'] }] }] }),
  );
  assert.match((await florin('apply', file)).err, /secrets\[0\]\.certificates: must be a list of SHA-256 fingerprints/);
});
