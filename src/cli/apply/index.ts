// apply: one command that makes the installation what a file says.
// Rule: it enters by the same calls as every other command.
export { applyCommand } from './apply.ts';
export { readSetup } from './file.ts';
