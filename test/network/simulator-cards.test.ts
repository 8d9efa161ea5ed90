import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkOperation, NetworkRequest } from '../../src/network/index.ts';
import { isoCodes, outcomeOf, threedsOutcome } from '../../src/network/index.ts';
import { afterSettlement, demandsThreeds, refusedAsFraud } from '../../src/network/simulator/cards.ts';
import { after, authenticated, cardFrom, pan, request, schemeCard } from './requests.ts';

const rebill: Partial<NetworkRequest> = { initiator: 'merchant', entryMode: 'credential_on_file' };
const MOMENTS: readonly (readonly [string, Partial<NetworkRequest>])[] = [
  ['10', { operation: 'authorize' }],
  ['20', { operation: 'charge' }],
  ['30', { operation: 'reverse' }],
  ['40', { operation: 'refund' }],
  ['50', { operation: 'credit' }],
  ['60', { operation: 'authorize', ...rebill }],
];

describe('rule 1: cards of our own issuer', () => {
  for (const prefix of ['559999', '459999'])
    it(`${prefix} is answered 15 while there is no issuer`, () => {
      assert.deepEqual(outcomeOf(request({ pan: cardFrom(prefix) })), { code: '15' });
    });

  it('comes before the holder name', () => {
    assert.deepEqual(outcomeOf(request({ pan: cardFrom('559999'), holder: 'SIM authorize 00' })), { code: '15' });
  });

  it('and no name speaks for its cardholder: not to the directory, nor after settlement', () => {
    for (const outcome of ['920', '921', '922', '923'])
      assert.equal(threedsOutcome(cardFrom('559999'), `SIM authorize ${outcome}`), null);
    assert.equal(demandsThreeds(cardFrom('459999'), 'SIM authorize 920'), false);
    assert.equal(afterSettlement(cardFrom('459999'), 'SIM settlement 930'), null);
  });
});

describe('rule 2: fixed cards', () => {
  for (const digits of ['4111111111111111', '2222400060000007'])
    it(`${digits} is approved in every operation`, () => {
      for (const [, different] of MOMENTS)
        assert.deepEqual(outcomeOf(request({ pan: pan(digits), ...different })), { code: '00' });
      assert.equal(threedsOutcome(pan(digits), null), null);
    });

  it('4276990011343663 is declined without 3-D Secure, and approved with it after "unable to verify enrolment"', () => {
    const card = pan('4276990011343663');
    assert.deepEqual(outcomeOf(request({ pan: card })), { code: '05' });
    assert.equal(threedsOutcome(card, null), 'unable_to_verify');
    assert.deepEqual(outcomeOf(request({ pan: card, authentication: authenticated('U') })), { code: '00' });
    assert.deepEqual(outcomeOf(request({ pan: card, ...rebill })), { code: '00' });
    assert.deepEqual(outcomeOf(request({ pan: card, operation: 'charge' })), { code: '00' });
  });

  it('5555555555555599 is an internal error', () => {
    assert.deepEqual(outcomeOf(request({ pan: pan('5555555555555599') })), { code: '96' });
  });

  it('4276838748917319 is not enrolled, and approved', () => {
    assert.equal(threedsOutcome(pan('4276838748917319'), null), 'not_enrolled');
    assert.deepEqual(outcomeOf(request({ pan: pan('4276838748917319') })), { code: '00' });
  });

  it('4000000000000002 is fraud for the gateway, and 59 should it get through', () => {
    assert.equal(refusedAsFraud(pan('4000000000000002')), true);
    assert.equal(refusedAsFraud(pan('4111111111111111')), false);
    assert.deepEqual(outcomeOf(request({ pan: pan('4000000000000002') })), { code: '59' });
  });

  it('comes before the holder name', () => {
    assert.deepEqual(outcomeOf(request({ holder: 'SIM authorize 51' })), { code: '00' });
  });
});

