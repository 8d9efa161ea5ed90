// challenges: 3-D Secure of cards that are issued here: whether and how a cardholder is asked. Owns card_challenges.
// Rule: a code is good for the one payment that stands in its challenge.
export { type ChallengeName, checkCode, endChallenges, enrol, fallBack, resend, stateOf } from './challenge.ts';
export { challengeEndpoints } from './simulator-routes.ts';
