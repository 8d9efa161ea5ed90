// project, pricing: merchants' accounts, their settings and what operations cost.
import {
  assignments,
  at,
  type Call,
  CliError,
  type CommandSpec,
  given,
  type Json,
  list,
  type Options,
  parsed,
} from '../command.ts';
import { textOf } from '../files.ts';

export const projectCommands: readonly CommandSpec[] = [
  {
    usage: 'project create <login>',
    summary: 'make a project',
    required: [['--name <text>', 'name for people']],
    options: [['--currency <code>', 'accounting currency', 'EUR']],
    run: (call, [login], { name, currency }) =>
      call('POST', '/projects', { login, name, accounting_currency: currency }),
  },
  {
    usage: 'project list',
    summary: 'list projects',
    run: (call) => allProjects(call),
    table: ['projects', 'login', 'name', 'accounting_currency', 'active', 'created_at'],
  },
  {
    usage: 'project show <login>',
    summary: 'show a project with its settings, terminals and pricing',
    async run(call, [login]) {
      const [project, settings, { terminals }, pricing] = await Promise.all([
        call('GET', at`/projects/${login}`),
        call('GET', at`/projects/${login}/settings`),
        call('GET', at`/projects/${login}/terminals`),
        call('GET', at`/projects/${login}/pricing`),
      ]);
      return { ...project, settings, terminals, pricing };
    },
  },
  {
    usage: 'project set <login> <name=value...>',
    summary: 'change name, active or settings (null: back to the default)',
    async run(call, [login], _options, rest) {
      const changes = assignments(rest);
      const own = Object.fromEntries(Object.entries(changes).filter(([name]) => name === 'name' || name === 'active'));
      const settings = Object.fromEntries(Object.entries(changes).filter(([name]) => !Object.hasOwn(own, name)));
      const project = Object.keys(own).length > 0 ? await call('PATCH', at`/projects/${login}`, own) : {};
      return {
        ...project,
        ...(Object.keys(settings).length > 0 ? await call('PATCH', at`/projects/${login}/settings`, settings) : {}),
      };
    },
  },
  {
    usage: 'pricing set <project>',
    summary: 'set what operations cost; what is not named stays',
    options: [
      ['--rules <list>', 'operation:percent+fixed, separated by commas (charge:2.9+0.30,refund:0+0.10)'],
      ['--reserve <percent/days>', 'rolling reserve'],
      ['--file <json>', 'the whole plan as a file, instead'],
    ],
    run: async (call, [project], options) => {
      const said = await pricingFrom(options);
      const now = options.file === undefined ? await call('GET', at`/projects/${project}/pricing`) : {};
      return call('PUT', at`/projects/${project}/pricing`, { ...now, ...said });
    },
  },
];

async function allProjects(call: Call): Promise<Json> {
  const projects: Json[] = [];
  for (let after = ''; ; ) {
    const page = (await call('GET', at`/projects?per_page=1000&after=${after}`)).projects as readonly Json[];
    projects.push(...page);
    if (page.length < 1000) return { projects };
    after = String(page.at(-1)?.login);
  }
}

async function pricingFrom({ file, rules: prices, reserve }: Options): Promise<Json> {
  if (file !== undefined) {
    const plan = parsed(await textOf(`${file}`));
    if (!plan) throw new CliError(`Not a JSON file: ${file}`);
    return plan;
  }
  if (prices === undefined && reserve === undefined)
    throw new CliError('Say what operations cost, with --rules, --reserve or --file.');
  return given({
    rules: prices === undefined ? undefined : rulesFrom(prices),
    reserve: reserve === undefined ? undefined : reserveFrom(reserve),
  });
}

const rulesFrom = (prices: Options[string]): Json[] =>
  list(prices).map((text) => {
    const match = /^([a-z]+):([\d.]+)\+([\d.]+)$/.exec(text);
    if (!match) throw new CliError(`Not of the form operation:percent+fixed: ${text}`);
    const [, operation, percent, fixed] = match;
    return { operation, percent, fixed };
  });

function reserveFrom(reserve: Options[string]): Json {
  const match = /^([\d.]+)\/(\d+)$/.exec(`${reserve}`);
  if (!match) throw new CliError(`Not of the form percent/days: ${reserve}`);
  return { percent: match[1], days: Number(match[2]) };
}
