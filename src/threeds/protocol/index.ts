// protocol: what all sides of 3-D Secure agree on: what travels through browsers, what a status is worth (ECI), what proves it (CAVV), and
// the codes of the sandbox. No tables of its own.
// Rule: pure. Whatever was written by a browser or a bank is read as hostile.
export type { Authentication, AuthenticationRequest, Scenario } from './authentication.ts';
export { type BrowserDetails, browserOf, collectedFields, type Visit, windowSizeOf } from './browser.ts';
export {
  type ChallengeRequest,
  decodeRequest,
  encodeCres,
  encodePaRes,
  encodeRequest,
  hashMd,
  isUuid,
  makeMd,
  matchesCres,
  matchesPaRes,
  type Owner,
  type ResponseFacts,
  readMd,
  uuid,
  type WindowSize,
} from './carrier.ts';
export { type CavvClaim, cavvFrom, cavvSeed, decodeCavv, type Keys, verifyCavv } from './cavv.ts';
export {
  CHALLENGE_MS,
  cancelled,
  judge,
  MAX_RESENDS,
  MAX_TRIES,
  passed,
  RESEND_AFTER_MS,
  type Report,
  reasons,
  timedOut,
  triesUsedUp,
} from './codes.ts';
export { carriesCavv, eciOf, type Letter, letterOf } from './eci.ts';
