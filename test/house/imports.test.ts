// The import table of .dependency-cruiser.cjs holds, and its rules are awake: each is tried on a house with that one fault.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { filesIn, ROOT } from './source.ts';
import { run } from './tool.ts';

interface Report {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
  readonly modules: readonly { readonly source: string }[];
}

async function cruise(directory: string, ...folders: string[]): Promise<Report> {
  const { output, errors } = await run(
    'depcruise',
    ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders],
    directory,
  );
  assert.match(output, /^\{/, errors);
  return JSON.parse(output) as Report;
}

/** Faults: rule, importing file, what it imports. */
const FAULTS: readonly (readonly [rule: string, from: string, to: string])[] = [
  ['imports-of-base', 'src/base/money.ts', 'src/store/index.ts'],
  ['imports-of-cli', 'src/cli/apply/apply.ts', 'src/gateway/index.ts'],
  ['imports-of-store', 'src/store/commit/table.ts', 'src/ledger/index.ts'],
  ['imports-of-ledger', 'src/ledger/post.ts', 'src/network/index.ts'],
  ['imports-of-network', 'src/network/link.ts', 'src/gateway/index.ts'],
  ['imports-of-wallets', 'src/wallets/apple.ts', 'src/store/index.ts'],
  ['imports-of-gateway', 'src/gateway/orders/charge.ts', 'src/issuing/index.ts'],
  ['imports-of-issuing', 'src/issuing/cards/issue.ts', 'src/gateway/index.ts'],
  ['rooms-in-order (issuing/cards)', 'src/issuing/cards/issue.ts', 'src/issuing/creation/index.ts'],
  ['imports-of-gateway', 'src/gateway/projects/operator-routes.ts', 'src/operator/index.ts'],
  ['imports-of-operator', 'src/operator/routes.ts', 'src/gateway/index.ts'],
  ['imports-of-sandbox', 'src/sandbox/routes.ts', 'src/gateway/index.ts'],
  ['imports-of-threeds', 'src/threeds/finish.ts', 'src/gateway/index.ts'],
  ['imports-of-pages', 'src/pages/checkout/routes.ts', 'src/vault/index.ts'],
  ['imports-of-pages', 'src/pages/index.ts', 'src/issuing/index.ts'],
  ['http-is-for-routes', 'src/gateway/orders/charge.ts', 'src/http/index.ts'],
  ['low-rooms-have-no-http', 'src/ledger/routes.ts', 'src/http/index.ts'],
  ['http-is-for-routes', 'src/events/endpoints/manage.ts', 'src/http/index.ts'],
  ['rooms-in-order (events/endpoints)', 'src/events/endpoints/manage.ts', 'src/events/api/index.ts'],
  ['low-rooms-have-no-http', 'src/cli/client.ts', 'src/http/index.ts'],
  ['low-rooms-have-no-http', 'src/wallets/routes.ts', 'src/http/index.ts'],
  ['use-cases-below-routes', 'src/gateway/orders/charge.ts', 'src/gateway/orders/routes.ts'],
  ['use-cases-below-routes', 'src/gateway/checkout/page.ts', 'src/gateway/api/index.ts'],
  ['rooms-by-their-door', 'src/gateway/orders/charge.ts', 'src/ledger/post.ts'],
  ['rooms-by-their-door', 'src/app.ts', 'src/ledger/post.ts'],
  ['sub-rooms-by-their-door (gateway)', 'src/gateway/orders/charge.ts', 'src/gateway/risk/rules.ts'],
  ['sub-rooms-by-their-door, from above (gateway)', 'src/gateway/index.ts', 'src/gateway/risk/rules.ts'],
  ['rooms-in-order (gateway/flight)', 'src/gateway/flight/message.ts', 'src/gateway/operations/index.ts'],
  ['known-rooms-only (gateway)', 'src/gateway/index.ts', 'src/gateway/misc/index.ts'],
  ['no-way-out-by-the-front', 'src/gateway/orders/charge.ts', 'src/gateway/index.ts'],
  ['no-way-out-by-the-front (gateway)', 'src/gateway/orders/charge.ts', 'src/gateway/orders/index.ts'],
  ['app-knows-all-nobody-knows-app', 'src/pages/index.ts', 'src/app.ts'],
  ['app-knows-all-nobody-knows-app', 'src/network/link.ts', 'src/app-health.ts'],
  ['nobody-imports-main', 'src/app.ts', 'src/main.ts'],
  ['environment-by-argument', 'src/vault/keys.ts', 'src/config.ts'],
  ['few-files-at-the-top', 'src/app.ts', 'src/more.ts'],
  ['known-rooms-only', 'src/app.ts', 'src/misc/index.ts'],
  ['src-stands-alone', 'src/app.ts', 'test/support/database.ts'],
  ['rooms-in-order (threeds/protocol)', 'src/threeds/protocol/eci.ts', 'src/threeds/acs/index.ts'],
  ['sub-rooms-by-their-door (threeds)', 'src/threeds/acs/pages.ts', 'src/threeds/protocol/eci.ts'],
  ['sub-rooms-by-their-door, from above (network)', 'src/network/index.ts', 'src/network/simulator/cards.ts'],
  ['rooms-in-order (http/fields)', 'src/http/fields/schema.ts', 'src/http/api/index.ts'],
  ['sub-rooms-by-their-door (http)', 'src/http/api/endpoint.ts', 'src/http/fields/schema.ts'],
  ['sub-rooms-by-their-door, from above (http)', 'src/http/operator.ts', 'src/http/fields/schema.ts'],
  ['no-way-out-by-the-front', 'src/http/listener/server.ts', 'src/http/index.ts'],
  ['rooms-by-their-door', 'src/pages/index.ts', 'src/http/api/index.ts'],
  ['rooms-in-order (store/commit)', 'src/store/commit/command.ts', 'src/store/due/index.ts'],
  ['sub-rooms-by-their-door (store)', 'src/store/due/due.ts', 'src/store/commit/command.ts'],
  ['sub-rooms-by-their-door, from above (store)', 'src/store/lease.ts', 'src/store/commit/command.ts'],
  ['rooms-in-order (base/iso)', 'src/base/iso/country.ts', 'src/base/turns/index.ts'],
  ['sub-rooms-by-their-door, from above (base)', 'src/base/money.ts', 'src/base/iso/currency.ts'],
  ['resolvable', 'src/app.ts', 'src/nowhere.ts'],
];

