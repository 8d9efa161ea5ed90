import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type FaultPlan, faultPlanFrom } from '../../src/network/index.ts';
import { createFaults } from '../../src/network/simulator/faults.ts';
import { after, request } from './requests.ts';

const planned = (input: Parameters<typeof faultPlanFrom>[0]): FaultPlan => {
  const result = faultPlanFrom(input);
  if ('wrong' in result) throw new Error(result.wrong);
  return result.plan;
};

describe('fault plans', () => {
  it('hits the operation of that kind and number, counted since the plan was set', async () => {
    const faults = createFaults();
    assert.equal(await faults.forRequest(request()), null);
    faults.set(
      planned({
        seed: 1,
        schedule: [
          { operation: 'charge', ordinal: 2, fault: '911' },
          { operation: 'authorize', ordinal: 1, fault: 51 },
        ],
      }),
    );
    const authorize = request();
    assert.deepEqual(await faults.forRequest(authorize), { code: '51' });
    assert.equal(await faults.forRequest(after(authorize, 'charge')), null);
    assert.deepEqual(await faults.forRequest(after(authorize, 'charge')), { fault: 'lost_after' });
    assert.equal(await faults.forRequest(after(authorize, 'charge')), null);
    assert.deepEqual(faults.injected(), [
      { operation: 'authorize', ordinal: 1, outcome: { code: '51' } },
      { operation: 'charge', ordinal: 2, outcome: { fault: 'lost_after' } },
    ]);
  });

  it('neither counts nor hits repeats of a reference', async () => {
    const faults = createFaults();
    faults.set(planned({ schedule: [{ operation: 'refund', ordinal: 2, fault: 'reset' }] }));
    const refund = after(request(), 'refund');
    assert.equal(await faults.forRequest(refund), null);
    assert.equal(await faults.forRequest({ ...refund, attempt: 2 }), null);
    assert.deepEqual(await faults.forRequest(after(request(), 'refund')), { fault: 'reset' });
  });

  it('counts rebills and inquiries apart', async () => {
    const faults = createFaults();
    faults.set(
      planned({
        schedule: [
          { operation: 'rebill', ordinal: 1, fault: 'twice' },
          { operation: 'inquire', ordinal: 2, fault: '915' },
        ],
      }),
    );
    assert.equal(await faults.forRequest(request()), null);
    assert.deepEqual(await faults.forRequest(request({ initiator: 'merchant', entryMode: 'credential_on_file' })), {
      fault: 'twice',
    });
    assert.equal(await faults.forInquiry(), null);
    assert.deepEqual(await faults.forInquiry(), { fault: 'reset' });
    assert.equal(await faults.forInquiry(), null);
  });

  it('replays by seed: the same faults for the same counts, however the kinds interleave', async () => {
    const run = async (seed: number, order: readonly ('charge' | 'refund')[]): Promise<string[]> => {
      const faults = createFaults();
      faults.set(planned({ seed, rate: 0.3 }));
      const authorize = request();
      for (const operation of order) await faults.forRequest(after(authorize, operation));
      return faults
        .injected()
        .map((one) => JSON.stringify(one))
        .sort();
    };
    const even = Array.from({ length: 400 }, (_, i) => (i % 2 ? 'charge' : 'refund'));
    const sorted = [...even].sort();
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const first = await run(seed, even);
        assert.deepEqual(await run(seed, sorted), first);
        assert.ok(first.length > 60 && first.length < 180, `${first.length} of 400 at 30 %`);
        assert.notDeepEqual(await run(seed + 1000, even), first);
      }),
      { numRuns: 10 },
    );
  });

  it('never hits inquiries by chance', async () => {
    const faults = createFaults();
    faults.set(planned({ seed: 1, rate: 1 }));
    for (let i = 0; i < 100; i++) assert.equal(await faults.forInquiry(), null);
    assert.notEqual(await faults.forRequest(request()), null);
  });

  const refused: readonly (readonly [Parameters<typeof faultPlanFrom>[0], string])[] = [
    [{ seed: 1.5 }, '#/seed'],
    [{ rate: 1.1 }, '#/rate'],
    [{ rate: Number.NaN }, '#/rate'],
    [{ schedule: [{ operation: 'dance', ordinal: 1, fault: '911' }] }, '#/schedule/0/operation'],
    [{ schedule: [{ operation: 'settlement', ordinal: 1, fault: '911' }] }, '#/schedule/0/operation'],
    [{ schedule: [{ operation: 'charge', ordinal: 0, fault: '911' }] }, '#/schedule/0/ordinal'],
    [{ schedule: [{ operation: 'charge', ordinal: 1, fault: '920' }] }, '#/schedule/0/fault'],
    [{ schedule: [{ operation: 'charge', ordinal: 1, fault: 'nonsense' }] }, '#/schedule/0/fault'],
    [{ schedule: [{ operation: 'inquire', ordinal: 1, fault: '51' }] }, '#/schedule/0/fault'],
  ];
  for (const [input, pointer] of refused)
    it(`refuses ${JSON.stringify(input)} at ${pointer}`, () => {
      assert.deepEqual(faultPlanFrom(input), { wrong: pointer });
    });
});
