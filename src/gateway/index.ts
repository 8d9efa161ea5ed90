// gateway: the payment gateway API. Its rooms stand in ARCHITECTURE.md, and each says at its door what it owns.
// Never imports issuing: the two meet as messages through the network.
export { type GatewayApiOptions, gatewayApi } from './api/index.ts';
export { type SandboxClock, sandboxClock } from './sandbox-clock.ts';
export { gatewayScenarios } from './scenarios.ts';
export { simulatorApi } from './simulator-routes.ts';