describe('the import table', () => {
  const made: string[] = [];
  after(() => {
    for (const directory of made) rmSync(directory, { recursive: true, force: true });
  });

  /** A house of empty files that import what is given; a type is enough. */
  function house(imports: readonly (readonly [from: string, to: string])[], missing: readonly string[] = []): string {
    const directory = mkdtempSync(join(tmpdir(), 'florin-house-'));
    made.push(directory);
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json'])
      copyFileSync(join(ROOT, file), join(directory, file));
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'house', type: 'module' }));
    const lines = new Map<string, string[]>(
      imports.flatMap(
        ([from, to]) =>
          [
            [from, []],
            [to, []],
          ] as [string, string[]][],
      ),
    );
    for (const [from, to] of imports)
      lines
        .get(from)
        ?.push(
          `import type { It${lines.get(from)?.length ?? 0} } from '${'../'.repeat(from.split('/').length - 1)}${to}';`,
        );
    for (const [path, text] of lines) {
      if (missing.includes(path)) continue;
      mkdirSync(join(directory, dirname(path)), { recursive: true });
      writeFileSync(join(directory, path), `${text.join('\n')}\nexport interface It {}\n`);
    }
    return directory;
  }

  it('holds in src, every file of it read', async () => {
    const report = await cruise(ROOT, 'src');
    const read = new Set(report.modules.map((module) => module.source));
    assert.deepEqual(
      filesIn('src', '.ts').filter((path) => !read.has(path)),
      [],
      'files that the check did not read',
    );
    assert.deepEqual(
      report.summary.violations.map((v) => `${v.rule.name}: ${v.from} → ${v.to}`),
      [],
    );
  });

  it('lets pass what the table allows', async () => {
    const directory = house([
      ['src/main.ts', 'src/app.ts'],
      ['src/app.ts', 'src/gateway/index.ts'],
      ['src/app.ts', 'src/vault/index.ts'],
      ['src/gateway/index.ts', 'src/gateway/orders/index.ts'],
      ['src/gateway/orders/index.ts', 'src/gateway/orders/routes.ts'],
      ['src/gateway/orders/routes.ts', 'src/http/index.ts'],
      ['src/gateway/api/order-endpoints.ts', 'src/http/index.ts'],
      ['src/gateway/orders/routes.ts', 'src/gateway/orders/charge.ts'],
      ['src/gateway/orders/charge.ts', 'src/gateway/projects/index.ts'],
      ['src/gateway/orders/charge.ts', 'src/ledger/index.ts'],
      ['src/ledger/index.ts', 'src/base/index.ts'],
      ['src/pages/index.ts', 'src/http/index.ts'],
    ]);
    const report = await cruise(directory, 'src');
    assert.deepEqual(
      report.summary.violations.map((v) => v.rule.name),
      [],
    );
  });

  it('stops each forbidden import, even of a type', async () => {
    // One house for all faults: each pair of files is looked for by name.
    const directory = house(
      FAULTS.map(([, from, to]) => [from, to] as const),
      ['src/nowhere.ts'],
    );
    const report = await cruise(directory, 'src');
    const found = new Set(report.summary.violations.map((v) => `${v.rule.name}: ${v.from}`));
    assert.deepEqual(
      FAULTS.map(([rule, from]) => `${rule}: ${from}`).filter((fault) => !found.has(fault)),
      [],
    );
  });

  it('stops cycles', async () => {
    const directory = house([
      ['src/ledger/a.ts', 'src/ledger/b.ts'],
      ['src/ledger/b.ts', 'src/ledger/a.ts'],
    ]);
    const report = await cruise(directory, 'src');
    assert.deepEqual([...new Set(report.summary.violations.map((v) => v.rule.name))], ['no-cycles']);
  });
});
