// Durations, date-times in zones, and a clock that can be moved.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  addMs,
  type Clock,
  dayOf,
  formatDateTime,
  nextMidnight,
  parseDateTime,
  parseDuration,
  systemClock,
  VirtualClock,
} from '../../src/base/index.ts';

const utc = (text: string): Date => new Date(`${text}Z`);

describe('durations', () => {
  it('have a unit', () => {
    const known: readonly (readonly [string, number])[] = [
      ['30s', 30_000],
      ['15m', 900_000],
      ['2h', 7_200_000],
      ['1d', 86_400_000],
      ['250ms', 250],
      ['366d', 366 * 86_400_000],
    ];
    for (const [text, ms] of known) assert.equal(parseDuration(text), ms, text);
  });

  for (const text of [
    '',
    '0s',
    '0d',
    '367d',
    '999999999d',
    '1w',
    '1y',
    '1',
    's',
    '-1h',
    '+1h',
    '1.5h',
    '1 h',
    '1h30m',
    '1H',
    ' 1h',
    '1h\n',
    '1e3s',
    '١h',
  ])
    it(`are not ${JSON.stringify(text)}`, () => assert.equal(parseDuration(text), null));
});

describe('date-times', () => {
  it('are printed in the zone that is asked for', () => {
    const winter = utc('2026-11-21T09:30:00');
    const summer = utc('2026-07-01T22:30:00');
    assert.equal(formatDateTime(winter), '2026-11-21 09:30:00');
    assert.equal(formatDateTime(winter, 'Europe/Berlin'), '2026-11-21 10:30:00');
    assert.equal(formatDateTime(summer, 'Europe/Berlin'), '2026-07-02 00:30:00');
    assert.equal(formatDateTime(winter, 'Asia/Kathmandu'), '2026-11-21 15:15:00');
    assert.equal(formatDateTime(winter, 'America/New_York'), '2026-11-21 04:30:00');
    assert.equal(formatDateTime(utc('2026-11-21T09:30:00.999'), 'Europe/Berlin'), '2026-11-21 10:30:00');
  });

  it('come back as they were printed, to the second', () => {
    const moment = fc.date({ min: utc('2000-01-01T00:00:00'), max: utc('2100-01-01T00:00:00'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, fc.constantFrom('UTC', 'Asia/Tokyo', 'Asia/Kathmandu'), (at, zone) => {
        const whole = new Date(Math.floor(at.getTime() / 1000) * 1000);
        assert.deepEqual(parseDateTime(formatDateTime(at, zone), zone), whole);
      }),
    );
  });

  it('that the clock skips in spring mean an hour later, those that it repeats in autumn the first', () => {
    assert.deepEqual(parseDateTime('2026-03-29 02:30:00', 'Europe/Berlin'), utc('2026-03-29T01:30:00'));
    assert.deepEqual(parseDateTime('2026-10-25 02:30:00', 'Europe/Berlin'), utc('2026-10-25T00:30:00'));
    assert.equal(formatDateTime(utc('2026-10-25T01:30:00'), 'Europe/Berlin'), '2026-10-25 02:30:00');
    assert.equal(formatDateTime(utc('2026-03-29T01:00:00'), 'Europe/Berlin'), '2026-03-29 03:00:00');
  });

  it('know the days of their month', () => {
    assert.deepEqual(parseDateTime('2028-02-29 00:00:00'), utc('2028-02-29T00:00:00'));
    for (const text of [
      '2026-02-29 00:00:00',
      '2026-04-31 00:00:00',
      '2026-13-01 00:00:00',
      '2026-00-10 00:00:00',
      '2026-01-00 00:00:00',
    ])
      assert.equal(parseDateTime(text), null, text);
  });

  // biome-ignore format: a list to be read across
  const MALFORMED = [
    '', '2026-11-21', '2026-11-21T09:30:00', '2026-11-21 09:30', '2026-11-21 09:30:00Z', '2026-11-21 24:00:00', '2026-11-21 09:60:00', '2026-11-21 09:30:60', '2026-11-21 09:30:61',
    '2026-12-31 23:59:60', ' 2026-11-21 09:30:00', '2026-11-21 09:30:00 ', '2026-11-21  09:30:00', '21-11-2026 09:30:00', '+02026-11-21 09:30:00', '２０２６-11-21 09:30:00', '2026-11-21 09:30:00\n',
  ];
  for (const text of MALFORMED)
    it(`are not ${JSON.stringify(text)}`, () => {
      assert.equal(parseDateTime(text), null);
      assert.equal(parseDateTime(text, 'Europe/Berlin'), null);
    });
});

describe('days', () => {
  it('are those of UTC', () => {
    assert.equal(dayOf(utc('2026-11-21T23:59:59.999')), '2026-11-21');
    assert.deepEqual(nextMidnight(utc('2026-12-31T23:59:59.999')), utc('2027-01-01T00:00:00'));
    assert.deepEqual(nextMidnight(utc('2026-12-31T00:00:00')), utc('2027-01-01T00:00:00'));
    assert.deepEqual(addDays(utc('2028-02-28T12:00:00'), 2), utc('2028-03-01T12:00:00'));
    assert.deepEqual(addMs(utc('2026-11-21T00:00:00'), -1), utc('2026-11-20T23:59:59.999'));
  });
});

describe('a virtual clock', () => {
  /** A base clock that stands still until it is told otherwise. */
  const still = (text: string): Clock & { at: Date } => {
    const base = { ...systemClock, at: utc(text), now: () => new Date(base.at) };
    return base;
  };

  it('runs with its base, from where it was set', () => {
    const base = still('2026-11-21T00:00:00');
    const clock = new VirtualClock(base);
    assert.deepEqual(clock.now(), base.at);
    clock.set(utc('2030-01-01T00:00:00'));
    base.at = addMs(base.at, 5000);
    assert.deepEqual(clock.now(), utc('2030-01-01T00:00:05'));
  });

  it('stands while frozen, can be set there, and goes on from that moment', () => {
    const base = still('2026-11-21T00:00:00');
    const clock = new VirtualClock(base);
    clock.freeze(true);
    base.at = addMs(base.at, 60_000);
    assert.ok(clock.frozen);
    assert.deepEqual(clock.now(), utc('2026-11-21T00:00:00'));
    clock.set(utc('2027-01-01T00:00:00'));
    base.at = addMs(base.at, 60_000);
    assert.deepEqual(clock.now(), utc('2027-01-01T00:00:00'));
    clock.freeze(false);
    assert.ok(!clock.frozen);
    base.at = addMs(base.at, 1000);
    assert.deepEqual(clock.now(), utc('2027-01-01T00:00:01'));
  });

  it('hands out moments that nobody can move', () => {
    const clock = new VirtualClock(still('2026-11-21T00:00:00'));
    clock.freeze(true);
    clock.now().setFullYear(1999);
    const given = utc('2027-01-01T00:00:00');
    clock.set(given);
    given.setFullYear(1999);
    assert.deepEqual(clock.now(), utc('2027-01-01T00:00:00'));
  });
});

describe('sleep', () => {
  it('ends early with the reason of its signal', async () => {
    const stop = new AbortController();
    const sleeping = systemClock.sleep(600_000, stop.signal);
    stop.abort(new Error('closing'));
    await assert.rejects(sleeping, /closing/);
    await assert.rejects(systemClock.sleep(600_000, stop.signal), /closing/);
  });

  it('takes the time that it was given', async () => {
    const started = systemClock.elapsed();
    await systemClock.sleep(20);
    assert.ok(systemClock.elapsed() - started >= 18);
  });
});
