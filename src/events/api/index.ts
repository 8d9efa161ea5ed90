// api: events and endpoints by HTTP, in the form of whichever API asks. Owns no table.
// Rule: what differs between the APIs is a Form; nothing that is done is written twice.
export { DELIVERY_STATES } from './delivery-endpoints.ts';
export { everyEndpoint } from './every-endpoint.ts';
export type { Asking, EventsGround, FieldFault, Form, StreamPace } from './form.ts';
export { type OperatorEvents, operatorDesk, operatorEventEndpoints } from './operator-form.ts';
export {
  createShape,
  deliveriesShape,
  EXAMPLES,
  LISTED,
  listing,
  listShape,
  patchShape,
  plainForm,
  plainList,
  replayAskedShape,
  replayExample,
  rotateShape,
  streamShape,
  testShape,
} from './plain-form.ts';
export { endpointShape, endpointShown, eventShape, SECRET, type Style } from './shapes.ts';
