// events: what happened, for those outside. Owns the log of events, where owners want to be told, and how it reaches them.
// Rule: a change and its event commit together, so neither exists alone.
export { type Alarm, type Alarms, createAlarms, type TellSetup, tellSetup } from './alarms/index.ts';
export {
  createShape,
  DELIVERY_STATES,
  deliveriesShape,
  type EventsGround,
  EXAMPLES,
  endpointShape,
  endpointShown,
  eventShape,
  everyEndpoint,
  type FieldFault,
  type Form as EventsForm,
  LISTED,
  listing,
  listShape,
  operatorDesk,
  operatorEventEndpoints,
  patchShape,
  plainForm,
  plainList,
  replayAskedShape,
  replayExample,
  rotateShape,
  SECRET,
  type StreamPace,
  type Style,
  streamShape,
  testShape,
} from './api/index.ts';
export * from './delivery/index.ts';
export * from './egress/index.ts';
export {
  type Begins,
  type Endpoint,
  type EndpointsDesk,
  type EndpointsInMemory,
  endpointCreate,
  endpointsInMemory,
  endpointsOf,
  judgeArrivals,
  keptAnswer,
} from './endpoints/index.ts';
export { type EventFigures, eventFigures, triesTo } from './figures/index.ts';
export { createForwarding, type ForwardingAnswer, type ForwardingRequest } from './forwarding.ts';
export { createKeeping, type Keeping } from './keeping/index.ts';
export * from './log/index.ts';
