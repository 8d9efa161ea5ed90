// api: the payment gateway API as merchants speak it: endpoints, shapes of bodies and answers, what a schema can't say, the failure envelope.
// No tables of its own.
// Rule: nothing is decided here: a request becomes typed input of a use case, its result an answer.
export { type ProjectEvents, projectDesk, projectEventEndpoints } from './events-form.ts';
export { type GatewayApiOptions, gatewayApi } from './gateway-api.ts';
export { type TraceDesk, traceOperatorEndpoints } from './operator-routes.ts';
