import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../src/base/index.ts';
import { makeStan, networkTransactionId, rrnOf, stanMaker } from '../../src/network/index.ts';

describe('identifiers on the wire', () => {
  it('gives every STAN once before any comes again', () => {
    const stans = stanMaker(seededRandom(1));
    const seen = new Uint8Array(1_000_000);
    for (let i = 0; i < 999_999; i++) {
      const stan = stans.next();
      if (stan.length !== 6 || seen[Number(stan)]) assert.fail(`STAN ${stan} at ${i}`);
      seen[Number(stan)] = 1;
    }
    assert.equal(seen[0], 0);
    assert.equal(seen[Number(stans.next())], 1);
  });

  it('keeps processes in lanes apart', () => {
    const lanes = [0, 1, 2].map((lane) => stanMaker(seededRandom(lane), lane, 3));
    for (const [lane, stans] of lanes.entries()) {
      for (let i = 0; i < 1000; i++) assert.equal((Number(stans.next()) - 1) % 3, lane);
    }
    assert.throws(() => stanMaker(seededRandom(1), 3, 3));
  });

  it('has one maker for the process', () => {
    assert.match(makeStan(), /^\d{6}$/);
    assert.notEqual(makeStan(), makeStan());
  });

  it('makes the RRN of year digit, day of year, hour and STAN', () => {
    assert.equal(rrnOf(new Date('2026-01-01T00:59:59Z'), '000007'), '600100000007');
    assert.equal(rrnOf(new Date('2028-12-31T23:00:00Z'), '999999'), '836623999999');
  });

  it('makes network transaction ids in the form of the brand', () => {
    const at = new Date('2026-11-21T09:30:15Z');
    assert.match(networkTransactionId('visa', at, seededRandom(1)), /^\d{15}$/);
    assert.match(networkTransactionId('amex', at, seededRandom(1)), /^\d{15}$/);
    assert.match(networkTransactionId('mastercard', at, seededRandom(1)), /^[A-Z0-9]{9}1121$/);
  });
});
