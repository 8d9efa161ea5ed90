// gateway: the payment gateway API. Its rooms stand in ARCHITECTURE.md, and each says at its door what it owns.
// Rule: never imports issuing: the two meet as messages through the network.
export { type GatewayApiOptions, gatewayApi, projectDesk, projectEventEndpoints } from './api/index.ts';
export { gatewayOperatorEndpoints } from './operator-routes.ts';
