// gateway: the payment gateway API. Its rooms are projects, templates, orders, rates, risk and operator; this door puts their endpoints together.
// Never imports issuing: the two meet as messages through the network.
export { type GatewayApiOptions, gatewayApi } from './routes.ts';
export { type SandboxClock, sandboxClock } from './sandbox-clock.ts';
export { gatewayScenarios } from './scenarios.ts';
export { simulatorApi } from './simulator-routes.ts';
