// challenges: 3-D Secure of cards that are issued here: whether and how a cardholder is asked. Owns card_challenges.
export { checkCode, enrol, fallBack, purgeChallenges, resend, stateOf } from './challenge.ts';
export { challengeEndpoints } from './simulator-routes.ts';