describe('rule 3: the scheme', () => {
  const examples: readonly (readonly [string, NetworkOperation, object])[] = [
    ['4999991000000005', 'authorize', { code: '00' }],
    ['4999991005100008', 'authorize', { code: '51' }],
    ['4999991090100004', 'authorize', { code: 'A1' }],
    ['4999991091000005', 'authorize', { fault: 'lost_before' }],
    ['4999991091100003', 'authorize', { fault: 'lost_after' }],
    ['4999992000500002', 'charge', { code: '05' }],
    ['4999994000500008', 'refund', { code: '05' }],
  ];
  for (const [digits, operation, outcome] of examples)
    it(`${digits}: ${operation} ${JSON.stringify(outcome)}, other operations approved`, () => {
      assert.deepEqual(outcomeOf(request({ pan: pan(digits), operation })), outcome);
      const other = operation === 'credit' ? 'charge' : 'credit';
      assert.deepEqual(outcomeOf(request({ pan: pan(digits), operation: other })), { code: '00' });
    });

  it('4999991092000004 demands a challenge although nobody forced it', () => {
    assert.equal(threedsOutcome(pan('4999991092000004'), null), 'challenge');
    assert.equal(demandsThreeds(pan('4999991092000004'), null), true);
  });

  it('4999997093000000 is charged back after settlement', () => {
    assert.deepEqual(afterSettlement(pan('4999997093000000'), null), { chargeback: 'fraud' });
  });

  for (const [operation, different] of MOMENTS)
    it(`carries every ISO code to operation ${operation}, and to no other`, () => {
      for (const { code } of isoCodes) {
        if (code === 'A1') continue;
        const card = schemeCard(operation, code.padStart(3, '0'));
        for (const [other, how] of MOMENTS) {
          assert.deepEqual(outcomeOf(request({ pan: card, ...how })), { code: other === operation ? code : '00' });
        }
        assert.deepEqual(outcomeOf(request({ pan: card, ...different })), { code });
      }
    });

  const faults: readonly (readonly [string, string])[] = [
    ['910', 'lost_before'],
    ['911', 'lost_after'],
    ['912', 'slow'],
    ['913', 'twice'],
    ['914', 'malformed'],
    ['915', 'reset'],
    ['916', 'late'],
  ];
  for (const [outcome, fault] of faults)
    it(`${outcome} is ${fault} the first time a reference is sent, and nothing when it is repeated`, () => {
      for (const [operation, different] of MOMENTS) {
        const message = request({ pan: schemeCard(operation, outcome), ...different });
        assert.deepEqual(outcomeOf(message), { fault });
        assert.deepEqual(outcomeOf({ ...message, attempt: 2 }), { code: '00' });
      }
    });

  const threeds: readonly (readonly [string, string])[] = [
    ['920', 'challenge'],
    ['921', 'frictionless_Y'],
    ['922', 'attempt_A'],
    ['923', 'N'],
    ['924', 'R'],
    ['925', 'U'],
    ['926', 'directory_error'],
    ['927', 'abandoned'],
    ['928', 'method'],
  ];
  for (const [outcome, expected] of threeds)
    it(`${outcome} is ${expected} for 3-D Secure and approved by the issuer`, () => {
      const card = schemeCard('10', outcome);
      assert.equal(threedsOutcome(card, null), expected);
      assert.equal(demandsThreeds(card, null), true);
      assert.deepEqual(outcomeOf(request({ pan: card })), { code: '00' });
    });

  it('901 asks for authentication until the cardholder was authenticated', () => {
    const card = schemeCard('10', '901');
    assert.deepEqual(outcomeOf(request({ pan: card, authentication: authenticated('U') })), { code: 'A1' });
    assert.deepEqual(outcomeOf(request({ pan: card, authentication: authenticated('Y') })), { code: '00' });
    assert.deepEqual(outcomeOf(request({ pan: card, authentication: authenticated('A', false) })), { code: '00' });
    assert.equal(demandsThreeds(card, null), false);
  });

  it('930 and 931 charge back whatever the operation, and approve the messages', () => {
    for (const operation of ['10', '20', '70']) {
      assert.deepEqual(afterSettlement(schemeCard(operation, '930'), null), { chargeback: 'fraud' });
      assert.deepEqual(afterSettlement(schemeCard(operation, '931'), null), { chargeback: 'not_received' });
      assert.deepEqual(outcomeOf(request({ pan: schemeCard(operation, '931') })), { code: '00' });
    }
    assert.equal(afterSettlement(schemeCard('10', '000'), null), null);
  });

  it('approves an outcome that stands in no table', () => {
    assert.deepEqual(outcomeOf(request({ pan: schemeCard('10', '777') })), { code: '00' });
  });
});

describe('rule 4: the holder name', () => {
  const card = pan('4012888888881881');
  const cases: readonly (readonly [string, NetworkOperation, object])[] = [
    ['SIM authorize 51', 'authorize', { code: '51' }],
    ['SIM 10 051', 'authorize', { code: '51' }],
    ['sim Charge 05', 'charge', { code: '05' }],
    ['SIM refund A1', 'refund', { code: 'A1' }],
    ['SIM 30 911', 'reverse', { fault: 'lost_after' }],
    ['SIM credit 916', 'credit', { fault: 'late' }],
  ];
  for (const [holder, operation, outcome] of cases)
    it(`${holder}`, () => {
      assert.deepEqual(outcomeOf(request({ pan: card, holder, operation })), outcome);
      const other = operation === 'charge' ? 'refund' : 'charge';
      assert.deepEqual(outcomeOf(after(request({ pan: card, holder }), other)), { code: '00' });
    });

  it('speaks where the scheme card is silent', () => {
    const message = request({ pan: schemeCard('20', '005'), holder: 'SIM authorize 51' });
    assert.deepEqual(outcomeOf(message), { code: '51' });
    assert.deepEqual(outcomeOf({ ...message, operation: 'charge' }), { code: '05' });
  });

  it('decides 3-D Secure and chargebacks as well', () => {
    assert.equal(threedsOutcome(card, 'SIM authorize 924'), 'R');
    assert.equal(demandsThreeds(card, 'SIM authorize 924'), true);
    assert.deepEqual(afterSettlement(card, 'SIM settlement 931'), { chargeback: 'not_received' });
  });

  for (const holder of [
    'SIMON PETER',
    'SIM CARD HOLDER',
    'SIM authorize',
    'SIM dance 51',
    'SIM authorize 777',
    'A SIM authorize 51',
    null,
  ])
    it(`${holder}: an ordinary name`, () => {
      assert.deepEqual(outcomeOf(request({ pan: card, holder })), { code: '00' });
      assert.equal(threedsOutcome(card, holder), null);
      assert.equal(afterSettlement(card, holder), null);
    });
});
