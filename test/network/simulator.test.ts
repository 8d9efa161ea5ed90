import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  faultPlanFrom,
  type NetworkAnswer,
  type NetworkRequest,
  NoAnswer,
  type Simulator,
} from '../../src/network/index.ts';
import { memoryAcquirer } from './memory-acquirer.ts';
import { after, authenticated, cardFrom, pan, request, schemeCard } from './requests.ts';

const codeOf = async (simulator: Simulator, message: NetworkRequest): Promise<string> =>
  (await simulator.send(message)).responseCode;
const noAnswer =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof NoAnswer && error.reason === reason;
const amount = (minor: bigint, currency = 'EUR') => ({ amount: { minor, currency } });

describe('an ordinary payment', () => {
  it('is approved with everything that a network gives', async () => {
    const { simulator } = memoryAcquirer();
    const answer = await simulator.send(request({ cvv: '123' }));
    assert.equal(answer.responseCode, '00');
    assert.match(String(answer.authCode), /^\d{6}$/);
    assert.equal(answer.rrn, '632509000042');
    assert.match(String(answer.networkTransactionId), /^\d{15}$/);
    assert.equal(answer.cvvResult, 'M');
    assert.equal(answer.approvedMinor, 1000n);
  });

  it('keeps RRN, network transaction id and approval code over its life', async () => {
    const { simulator } = memoryAcquirer();
    const authorize = request({ pan: pan('2222400060000007') });
    const first = await simulator.send(authorize);
    const charge = await simulator.send(after(authorize, 'charge', { stan: '000043' }));
    const refund = await simulator.send(after(authorize, 'refund', { stan: '000044', ...amount(400n) }));
    assert.match(String(first.networkTransactionId), /^MCC\d{6}1121$/);
    for (const answer of [charge, refund]) {
      assert.deepEqual(
        [answer.responseCode, answer.rrn, answer.networkTransactionId],
        ['00', first.rrn, first.networkTransactionId],
      );
    }
    assert.equal(charge.authCode, first.authCode);
  });

  it('is refused without approval code, id or amount', async () => {
    const { simulator, entries } = memoryAcquirer();
    const answer = await simulator.send(request({ pan: schemeCard('10', '051') }));
    assert.deepEqual(
      [answer.responseCode, answer.authCode, answer.networkTransactionId, answer.approvedMinor],
      ['51', null, null, null],
    );
    assert.equal(entries[0]?.effect, false);
  });

  it('of nothing is a card verification: 85', async () => {
    const { simulator } = memoryAcquirer();
    const answer = await simulator.send(request(amount(0n)));
    assert.deepEqual([answer.responseCode, answer.approvedMinor], ['85', 0n]);
  });

  it('writes neither CVV nor card number', async () => {
    const { simulator, entries } = memoryAcquirer();
    await simulator.send(request({ cvv: '737' }));
    const text = JSON.stringify(entries, (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    assert.equal(text.includes('4111111111111111'), false);
    assert.equal(text.includes('737'), false);
    assert.equal(entries[0]?.card, '411111******1111');
  });
});

describe('CVV 102', () => {
  it('is a note on an approval, and 82 on a terminal that demands a match', async () => {
    const { simulator } = memoryAcquirer();
    const lax = await simulator.send(request({ cvv: '102' }));
    assert.deepEqual([lax.responseCode, lax.cvvResult], ['00', 'N']);
    const strict = request({ cvv: '102' });
    const refused = await simulator.send({ ...strict, terminal: { ...strict.terminal, cvvMustMatch: true } });
    assert.deepEqual([refused.responseCode, refused.cvvResult, refused.authCode], ['82', 'N', null]);
    const none = await simulator.send(request({ cvv: null }));
    assert.equal(none.cvvResult, null);
  });

  it("does not hide the issuer's refusal", async () => {
    const { simulator } = memoryAcquirer();
    const message = request({ cvv: '102', pan: schemeCard('10', '051') });
    assert.equal(await codeOf(simulator, { ...message, terminal: { ...message.terminal, cvvMustMatch: true } }), '51');
  });
});

describe('the books of the acquirer', () => {
  it('refuse what has no approved original: 25', async () => {
    const { simulator } = memoryAcquirer();
    const declined = request({ pan: schemeCard('10', '005') });
    await simulator.send(declined);
    for (const operation of ['charge', 'reverse', 'refund'] as const) {
      assert.equal(await codeOf(simulator, after(request(), operation)), '25');
      assert.equal(await codeOf(simulator, after(declined, operation)), '25');
    }
  });

  it('let charges reach the authorized amount, and refunds the charged one', async () => {
    const { simulator } = memoryAcquirer();
    const authorize = request();
    await simulator.send(authorize);
    assert.equal(await codeOf(simulator, after(authorize, 'refund', amount(1n))), '13');
    assert.equal(await codeOf(simulator, after(authorize, 'charge', amount(1001n))), '13');
    assert.equal(await codeOf(simulator, after(authorize, 'charge', amount(600n))), '00');
    assert.equal(await codeOf(simulator, after(authorize, 'charge', amount(401n))), '13');
    assert.equal(await codeOf(simulator, after(authorize, 'charge', amount(400n))), '00');
    assert.equal(await codeOf(simulator, after(authorize, 'refund', amount(1001n))), '13');
    assert.equal(await codeOf(simulator, after(authorize, 'refund', amount(1000n))), '00');
    assert.equal(await codeOf(simulator, after(authorize, 'refund', amount(1n))), '13');
  });

  it('refuse another currency: 12', async () => {
    const { simulator } = memoryAcquirer();
    const authorize = request();
    await simulator.send(authorize);
    assert.equal(await codeOf(simulator, after(authorize, 'charge', amount(1000n, 'USD'))), '12');
  });

  it('release what is held by naming the authorization; a second time there is nothing: 25', async () => {
    const { simulator } = memoryAcquirer();
    const authorize = request();
    await simulator.send(authorize);
    await simulator.send(after(authorize, 'charge', amount(700n)));
    assert.equal(await codeOf(simulator, after(authorize, 'reverse', amount(301n))), '13');
    assert.equal(await codeOf(simulator, after(authorize, 'reverse', amount(300n))), '00');
    assert.equal(await codeOf(simulator, after(authorize, 'reverse', amount(300n))), '25');
    assert.equal(await codeOf(simulator, after(authorize, 'charge', amount(1n))), '13');
    assert.equal(await codeOf(simulator, after(authorize, 'refund', amount(700n))), '00');
  });

  it('undo all charges by naming one of them', async () => {
    const { simulator, entries } = memoryAcquirer();
    const authorize = request();
    const first = await simulator.send(authorize);
    const charge = after(authorize, 'charge', amount(300n));
    await simulator.send(charge);
    await simulator.send(after(authorize, 'charge', amount(200n)));
    const undo = (minor: bigint): NetworkRequest =>
      after(authorize, 'reverse', { original: charge.reference, ...amount(minor) });
    assert.equal(await codeOf(simulator, undo(501n)), '13');
    const answer = await simulator.send(undo(500n));
    assert.deepEqual([answer.responseCode, answer.rrn, answer.approvedMinor], ['00', first.rrn, 500n]);
    assert.equal(entries.at(-1)?.voided, 500n);
    assert.equal(await codeOf(simulator, undo(500n)), '25');
    assert.equal(await codeOf(simulator, after(authorize, 'refund', amount(1n))), '13');
  });

  it('remember a reversal that came first, and decline the late original', async () => {
    const { simulator } = memoryAcquirer();
    const authorize = request();
    assert.equal(await codeOf(simulator, after(authorize, 'reverse')), '25');
    assert.equal(await codeOf(simulator, authorize), '12');
  });

  it('keep authorizations of one order apart', async () => {
    const { simulator } = memoryAcquirer();
    const [one, two] = [request(), request(amount(50n))];
    await simulator.send(one);
    await simulator.send(two);
    assert.equal(await codeOf(simulator, after(one, 'reverse')), '00');
    assert.equal(await codeOf(simulator, after(two, 'charge')), '00');
  });

  it('answer a repeat as before, without a second effect', async () => {
    const { simulator, entries } = memoryAcquirer();
    const authorize = request();
    const first = await simulator.send(authorize);
    assert.deepEqual(await simulator.send({ ...authorize, attempt: 2 }), first);
    const charge = after(authorize, 'charge');
    const charged = await simulator.send(charge);
    assert.deepEqual(await simulator.send({ ...charge, attempt: 3 }), charged);
    assert.equal(entries.length, 2);
    assert.deepEqual(await simulator.inquire(1n, charge.reference), charged);
    assert.equal(await simulator.inquire(1n, '999999999'), null);
    assert.equal(await simulator.inquire(2n, charge.reference), null);
  });

  it('hold for any sequence: nothing released, charged, voided or given back that was not there', async () => {
    const step = fc.record({
      kind: fc.constantFrom('charge' as const, 'reverse' as const, 'refund' as const, 'void' as const),
      minor: fc.bigInt(1n, 120n),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { simulator } = memoryAcquirer();
        const authorize = request(amount(100n));
        await simulator.send(authorize);
        let [held, kept, charge] = [100n, 0n, ''];
        for (const { kind, minor } of steps) {
          const message = after(authorize, kind === 'void' ? 'reverse' : kind, amount(minor));
          const approved =
            (await codeOf(simulator, kind === 'void' ? { ...message, original: charge } : message)) === '00';
          const limit = kind === 'charge' || kind === 'reverse' ? held : kept;
          assert.equal(approved, minor <= limit, `${kind} ${minor} of ${limit}`);
          if (!approved) continue;
          if (kind === 'charge') charge = message.reference;
          if (kind === 'charge' || kind === 'reverse') held -= minor;
          if (kind !== 'reverse') kept += kind === 'charge' ? minor : -minor;
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('faults on the way', () => {
  it('910: no effect, no answer; the repeat goes through', async () => {
    const { simulator } = memoryAcquirer();
    const authorize = request({ pan: schemeCard('10', '910') });
    await assert.rejects(simulator.send(authorize), noAnswer('timeout'));
    assert.equal(await simulator.inquire(1n, authorize.reference), null);
    assert.equal(await codeOf(simulator, { ...authorize, attempt: 2 }), '00');
  });

  it('911: the effect happened, the answer is lost; inquiry and repeat tell it', async () => {
    const { simulator, entries } = memoryAcquirer();
    const authorize = request({ pan: schemeCard('10', '911') });
    await assert.rejects(simulator.send(authorize), noAnswer('timeout'));
    assert.equal((await simulator.inquire(1n, authorize.reference))?.responseCode, '00');
    assert.equal(await codeOf(simulator, { ...authorize, attempt: 2 }), '00');
    assert.equal(entries.length, 1);
    assert.equal(await codeOf(simulator, after(authorize, 'reverse')), '00');
  });

  it('912: approved, but slowly; still in time', async () => {
    const { simulator } = memoryAcquirer();
    assert.equal(await codeOf(simulator, request({ pan: schemeCard('10', '912') })), '00');
  });

  it('912: NoAnswer when the time limit is shorter, and a late answer', async () => {
    const { simulator } = memoryAcquirer({ answerTimeoutMs: 3, slowMs: 8 });
    const late = Promise.withResolvers<NetworkAnswer>();
    simulator.onLateAnswer(late.resolve);
    await assert.rejects(simulator.send(request({ pan: schemeCard('10', '912') })), noAnswer('timeout'));
    assert.equal((await late.promise).responseCode, '00');
  });

  it('913: answered twice, the second is dropped and counted', async () => {
    const { simulator, entries } = memoryAcquirer();
    assert.equal(await codeOf(simulator, request({ pan: schemeCard('10', '913') })), '00');
    assert.deepEqual(simulator.counts(), { answered: 1, unanswered: 0, duplicatesDropped: 1, late: 0 });
    assert.equal(entries.length, 1);
  });

  it('914: an answer that cannot be read; the effect happened', async () => {
    const { simulator } = memoryAcquirer();
    const authorize = request({ pan: schemeCard('10', '914') });
    await assert.rejects(simulator.send(authorize), noAnswer('malformed'));
    assert.equal((await simulator.inquire(1n, authorize.reference))?.responseCode, '00');
  });

  it('915: the connection breaks at once, without effect', async () => {
    const { simulator } = memoryAcquirer({ lostAfterMs: 60_000 });
    const authorize = request({ pan: schemeCard('10', '915') });
    await assert.rejects(simulator.send(authorize), noAnswer('reset'));
    assert.equal(await simulator.inquire(1n, authorize.reference), null);
  });

  it('916: NoAnswer, then the approval arrives and its listener learns whose it is', async () => {
    const { simulator } = memoryAcquirer();
    const late = Promise.withResolvers<readonly [NetworkAnswer, NetworkRequest]>();
    simulator.onLateAnswer((answer, of) => late.resolve([answer, of]));
    const authorize = request({ pan: schemeCard('10', '916') });
    await assert.rejects(simulator.send(authorize), noAnswer('timeout'));
    const [answer, of] = await late.promise;
    assert.deepEqual([answer.responseCode, of.reference], ['00', authorize.reference]);
    assert.equal(simulator.counts().late, 1);
  });

  for (const [operation, name] of [
    ['20', 'charge'],
    ['30', 'reverse'],
    ['40', 'refund'],
  ] as const)
    for (const fault of ['910', '911', '914', '915', '916'])
      it(`${fault} on ${name}: exactly one effect once the worker has repeated it`, async () => {
        const { simulator, entries } = memoryAcquirer();
        const authorize = request({ pan: schemeCard(operation, fault) });
        await simulator.send(authorize);
        if (name === 'refund') await simulator.send(after(authorize, 'charge'));
        const before = entries.length;
        const message = after(authorize, name);
        await assert.rejects(simulator.send(message), NoAnswer);
        assert.equal(await codeOf(simulator, { ...message, attempt: 2 }), '00');
        assert.equal(await codeOf(simulator, { ...message, attempt: 3 }), '00');
        assert.equal(entries.length, before + 1);
      });

  it('stops waiting when it is closed', async () => {
    const { simulator } = memoryAcquirer({ lostAfterMs: 60_000, slowMs: 60_000 });
    const lost = simulator.send(request({ pan: schemeCard('10', '911') }));
    const slow = simulator.send(request({ pan: schemeCard('10', '912') }));
    setImmediate(() => simulator.close());
    await assert.rejects(lost, noAnswer('reset'));
    await assert.rejects(slow, noAnswer('reset'));
    await assert.rejects(simulator.send(request()), noAnswer('reset'));
  });

  it('a broken record is an unknown outcome, never another error', async () => {
    const { simulator } = memoryAcquirer({
      committer: {
        submit: () => Promise.reject(new Error('the database is gone')),
        waitingMs: () => 0,
        drain: async () => undefined,
      },
    });
    await assert.rejects(simulator.send(request()), noAnswer('reset'));
    await assert.rejects(simulator.inquire(1n, '1'), noAnswer('reset'));
  });
});

describe('scheduled faults', () => {
  const set = (simulator: Simulator, input: Parameters<typeof faultPlanFrom>[0]): void => {
    const result = faultPlanFrom(input);
    assert.ok('plan' in result);
    simulator.faults.set(result.plan);
  };

  it("come before what the card says; a lost answer keeps the card's decision", async () => {
    const { simulator } = memoryAcquirer();
    set(simulator, {
      schedule: [
        { operation: 'authorize', ordinal: 1, fault: '61' },
        { operation: 'authorize', ordinal: 2, fault: '911' },
      ],
    });
    assert.equal(await codeOf(simulator, request({ pan: schemeCard('10', '051') })), '61');
    const lost = request({ pan: schemeCard('10', '051') });
    await assert.rejects(simulator.send(lost), noAnswer('timeout'));
    assert.equal((await simulator.inquire(1n, lost.reference))?.responseCode, '51');
  });

  it('make inquiries fail only as scheduled', async () => {
    const { simulator } = memoryAcquirer();
    const authorize = request();
    await simulator.send(authorize);
    set(simulator, {
      schedule: [
        { operation: 'inquire', ordinal: 1, fault: '910' },
        { operation: 'inquire', ordinal: 2, fault: '915' },
        { operation: 'inquire', ordinal: 3, fault: '912' },
      ],
    });
    await assert.rejects(simulator.inquire(1n, authorize.reference), noAnswer('timeout'));
    await assert.rejects(simulator.inquire(1n, authorize.reference), noAnswer('reset'));
    assert.equal((await simulator.inquire(1n, authorize.reference))?.responseCode, '00');
    assert.equal((await simulator.inquire(1n, authorize.reference))?.responseCode, '00');
  });

  it('replay: one seed, one sequence of results', async () => {
    const run = async (seed: number): Promise<string> => {
      const { simulator } = memoryAcquirer({ lostAfterMs: 1, lateAfterMs: 1 });
      set(simulator, { seed, rate: 0.4 });
      const results: string[] = [];
      for (let i = 0; i < 40; i++) {
        results.push(
          await simulator.send(request()).then(
            (answer) => answer.responseCode,
            (error: NoAnswer) => error.reason,
          ),
        );
      }
      simulator.close();
      return results.join(' ');
    };
    assert.equal(await run(3), await run(3));
    assert.notEqual(await run(3), await run(4));
  });
});

describe('cards of our own issuer', () => {
  const card = cardFrom('559999');
  const approval: NetworkAnswer = {
    responseCode: '00',
    authCode: '777777',
    rrn: '632509000042',
    networkTransactionId: 'MCC1234561121',
    cvvResult: 'M',
    avsResult: null,
    approvedMinor: 1000n,
  };

  it('are answered by the issuer, and kept in the books', async () => {
    const seen: string[] = [];
    const { simulator, entries } = memoryAcquirer({
      issuer: { handle: async (message) => (seen.push(message.operation), approval) },
    });
    const authorize = request({ pan: card });
    assert.deepEqual(await simulator.send(authorize), approval);
    await simulator.send(after(authorize, 'charge'));
    assert.deepEqual(seen, ['authorize', 'charge']);
    assert.deepEqual(
      entries.map(({ operation, effect }) => [operation, effect]),
      [
        ['authorize', true],
        ['charge', true],
      ],
    );
    assert.equal(await codeOf(simulator, request()), '00');
    assert.equal(seen.length, 2);
  });

  it('give back what the acquirer never heard of, and its books stay as they were', async () => {
    const { simulator, entries } = memoryAcquirer({ issuer: { handle: async () => approval } });
    const unheard = request({ pan: card });
    const { responseCode } = await simulator.send(after(unheard, 'reverse'));
    assert.equal(responseCode, '00');
    assert.deepEqual(
      entries.map(({ operation, effect }) => [operation, effect]),
      [['reverse', false]],
    );
  });

  it('are 15 without one', async () => {
    const { simulator } = memoryAcquirer();
    assert.equal(await codeOf(simulator, request({ pan: card })), '15');
  });

  it('can lose their answers too, after the effect', async () => {
    let handled = 0;
    const { simulator } = memoryAcquirer({ issuer: { handle: async () => (handled++, approval) } });
    const result = faultPlanFrom({
      schedule: [
        { operation: 'authorize', ordinal: 1, fault: '911' },
        { operation: 'authorize', ordinal: 2, fault: '910' },
      ],
    });
    assert.ok('plan' in result);
    simulator.faults.set(result.plan);
    await assert.rejects(simulator.send(request({ pan: card })), noAnswer('timeout'));
    assert.equal(handled, 1);
    await assert.rejects(simulator.send(request({ pan: card })), noAnswer('timeout'));
    assert.equal(handled, 1);
  });
});

describe('soft decline', () => {
  it('A1 until the cardholder was authenticated, then approved in the same order', async () => {
    const { simulator } = memoryAcquirer();
    const card = pan('4999991090100004');
    assert.equal(await codeOf(simulator, request({ pan: card })), 'A1');
    assert.equal(await codeOf(simulator, request({ pan: card, authentication: authenticated('Y') })), '00');
  });
});
