// Which passwords a person may choose: what is guessed first is refused, what is made by chance never, and no kind of character is asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../../src/base/index.ts';
import { isGuessable, SHORTEST_PASSWORD } from '../../../src/issuing/people/index.ts';
import { SANDBOX_PASSWORD, sandboxUsers } from '../../../src/issuing/tenants/index.ts';

const MINE = 'grace.hopper@shop.example';

test('common ones, whatever the size of their letters and the signs that stand for them', () => {
  for (const password of [
    'password1234',
    'Password1234',
    'P@ssw0rd1234',
    'p4$$w0rd2024!',
    'passwordpassword',
    'PasswordPassword1',
    'qwerty123456',
    '1q2w3e4r5t6y',
    '1qaz2wsx3edc',
    'iloveyou2024',
    'Welcome12345',
    'Summer2024!!!',
    '!!!Monkey2023',
    'letmein123456',
    'administrator',
    'CorrectHorseBatteryStaple',
    'changeme2025',
    'dragondragon!',
  ])
    assert.equal(isGuessable(password, null), true, password);
});

test('repetitions, rows of the keyboard, counting', () => {
  for (const password of [
    'aaaaaaaaaaaa',
    'abababababab',
    'abcdefghijkl',
    '123456789012',
    '210987654321',
    '111222333444',
    'qwertyuiopas',
    'zxcvbnmasdfg',
    'xyxyxyxyxyxyxyxyxyxy',
    '............',
    '😀😀😀😀😀😀😀😀😀😀😀😀',
    '201920202021',
  ])
    assert.equal(isGuessable(password, null), true, password);
});

test('what holds the name of the address, with dots in it or without, in any writing', () => {
  for (const password of ['grace.hopper-1906', 'GraceHopper-1906x', '7x-Gr4ce_H0pper-q', 'xx!gracehopper!xx'])
    assert.equal(isGuessable(password, MINE), true, password);
  for (const email of ['grace.hopper+cards@shop.example', 'Grace.Hopper@shop.example'])
    assert.equal(isGuessable('gracehopper-z7q', email), true, email);
  assert.equal(isGuessable('grace.hopper-1906', null), false, 'somebody else may');
  assert.equal(isGuessable('grace.hopper-1906', 'bo@shop.example'), false, 'of another');
  assert.equal(
    isGuessable('turbo-bobsleigh-41', 'bo@shop.example'),
    false,
    'a name of two letters is in too many words',
  );
  for (const email of ['@shop.example', '++@shop.example'])
    assert.equal(isGuessable('turbo-bobsleigh-41', email), false);
});

test('what is long enough and hard to guess, without figures, signs or capitals', () => {
  for (const password of [
    'turbo-bobsleigh',
    'the cat sat on my hat',
    'kaffeetassenrand',
    'мой дядя самых честных',
    '明日天気になあれ今日も雨',
    'Another-12345',
    'Third-123456',
    'purple monkey dishwasher',
    'change-me-at-the-first-login',
  ])
    assert.equal(isGuessable(password, MINE), false, password);
});

test('the published password of the sandbox is one that its users may have', () => {
  assert.ok(SANDBOX_PASSWORD.length >= SHORTEST_PASSWORD);
  for (const { email } of sandboxUsers) assert.equal(isGuessable(SANDBOX_PASSWORD, email), false, email);
});

test('made by chance is never refused', () => {
  const random = seededRandom(24);
  for (let i = 0; i < 3000; i++)
    for (const password of [random.bytes(9).toString('base64'), random.bytes(8).toString('hex')])
      assert.equal(isGuessable(password, MINE), false, password);
});

test('judging the longest that may be sent takes no time worth telling', () => {
  const from = performance.now();
  for (let i = 0; i < 100; i++) isGuessable('password'.repeat(32).slice(0, 255), MINE);
  assert.ok(performance.now() - from < 1000);
});
