// Templates of payment pages: what one may be, field by field, and whose it is.
import assert from 'node:assert/strict';
import { before, describe, it, test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../src/base/index.ts';
import { projectGet } from '../../src/gateway/projects/index.ts';
import {
  DEFAULT_TEMPLATE,
  FIELD_NAMES,
  type PageTemplate,
  templateGet,
  templateList,
  templateOf,
  templateProblems,
  templatePut,
  templateRemove,
} from '../../src/gateway/templates/index.ts';
import { type Bench, bench, shop } from './bench.ts';

const BEGINNINGS = {
  png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  jpeg: [0xff, 0xd8, 0xff, 0xe0],
  webp: [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50],
} as const;

const picture = (kind: keyof typeof BEGINNINGS, size = 64, as: string = kind): string => {
  const bytes = Buffer.alloc(size, 7);
  Buffer.from(BEGINNINGS[kind]).copy(bytes);
  return `data:image/${as};base64,${bytes.toString('base64')}`;
};

const wrongIn = (given: Record<string, unknown>): string[] => templateProblems(given).map(({ path }) => path.join('/'));

describe('what a template may be', () => {
  it('nothing, a part, and everything', () => {
    assert.deepEqual(templateProblems({}), []);
    assert.deepEqual(templateProblems({ ...DEFAULT_TEMPLATE }), []);
    assert.deepEqual(templateProblems({ brand: '#ABCDEF', radius: 0 }), []);
    for (const kind of ['png', 'jpeg', 'webp'] as const) assert.deepEqual(wrongIn({ logo: picture(kind) }), []);
    assert.deepEqual(wrongIn({ logo: picture('png', 12 * 1024), radius: 24, fields: [...FIELD_NAMES].reverse() }), []);
  });

  it('every wrong field is told at once, and no value', () => {
    const problems = templateProblems({
      brand: 'red',
      ground: '#12345',
      paper: '#1234567',
      ink: 7,
      logo: 'https://pictures.example/logo.png',
      fields: ['number'],
      radius: 25,
      colour: 'secret-value',
    });
    assert.deepEqual(
      problems.map(({ path }) => path.join('/')),
      ['brand', 'ground', 'paper', 'ink', 'logo', 'fields', 'radius', 'colour'],
    );
    assert.doesNotMatch(JSON.stringify(problems), /red|secret-value|pictures\.example/);
  });

  it('a colour is # and six hexadecimal digits, nothing around', () => {
    for (const brand of ['#fff', 'fff000', '#gggggg', ' #ffffff', '#ffffff\n', '#ffffff;', '', null, ['#ffffff']])
      assert.deepEqual(wrongIn({ brand }), ['brand'], JSON.stringify(brand));
  });

  it('ink is readable on paper: 4.5 to 1', () => {
    // The two greys around the limit on white.
    assert.deepEqual(wrongIn({ ink: '#767676', paper: '#ffffff' }), []);
    assert.deepEqual(wrongIn({ ink: '#777777', paper: '#ffffff' }), ['ink']);
    assert.deepEqual(wrongIn({ ink: '#777777', paper: '#000000' }), []);
    assert.deepEqual(wrongIn({ ink: '#ffffff' }), ['ink'], 'on the paper of the default');
    assert.deepEqual(wrongIn({ paper: '#000000' }), ['paper'], 'under the ink of the default');
    assert.deepEqual(wrongIn({ paper: '#000000', ink: '#ffffff' }), []);
    assert.deepEqual(wrongIn({ paper: 'none', ink: '#ffffff' }), ['paper'], 'told once, when both are colours');
  });

  it('a logo is a small picture of the kind it says', () => {
    const good = picture('png');
    for (const [why, logo] of [
      ['one byte too many', picture('png', 12 * 1024 + 1)],
      ['says png, is jpeg', picture('jpeg', 64, 'png')],
      ['says webp, is png', picture('png', 64, 'webp')],
      ['no such kind', picture('png', 64, 'svg+xml')],
      ['capitals', picture('png', 64, 'PNG')],
      ['markup', `data:image/svg+xml;base64,${btoa('<svg onload="alert(1)"/>')}`],
      ['no base64', 'data:image/png,%89PNG'],
      ['a parameter', good.replace(';base64', ';charset=utf-8;base64')],
      ['an attribute behind it', `${good}" onerror="alert(1)`],
      ['a line end', `${good}\n`],
      ['another spelling of base64', `${good}=`],
      ['bits behind the end', 'data:image/jpeg;base64,/9j/4R=='],
      ['empty', 'data:image/png;base64,'],
      ['a frame only', `data:image/webp;base64,${Buffer.from('RIFF1234WEBQ').toString('base64')}`],
      ['a number', 5],
    ] as const)
      assert.deepEqual(wrongIn({ logo }), ['logo'], why);
    assert.deepEqual(wrongIn({ logo: null }), []);
  });

  it('fields are each named once; corners are whole pixels', () => {
    for (const fields of [
      [],
      ['number', 'expiry', 'cvv'],
      ['number', 'expiry', 'cvv', 'cvv'],
      ['number', 'expiry', 'cvv', 'name'],
      [...FIELD_NAMES, 'number'],
      'number,expiry,cvv,holder',
    ])
      assert.deepEqual(wrongIn({ fields }), ['fields'], JSON.stringify(fields));
    for (const radius of [-1, 25, 1.5, '14', Number.NaN, true]) assert.deepEqual(wrongIn({ radius }), ['radius']);
  });

  it('whatever passes keeps to its alphabet, and whatever comes is judged', () => {
    const SAFE = /^(#[0-9a-f]{6}|data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+=*|number|expiry|cvv|holder)$/i;
    const name = fc.constantFrom(...Object.keys(DEFAULT_TEMPLATE), '__proto__', 'constructor');
    const value = fc.oneof(fc.anything(), fc.constantFrom('#000000', '#FFFFFF', '#fff"', picture('png'), 5, null));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
        const given = Object.fromEntries(pairs);
        if (templateProblems(given).length > 0) return;
        for (const text of Object.values(given).flat())
          assert.ok(typeof text === 'string' ? SAFE.test(text) : text == null || Number.isInteger(text), String(text));
      }),
    );
  });
});

