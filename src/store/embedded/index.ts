// embedded: the Postgres that comes with Florin: its programs, its cluster in the data directory, its start and its end.
// Rule: knows nothing of what is stored; a server that was found running is asked before it is touched.
export { StartError } from './binaries.ts';
export { freeBytes } from './disk.ts';
export { type Connection, type Embedded, startEmbedded } from './embedded.ts';
