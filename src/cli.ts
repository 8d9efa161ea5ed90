// The command line. Everything but serve and migrate is one or a few calls of a running server's operator API, so that it works
// beside the server, from the same machine or another. Rule: no command touches the database or the data directory itself.
import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { applyCommand } from './cli-apply.ts';
import { type Call, CliError, type CommandSpec, type Json, type Options, parsed, Refused } from './cli-call.ts';
import { commandSpecs } from './cli-commands.ts';
import { issuingCommands } from './cli-issuing.ts';
import { operationCommands } from './cli-operations.ts';
import { pageCommands } from './cli-pages.ts';
import { peopleCommands } from './cli-people.ts';

export interface CliActions {
  readonly serve: () => Promise<void>;
  readonly migrate: () => Promise<void>;
  /** Where this installation's server answers, and the operator's secret, by its settings. Only asked when the flags don't say. */
  readonly connection: () => { readonly url: string; readonly secret: string };
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
  const groups = new Map<string, Command>();
  for (const spec of [
    ...commandSpecs,
    ...operationCommands,
    ...pageCommands,
    ...issuingCommands,
    ...peopleCommands,
    applyCommand,
  ]) {
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

/** Runs a command line; the exit code: 0 done, 1 refused or failed, 2 not understood. What serve and migrate throw goes on to the caller. */
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

function addCommand(parent: Command, usage: string, spec: CommandSpec, actions: CliActions): void {
  const command = parent.command(usage).description(spec.summary);
  for (const [flags, description] of spec.required ?? []) command.requiredOption(flags, description);
  for (const [flags, description, fallback] of spec.options ?? []) command.option(flags, description, fallback);
  command
    .option('--json', 'print JSON')
    .option('--url <address>', 'address of the server')
    .option('--secret <text>', "operator's secret");
  command.action(async () => {
    const options: Options = command.opts();
    const names = command.processedArgs as (string | string[])[];
    const rest = names.find((name) => Array.isArray(name)) ?? [];
    const answer = await spec.run(caller(actions, options), names as string[], options, rest);
    const show = spec.show ?? ((shown: Json) => readable(shown, spec.table));
    actions.write(options.json ? `${JSON.stringify(answer, null, 2)}\n` : show(answer));
    const failure = spec.fails?.(answer) ?? null;
    if (failure !== null) throw new CliError(failure);
  });
}

function caller({ connection }: CliActions, { url, secret }: Options): Call {
  const known = url !== undefined && secret !== undefined ? null : connection();
  const base = `${url ?? known?.url}`.replace(/\/+$/, '');
  const authorization = `Bearer ${secret ?? known?.secret}`;
  return async (method, where, body) => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${base}/operator${where}`, {
        method,
        headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      text = await response.text();
    } catch {
      throw new CliError(`No server answers at ${base}: start one with "florin serve", or name another with --url.`);
    }
    if (response.ok && text === '') return {};
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html')) return { html: text };
    const answer = parsed(text);
    if (answer === null)
      throw new CliError(`${base} does not answer like a Florin server (status ${response.status}).`);
    if (!response.ok) throw new Refused(response.status, answer);
    return answer;
  };
}

function readable(answer: Json, table: CommandSpec['table']): string {
  if (!table) return aligned(Object.entries(answer).flatMap(([name, value]) => lines(name, value)));
  const [name, ...columns] = table;
  const rows = (answer[name] ?? []) as readonly Json[];
  return aligned([columns, ...rows.map((row) => columns.map((column) => cell(inside(row, column))))]);
}

/** `state` of a row, or `state.state`. */
const inside = (row: Json, column: string): unknown =>
  column.split('.').reduce<unknown>((value, name) => (value as Json | null | undefined)?.[name], row);

/** An object inside an answer is a line for each of its fields, a list of objects a line for each. */
const lines = (name: string, value: unknown): [string, string][] => {
  const isObject = typeof value === 'object' && value !== null && Object.values(value).some((part) => part !== null);
  if (!isObject || (Array.isArray(value) && typeof value[0] === 'string')) return [[name, cell(value)]];
  return Object.entries(value).map(([part, inner]) => [`${name}.${part}`, cell(inner)]);
};

/** Text as it is, a list of texts with commas, anything else as JSON. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '-';
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function aligned(rows: readonly (readonly string[])[]): string {
  const widthOf = (i: number): number => Math.max(...rows.map((row) => row[i]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, i) => widthOf(i));
  const line = (row: readonly string[]): string => row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}