describe('templates of a project', () => {
  let at: Bench;
  let one: bigint;
  let two: bigint;
  before(async () => {
    at = await bench();
    await shop(at, 'look-one');
    await shop(at, 'look-two');
    one = (await projectGet(at.database, 'look-one')).id;
    two = (await projectGet(at.database, 'look-two')).id;
  });
  const put = (login: string, id: string, given: Partial<PageTemplate>) =>
    templatePut(at.database, login, id, given, at.clock.now());

  test('the default, until there is one; fields that are not given are the default’s', async () => {
    assert.deepEqual(await templateOf(at.database, one, undefined), DEFAULT_TEMPLATE);
    assert.deepEqual(await templateOf(at.database, one, 'dark'), DEFAULT_TEMPLATE);
    const dark = { paper: '#101010', ink: '#FAFAFA', logo: picture('webp'), radius: 0 };
    const first = await put('look-one', 'dark', dark);
    const whole = { ...DEFAULT_TEMPLATE, ...dark, ink: '#fafafa' };
    assert.deepEqual(first, { id: 'dark', ...whole, version: 1, updated_at: at.clock.now() });
    assert.deepEqual(await templateOf(at.database, one, 'dark'), whole);
  });

  test('replaced whole, with a version that grows', async () => {
    await put('look-one', 'changing', { brand: '#102030', radius: 3 });
    at.clock.advance(1000);
    const second = await put('look-one', 'changing', { radius: 4 });
    assert.deepEqual([second.brand, second.radius, second.version], [DEFAULT_TEMPLATE.brand, 4, 2]);
    assert.deepEqual(second.updated_at, at.clock.now());
    assert.deepEqual(await templateGet(at.database, 'look-one', 'changing'), second);
  });

  test('another project’s is an unknown one', async () => {
    await put('look-one', 'mine', { radius: 1 });
    await put('look-two', 'mine', { radius: 2 });
    await put('look-one', 'only-mine', { radius: 1 });
    assert.equal((await templateOf(at.database, two, 'mine')).radius, 2);
    assert.deepEqual(await templateOf(at.database, two, 'only-mine'), DEFAULT_TEMPLATE);
    assert.equal(await templateGet(at.database, 'look-two', 'only-mine'), null);
    assert.equal(await templateRemove(at.database, 'look-two', 'only-mine'), false);
    assert.deepEqual(
      (await templateList(at.database, 'look-two')).map(({ id }) => id),
      ['mine'],
    );
    assert.equal(await templateRemove(at.database, 'look-two', 'mine'), true);
    assert.equal((await templateOf(at.database, one, 'mine')).radius, 1);
    assert.deepEqual(await templateOf(at.database, two, 'mine'), DEFAULT_TEMPLATE);
  });

  test('wrong ids and templates are refused and nothing is kept', async () => {
    for (const id of ['', '-x', '../x', 'a b', 'x'.repeat(65), 'ä', 'x\n'])
      await assert.rejects(
        put('look-two', id, { radius: 99 }),
        (error: Refusal) =>
          error.code === 'invalid' && error.problems.map(({ path }) => path[0]).join() === 'id,radius',
        JSON.stringify(id),
      );
    assert.deepEqual(await templateOf(at.database, two, 'x\u0000'), DEFAULT_TEMPLATE);
    await assert.rejects(put('nobody', 'x', {}), (error: Refusal) => error.code === 'project_unknown');
    await assert.rejects(templateList(at.database, 'nobody'), Refusal);
  });

  test('a hundred, and no more', async () => {
    await shop(at, 'look-many');
    for (let i = 0; i < 100; i++) await put('look-many', `t${i}`, {});
    await assert.rejects(put('look-many', 'one-more', {}), (error: Refusal) => error.problems.length === 1);
    assert.equal((await put('look-many', 't7', { radius: 7 })).version, 2, 'what is there may still change');
    assert.equal((await templateList(at.database, 'look-many')).length, 100);
  });
});
