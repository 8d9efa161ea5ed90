// endpoints: where owners want their events sent. Owns webhooks.
// Rule: each change is one commit with its event; keys are derived from the vault and stand nowhere.
export { judgeArrivals } from './arrived.ts';
export {
  type Begins,
  type Changed,
  type EndpointsDesk,
  endpointCreate,
  endpointDelete,
  endpointPatch,
  endpointRefusal,
  endpointRotate,
  endpointTell,
  keptAnswer,
  newestOf,
} from './manage.ts';
export { type EndpointsInMemory, endpointsInMemory } from './memory.ts';
export {
  DISABLED_REASONS,
  type DisabledReason,
  type Endpoint,
  type EndpointInput,
  type EndpointPatch,
  MOST_CONCURRENCY,
  MOST_OVERLAP_S,
  OVERLAP_S,
  PAYLOADS,
  SIGNATURES,
  signing,
  type TypeFault,
  typeFaults,
  typesNamed,
  typesOf,
} from './model.ts';
export { endpointOf, endpointsDisabled, endpointsKind, endpointsOf, needEndpoints } from './queries.ts';
