// What happened, as it is told, and its order. Owns events, event_queue, event_heads, event_log and event_floors.
// Rule: a change and its event commit together; its position is given behind, and no cursor trusts anything else.
export { EVENTS_VERSION, type EventType, type Noun, type OwnerType, typesFor } from './catalogue.ts';
export { type EventDraft, type EventMaker, eventMaker, type ToldOfEvents, thinOf } from './event.ts';
export { exampleObject } from './examples.ts';
export { firstsBehind, type LogPlace, queueFigures } from './figures-queries.ts';
export { createEventsFollowed, type EventsFollowed, type FollowedEvent, type Following } from './following.ts';
export { eventsBesideForget, goneAt, logForget, ownersAfter } from './keeping-queries.ts';
export { createNumbering, type Numbering } from './numbering.ts';
export { bodiesOf, headOf, headsOf, isQueued, type LoggedEvent, logAfter, loggedOf, positionAt } from './queries.ts';
export {
  createEventWaits,
  type EventReader,
  type EventsPage,
  type EventsPlace,
  eventsCursor,
  eventsListed,
  eventsPlaceOf,
  eventsSince,
  eventText,
} from './reading.ts';
export type { EventFilter } from './reading-queries.ts';
