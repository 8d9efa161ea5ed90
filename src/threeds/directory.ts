// The directory: who is asked whether and how a card is authenticated. The sandbox's one answers as the card says.
// Rule: a directory may fail in any way; the requestor turns that into "unable to verify", never into a refusal of its own.
import type { Pan, Random } from '../base/index.ts';
import type { CardholderChallenge, Cardholders, Enrolment } from './cardholders.ts';
import {
  type Authentication,
  type AuthenticationRequest,
  carriesCavv,
  cavvFrom,
  cavvSeed,
  eciOf,
  type Keys,
  type Letter,
  reasons,
  type Scenario,
  uuid,
  type WindowSize,
} from './protocol/index.ts';

/** What the answer to the directory call (ARes) can be. */
export type DirectoryAnswer =
  | { readonly kind: 'final'; readonly authentication: Authentication }
  | {
      readonly kind: 'form';
      /** method: device data first, then the directory is asked again with methodDone. */
      readonly step: 'method' | 'challenge';
      readonly version: string;
      readonly serverTransId: string;
      readonly acsTransId: string;
      readonly dsTransId: string;
      readonly cavvSeed: Buffer;
      /** The cardholder will never finish it. */
      readonly stalled: boolean;
      /** Of a card that is issued here. */
      readonly challenge: CardholderChallenge | null;
    };

/** A 3-D Secure server, ours or a foreign one. No transaction is open while it is asked. */
export interface Directory {
  authenticate(request: AuthenticationRequest, window: WindowSize): Promise<DirectoryAnswer>;
}

/**
 * What a card of the sandbox does here: a port, which the network's simulator fills. Neither room may know the other, so each has the
 * words (`ThreedsOutcome` there), and one that is missing here does not compile where both meet (`app-gateway.ts`).
 */
export type SandboxOutcome =
  | 'not_enrolled'
  | 'unable_to_verify'
  | 'challenge'
  | 'frictionless_Y'
  | 'attempt_A'
  | 'N'
  | 'R'
  | 'U'
  | 'directory_error'
  | 'abandoned'
  | 'method';

export interface SandboxDirectoryOptions {
  readonly outcome: (pan: Pan, holder: string | null) => SandboxOutcome | null;
  readonly keys: Keys;
  readonly random: Random;
}

const VERSION = '2.2.0';

interface Final {
  readonly letter: Letter;
  readonly scenario: Scenario;
  readonly reasonCode: string | null;
}

/** Outcomes without a browser step. A card that is not enrolled gets the network's proof of an attempt. */
const FINAL: Readonly<Partial<Record<SandboxOutcome, Final>>> = {
  not_enrolled: { letter: 'A', scenario: 'not_enrolled', reasonCode: null },
  unable_to_verify: { letter: 'U', scenario: 'unable_to_verify', reasonCode: null },
  frictionless_Y: { letter: 'Y', scenario: 'frictionless', reasonCode: null },
  attempt_A: { letter: 'A', scenario: 'attempt', reasonCode: null },
  N: { letter: 'N', scenario: 'frictionless', reasonCode: reasons.authenticationFailed },
  R: { letter: 'R', scenario: 'frictionless', reasonCode: reasons.suspectedFraud },
  U: { letter: 'U', scenario: 'unable_to_verify', reasonCode: reasons.technicalIssue },
};

/** Directory and issuers of the sandbox. Whatever it has no other word for is a challenge. */
export function sandboxDirectory({ outcome, keys, random }: SandboxDirectoryOptions): Directory {
  return {
    async authenticate(request) {
      const wanted = outcome(request.pan, request.holder) ?? 'challenge';
      if (wanted === 'directory_error') throw new Error('directory answered with an error message');
      const dsTransId = uuid(random);
      const seed = cavvSeed(keys, { ...request, dsTransId });
      const final = FINAL[wanted];
      if (final) return finalAnswer(keys, request, final, seed, dsTransId);
      const step = wanted === 'method' && !request.methodDone ? 'method' : 'challenge';
      return {
        kind: 'form',
        step,
        version: VERSION,
        serverTransId: uuid(random),
        acsTransId: uuid(random),
        dsTransId,
        cavvSeed: seed,
        stalled: wanted === 'abandoned',
        challenge: null,
      };
    },
  };
}

function finalAnswer(
  keys: Keys,
  { brand }: AuthenticationRequest,
  final: Final,
  seed: Buffer,
  dsTransId: string,
): DirectoryAnswer {
  const eci = eciOf(brand, final.letter);
  const cavv = eci && carriesCavv(final.letter) ? cavvFrom(keys, seed, eci) : null;
  return { kind: 'final', authentication: { ...final, eci, cavv, dsTransId, version: VERSION } };
}

/** What the issuing side says of its own card, as the directory answers it. A card that can't pay is not authenticated. */
const OWN_FINAL: Readonly<Record<Exclude<Enrolment['kind'], 'challenge'>, Final>> = {
  not_enrolled: { letter: 'A', scenario: 'not_enrolled', reasonCode: null },
  frictionless: { letter: 'Y', scenario: 'frictionless', reasonCode: null },
  refused: { letter: 'N', scenario: 'frictionless', reasonCode: reasons.authenticationFailed },
};

/** Cards that are issued here are authenticated by their issuer, all others by the directory behind. */
export const withCardholders = (
  cardholders: Cardholders,
  others: Directory,
  { keys, random }: Pick<SandboxDirectoryOptions, 'keys' | 'random'>,
): Directory => ({
  async authenticate(request, window) {
    const enrolment = await cardholders.enrol(request);
    if (!enrolment) return others.authenticate(request, window);
    const dsTransId = uuid(random);
    const seed = cavvSeed(keys, { ...request, dsTransId });
    if (enrolment.kind !== 'challenge') return finalAnswer(keys, request, OWN_FINAL[enrolment.kind], seed, dsTransId);
    return {
      kind: 'form',
      step: 'challenge',
      version: VERSION,
      serverTransId: uuid(random),
      acsTransId: uuid(random),
      dsTransId,
      cavvSeed: seed,
      stalled: false,
      challenge: enrolment.challenge,
    };
  },
});

/** For installations without a 3-D Secure server: every card is "unable to verify". */
export const noDirectory: Directory = {
  authenticate: () => Promise.reject(new Error('no 3-D Secure server is configured')),
};
