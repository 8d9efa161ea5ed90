// The command line of payment pages: templates from flags, files and pictures, previews, and links with their QR code.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { encode } from 'uqr';
import { runCli } from '../../src/cli/index.ts';
import { DEFAULT_TEMPLATE } from '../../src/gateway/templates/index.ts';
import { type Installation, installation, SECRET } from '../operator/installation.ts';

let at: Installation;
let folder: string;
before(async () => {
  at = await installation();
  folder = mkdtempSync(path.join(tmpdir(), 'florin-pages-'));
  await at.call('POST', '/projects', { login: 'desk', name: 'Desk', accounting_currency: 'EUR' });
});
after(async () => {
  rmSync(folder, { recursive: true });
  await at.stop();
});

async function florin(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const elsewhere = (): Promise<never> => Promise.reject(new Error('not here'));
  const code = await runCli(args, {
    serve: elsewhere,
    migrate: elsewhere,
    distribute: elsewhere,
    connection: () => ({ url: at.url, secret: SECRET }),
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

/** Runs a command that must succeed, and reads its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
async function json(...args: string[]): Promise<any> {
  const { code, out, err } = await florin(...args, '--json');
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

const fileOf = (name: string, content: string | Buffer): string => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
};
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);

test('a template from flags and a picture: put, shown, listed, removed', async () => {
  const logo = fileOf('logo.PNG', PNG);
  const flags = ['--brand', '#AA0000', '--logo', logo, '--fields', 'cvv, number,expiry,holder', '--radius', '3'];
  const made = await json('template', 'put', 'desk', 'red', ...flags);
  assert.deepEqual(
    [made.brand, made.ground, made.logo, made.fields, made.radius, made.version],
    [
      '#aa0000',
      DEFAULT_TEMPLATE.ground,
      `data:image/png;base64,${PNG.toString('base64')}`,
      ['cvv', 'number', 'expiry', 'holder'],
      3,
      1,
    ],
  );
  const shown = (await florin('template', 'show', 'desk', 'red')).out;
  assert.match(shown, /^id +red\nbrand +#aa0000\n/);
  assert.match(shown, /\nlogo +data:image\/png;base64\n/, 'that there is one, not its bytes');
  const [head, row] = (await florin('template', 'list', 'desk')).out.split('\n');
  assert.match(head ?? '', /^id +brand +ground +paper +ink +fields +radius +has_logo +version$/);
  assert.match(row ?? '', /^red +#aa0000 .* cvv,number,expiry,holder +3 +true +1$/);
  assert.equal((await florin('template', 'remove', 'desk', 'red')).code, 0);
  const gone = await florin('template', 'show', 'desk', 'red');
  assert.deepEqual([gone.code, gone.err], [1, 'The project has no such template (404)\n']);
});

test('a template from a file, which may be one that was shown; flags stand above it', async () => {
  await json('template', 'put', 'desk', 'first', '--paper', '#101010', '--ink', '#fafafa', '--radius', '1');
  const kept = fileOf('kept.json', (await florin('template', 'show', 'desk', 'first', '--json')).out);
  const copy = await json('template', 'put', 'desk', 'second', '--file', kept, '--radius', '2');
  assert.deepEqual([copy.id, copy.paper, copy.ink, copy.radius], ['second', '#101010', '#fafafa', 2]);
  for (const [args, says] of [
    [['--file', fileOf('no.json', 'no')], /^Not a JSON file/],
    [['--file', path.join(folder, 'missing.json')], /can't be read/],
    [['--logo', path.join(folder, 'missing.png')], /can't be read/],
    [['--logo', fileOf('logo.svg', '<svg/>')], /^A logo is a \.png/],
    [['--logo', fileOf('not.png', 'text')], /#\/logo: Not allowed/],
    [['--radius', 'round', '--ink', '#fff'], /\(422\)\n {2}#\/ink: .*\n {2}#\/radius: /],
  ] as const) {
    const refused = await florin('template', 'put', 'desk', 'third', ...args);
    assert.equal(refused.code, 1);
    assert.match(refused.err, says);
  }
});

test('a preview is printed or written, of what is stored or of what would be', async () => {
  await json('template', 'put', 'desk', 'green', '--brand', '#00aa00');
  const stored = await florin('template', 'preview', 'desk', 'green', '--language', 'de');
  assert.equal(stored.code, 0, stored.err);
  assert.match(stored.out, /^<!doctype html><p lang="de" style="color:#00aa00">/);
  const file = path.join(folder, 'page.html');
  const tried = await florin('template', 'preview', 'desk', '--brand', '#0000aa', '--language', 'fr', '--out', file);
  assert.deepEqual([tried.code, tried.out], [0, `file  ${file}\n`]);
  assert.match(readFileSync(file, 'utf8'), /lang="fr" style="color:#0000aa">/);
  const both = await florin('template', 'preview', 'desk', 'green', '--brand', '#0000aa');
  assert.deepEqual([both.code, both.err.startsWith('Either a stored template')], [1, true]);
  const unwritable = await florin('template', 'preview', 'desk', 'green', '--out', folder);
  assert.deepEqual([unwritable.code, /can't be written/.test(unwritable.err)], [1, true]);
});

/** The dark modules of what is printed: two rows of them a line, light as the full block. */
const printedModules = (text: string): boolean[][] =>
  text.split('\n').flatMap((line) => {
    const halves = [...line].map((sign) => ({ '█': [false, false], '▀': [false, true], '▄': [true, false] })[sign]);
    return [0, 1].map((half) => halves.map((both) => both?.[half] ?? true));
  });

test('a link: its address, the QR code on the screen and as a picture', async () => {
  const svg = path.join(folder, 'link.svg');
  const flags = ['--amount', '49.90', '--currency', 'EUR', '--description', 'Invoice 1001', '--expires', '7d'];
  const made = await florin('link', 'create', 'desk', ...flags, '--svg', svg);
  assert.equal(made.code, 0, made.err);
  const [, orderId, url = '', picture = ''] = /^order_id {2}(\d+)\nurl {7}(\S+)\n\n(.*)\n$/s.exec(made.out) ?? [];
  assert.deepEqual([orderId, url], ['77', `https://pay.example/pay/${'t'.repeat(32)}`]);
  const { data, size } = encode(url, { ecc: 'M', border: 4 });
  assert.deepEqual(printedModules(picture).slice(0, size), data);
  assert.match(readFileSync(svg, 'utf8'), /^<svg .*<\/svg>$/);
  assert.deepEqual(at.links.at(-1), {
    login: 'desk',
    fields: { amount: '49.90', currency: 'EUR', description: 'Invoice 1001', expiration_timeout: 7 * 86_400_000 },
  });
  const more = ['--merchant-order-id', 'A1', '--language', 'de', '--template', 'green', '--static-link'];
  const all = await json('link', 'create', 'desk', '--currency', 'EUR', ...more, '--return-url', 'https://x.example/');
  assert.deepEqual(Object.keys(all), ['order_id', 'url', 'qr_svg']);
  assert.deepEqual(at.links.at(-1)?.fields, {
    currency: 'EUR',
    merchant_order_id: 'A1',
    language: 'de',
    template: 'green',
    return_url: 'https://x.example/',
    static_link: true,
  });
});

test('an address is told even when its picture can’t be written; a refused link writes nothing', async () => {
  const flags = ['--amount', '1', '--currency', 'EUR'];
  const lost = await florin('link', 'create', 'desk', ...flags, '--svg', folder);
  assert.equal(lost.code, 1);
  assert.match(lost.err, /can't be written\. The address is https:\/\/pay\.example\/pay\/t{32}\n$/);
  const svg = path.join(folder, 'never.svg');
  const refused = await florin('link', 'create', 'desk', '--currency', 'EURO', '--svg', svg);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /#\/amount: .*\n {2}#\/currency: /);
  assert.equal(existsSync(svg), false);
  assert.equal((await florin('link', 'create', 'desk', '--amount', '1')).code, 2, 'a currency is asked for');
});
