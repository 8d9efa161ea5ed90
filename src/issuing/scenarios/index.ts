// scenarios: for every documented error of the issuing API one request that provokes it. Owns no table.
// Rule: sandbox mode only, and only through the use cases that the API has.
export type { Scenario } from './scenario.ts';
export { issuingScenarios } from './scenarios.ts';
