// scenarios: for every documented error of the issuing API one request that provokes it; sandbox mode only. Owns no table.
export type { Scenario } from './scenario.ts';
export { issuingScenarios } from './scenarios.ts';
