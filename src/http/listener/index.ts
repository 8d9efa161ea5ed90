// listener: the process's end of connections: sockets and TLS, how large and how slow a request may be, what never reaches a handler, health
// and metrics. No tables of its own.
// Rule: knows no API: whose address it is, the addresses themselves say.
export { asksForCsv, type MediaType, readBody, requireAccepts, requireJson } from './body.ts';
export { longReads, SHORT_COST } from './long-reads.ts';
export { fetchOwn, type Served } from './loopback.ts';
export { createMetrics, type Metrics, operations, type Readiness } from './operations.ts';
export { createServer, type Server, type ServerOptions, type Timeouts } from './server.ts';
export { DEAD_WIRE, type Wire } from './wire.ts';
