// sandbox: what only a sandbox has: the simulator's API for both halves, the clock that is moved, one request for each documented error.
// Owns inbox_scripts and inbox_messages; its secrets and data are seeded by the rooms that they belong to. Rule: live mode opens nothing of it.
export { type SandboxClock, sandboxClock } from './clock.ts';
export { gatewayScenarios } from './gateway-scenarios.ts';
export { createInbox } from './inbox.ts';
export { inboxEndpoints, receiveAt } from './inbox-routes.ts';
export { type Awaited, createRetries, type Senders } from './retries.ts';
export { disputeEndpoints, simulatorApi } from './routes.ts';
