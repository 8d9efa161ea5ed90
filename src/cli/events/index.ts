// events: on the command line they are printed, or sent on, as they come.
// Rule: a client of the operator API like any other.
export { type LiveSpec, liveCommands } from './commands.ts';
export { webhookCommands } from './webhooks.ts';
