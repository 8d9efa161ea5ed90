// apply: one command that makes the installation what a file says. Enters by the same calls as every other command.
export { applyCommand } from './apply.ts';
export { readSetup } from './file.ts';
