// What happened, as it is told, and its order. Owns events, event_queue, event_heads and event_log.
// Rule: a change and its event commit together; its position is given behind, and no cursor trusts anything else.
export type { EventType } from './catalogue.ts';
export { type EventDraft, type EventMaker, eventMaker, type ToldOfEvents, thinOf } from './event.ts';
export { createNumbering, type Numbering } from './numbering.ts';
export { bodiesOf, headOf, headsOf, isQueued, type LoggedEvent, logAfter, loggedOf, positionAt } from './queries.ts';
