// The program: commands as commander knows them, out of their table; flags that all have; exit codes.
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { applyCommand } from './apply/index.ts';
import { type Connection, callsOf } from './client.ts';
import { CliError, type CommandSpec, type Json, type Options } from './command.ts';
import { commands } from './commands/index.ts';
import { type LiveSpec, liveCommands, webhookCommands } from './events/index.ts';
import { readable } from './print.ts';

export interface CliActions {
  readonly serve: () => Promise<void>;
  readonly migrate: () => Promise<void>;
  readonly distribute: (options: { readonly dryRun: boolean }) => Promise<void>;
  /** Where this installation's server answers, and the operator's secret, by its settings. Only asked when the flags don't say. */
  readonly connection: () => Connection;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** The whole command line. Commands throw; see `runCli`. */
export function buildCli(actions: CliActions): Command {
  const program = new Command('florin').description(
    'Payments, self-hosted: a payment gateway and a card issuer in one server',
  );
  program.version(manifest.version);
  program.command('serve').description('start the server').action(actions.serve);
  program.command('migrate').description('bring the database to this version, and stop').action(actions.migrate);
  program
    .command('distribute')
    .description('spread the tables over the nodes of a Citus database (docs/scaling.md), and stop')
    .option('--dry-run', 'only say what would be done', false)
    .action(actions.distribute);
  const groups = new Map<string, Command>();
  for (const spec of [...commands, ...webhookCommands, applyCommand, ...liveCommands]) {
    const [first = '', ...others] = spec.usage.split(' ');
    const grouped = others[0] !== undefined && !others[0].startsWith('<');
    let parent = program;
    if (grouped) {
      parent = groups.get(first) ?? program.command(first).description(`commands for ${first}`);
      groups.set(first, parent);
    }
    addCommand(parent, (grouped ? others : [first, ...others]).join(' '), spec, actions);
  }
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({ writeOut: actions.write, writeErr: actions.writeError });
  }
  return program;
}

/** Runs a command line; the exit code: 0 done, 1 refused or failed, 2 not understood. What serve, migrate and distribute throw goes on to the caller. */
export async function runCli(args: readonly string[], actions: CliActions): Promise<number> {
  try {
    await buildCli(actions).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CliError)) throw error;
    if (error.message !== '') actions.writeError(`${error.message}\n`);
    return 1;
  }
}

function addCommand(parent: Command, usage: string, spec: CommandSpec | LiveSpec, actions: CliActions): void {
  const command = parent.command(usage).description(spec.summary);
  for (const [flags, description] of spec.required ?? []) command.requiredOption(flags, description);
  for (const [flags, description, fallback] of spec.options ?? []) command.option(flags, description, fallback);
  command
    .option('--json', 'print JSON')
    .option('--url <address>', 'address of the server')
    .option('--secret <text>', "operator's secret");
  command.action(async () => {
    const options: Options = command.opts();
    if ('live' in spec) {
      await spec.live(connectionOf(actions, options), options, actions.write);
      return;
    }
    const names = command.processedArgs as (string | string[])[];
    const rest = names.find((name) => Array.isArray(name)) ?? [];
    const answer = await spec.run(callsOf(connectionOf(actions, options)), names as string[], options, rest);
    const show = spec.show ?? ((shown: Json) => readable(shown, spec.table));
    actions.write(options.json ? `${JSON.stringify(answer, null, 2)}\n` : show(answer));
    const failure = spec.fails?.(answer) ?? null;
    if (failure !== null) throw new CliError(failure);
  });
}

function connectionOf({ connection }: CliActions, { url, secret }: Options): Connection {
  if (url !== undefined && secret !== undefined) return { url: `${url}`, secret: `${secret}` };
  const known = connection();
  return { url: `${url ?? known.url}`, secret: `${secret ?? known.secret}` };
}
