// commands: a file a noun: what each is called with, what it asks the operator API, how its answer is shown.
// Rule: a command is data and one function of the API; nothing here prints.
import type { CommandSpec } from '../command.ts';
import { cardCommands } from './card.ts';
import { credentialCommands } from './credential.ts';
import { identityCommands } from './identity.ts';
import { installationCommands } from './installation.ts';
import { linkCommands } from './link.ts';
import { operationCommands } from './operation.ts';
import { programmeCommands } from './programme.ts';
import { projectCommands } from './project.ts';
import { rangeCommands } from './range.ts';
import { rateCommands } from './rates.ts';
import { ruleCommands } from './rules.ts';
import { templateCommands } from './template.ts';
import { tenantCommands } from './tenant.ts';
import { terminalCommands } from './terminal.ts';

/** In the order of the help. */
export const commands: readonly CommandSpec[] = [
  ...projectCommands,
  ...terminalCommands,
  ...credentialCommands,
  ...rateCommands,
  ...ruleCommands,
  ...rangeCommands,
  ...installationCommands,
  ...operationCommands,
  ...templateCommands,
  ...linkCommands,
  ...tenantCommands,
  ...programmeCommands,
  ...identityCommands,
  ...cardCommands,
];
