// Figures: how far events have come and how endpoints do, for their owners and for those who run the installation.
// Rule: it looks, and changes nothing; what it costs doesn't grow with the number of events.
export { type EventFigures, eventFigures, triesTo } from './figures.ts';
export { type EndpointStanding, standingsOf } from './standings.ts';
