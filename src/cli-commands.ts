// The commands that talk to a running server: what each is called with, what it asks the operator API, how its answer is shown.
// Rule: a command is data and one function of the API; nothing here prints.
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isFingerprint, plainFingerprint } from './base/index.ts';
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
} from './cli-call.ts';

export const CERTIFICATES = [
  '--certificates <list>',
  'client certificates it is bound to: PEM files or SHA-256 fingerprints, separated by commas',
] as const;

export const commandSpecs: readonly CommandSpec[] = [
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
    usage: 'terminal put <project> <id>',
    summary: 'make a terminal or replace it whole',
    required: [
      ['--descriptor <text>', "what the cardholder's statement shows"],
      ['--currencies <codes>', 'accepted currencies, separated by commas'],
      ['--link <name>', 'acquirer link'],
      ['--merchant-id <id>', 'merchant number at the acquirer'],
      ['--mcc <code>', 'merchant category code'],
    ],
    options: [
      ['--secure3d <when>', 'when_needed or always', 'when_needed'],
      ['--multicapture', 'more than one charge an order'],
      ['--cvv-must-match', 'decline a wrong CVV'],
      ['--position <rank>', 'rank in the order of preference'],
    ],
    run: (
      call,
      [project, id],
      { currencies, merchantId, cvvMustMatch, position, descriptor, link, mcc, secure3d, multicapture },
    ) =>
      call(
        'PUT',
        at`/projects/${project}/terminals/${id}`,
        given({
          descriptor,
          currencies: list(currencies),
          link,
          merchant_id: merchantId,
          mcc,
          secure3d,
          multicapture,
          cvv_must_match: cvvMustMatch,
          position,
        }),
      ),
  },
  {
    usage: 'terminal list <project>',
    summary: 'list terminals in the order of preference',
    run: (call, [project]) => call('GET', at`/projects/${project}/terminals`),
    table: [
      'terminals',
      'id',
      'descriptor',
      'currencies',
      'link',
      'merchant_id',
      'mcc',
      'secure3d',
      'multicapture',
      'cvv_must_match',
    ],
  },
  {
    usage: 'terminal remove <project> <id>',
    summary: 'take a terminal out of use',
    run: (call, [project, id]) => call('DELETE', at`/projects/${project}/terminals/${id}`),
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
  {
    usage: 'credential create <project>',
    summary: 'make a credential and show its secret, once',
    required: [['--label <text>', 'which program holds it']],
    options: [
      ['--rights <names>', 'of read, create, capture, refund, payout', 'read,create,capture,refund'],
      CERTIFICATES,
    ],
    run: async (call, [project], { label, rights, certificates }) =>
      call(
        'POST',
        at`/projects/${project}/credentials`,
        given({ label, rights: list(rights), certificates: await certificatesOf(certificates) }),
      ),
  },
  {
    usage: 'credential list <project>',
    summary: 'list credentials',
    run: (call, [project]) => call('GET', at`/projects/${project}/credentials`),
    table: ['credentials', 'id', 'label', 'rights', 'state', 'created_at', 'expires_at', 'certificates'],
  },
  {
    usage: 'credential bind <project> <id> <certificate...>',
    summary: 'let a credential work on the client port with these certificates only (PEM files or fingerprints)',
    run: async (call, [project, id], _options, rest) =>
      call('PUT', at`/projects/${project}/credentials/${id}/certificates`, {
        certificates: await fingerprintsOf(rest),
      }),
  },
  {
    usage: 'credential unbind <project> <id>',
    summary: 'let a credential work without a certificate again, on both ports',
    run: (call, [project, id]) =>
      call('PUT', at`/projects/${project}/credentials/${id}/certificates`, { certificates: [] }),
  },
  {
    usage: 'credential rotate <project> <id>',
    summary: 'make a new secret; the old one stays valid for the overlap',
    options: [['--overlap <duration>', '30s, 15m, 2h, 1d', '1d']],
    run: (call, [project, id], { overlap }) =>
      call('POST', at`/projects/${project}/credentials/${id}/rotate`, { overlap }),
  },
  {
    usage: 'credential revoke <project> <id>',
    summary: 'revoke a credential at once',
    run: (call, [project, id]) => call('DELETE', at`/projects/${project}/credentials/${id}`),
  },
  {
    usage: 'rates load <file>',
    summary: 'load exchange rates: ECB XML, CSV (from,to,rate,day) or JSON',
    options: [['--source <text>', 'where they come from']],
    run: (call, [file], { source }) => loadRates(call, file as string, source),
    table: ['rates', 'from', 'to', 'rate', 'day', 'source'],
  },
  {
    usage: 'rates list',
    summary: 'list the latest exchange rates',
    run: (call) => call('GET', '/rates'),
    table: ['rates', 'from', 'to', 'rate', 'day', 'source'],
  },
  {
    usage: 'rules put <project> <id>',
    summary: 'make a fraud rule or replace it whole',
    required: [
      ['--class <name>', 'what the merchant is told'],
      ['--expression <cel>', 'condition over the payment and its counters'],
      ['--action <name>', 'refuse or force3d'],
    ],
    options: [
      ['--dry-run', 'record what it would do, and do nothing'],
      ['--inactive', 'keep it, but switched off'],
      ['--name <text>', 'for people; the id when left out'],
      ['--position <number>', 'rules are asked in this order, then by id'],
    ],
    run: (call, [project, id], { class: of, expression, action, dryRun = false, inactive = false, name, position }) =>
      call('PUT', at`/projects/${project}/rules/${id}`, {
        class: of,
        expression,
        ...(name === undefined ? {} : { name }),
        ...(position === undefined ? {} : { position: Number(position) }),
        action,
        dry_run: dryRun,
        active: !inactive,
      }),
  },
  {
    usage: 'rules list <project>',
    summary: 'list fraud rules',
    run: (call, [project]) => call('GET', at`/projects/${project}/rules`),
    table: ['rules', 'id', 'class', 'action', 'dry_run', 'active', 'expression'],
  },
  {
    usage: 'rules remove <project> <id>',
    summary: 'remove a fraud rule',
    run: (call, [project, id]) => call('DELETE', at`/projects/${project}/rules/${id}`),
  },
  {
    usage: 'bins put <prefix>',
    summary: 'add a card range',
    required: [
      ['--brand <name>', 'lower-case brand'],
      ['--subtype <name>', 'lower-case product'],
    ],
    options: [
      ['--title <text>', 'issuing bank'],
      ['--country <code>', 'alpha-3'],
      ['--own', 'issued by our own issuing side'],
    ],
    run: (call, [prefix], { brand, subtype, title, country, own }) =>
      call('PUT', at`/bins/${prefix}`, given({ brand, subtype, title, country, own })),
  },
  {
    usage: 'bins list',
    summary: 'list card ranges',
    run: (call) => call('GET', '/bins'),
    table: ['bins', 'prefix', 'brand', 'subtype', 'title', 'country', 'own'],
  },
  {
    usage: 'bins remove <prefix>',
    summary: 'take back what was added of a card range',
    run: (call, [prefix]) => call('DELETE', at`/bins/${prefix}`),
  },
  { usage: 'keys rotate', summary: 'make a new key of the vault', run: (call) => call('POST', '/keys/rotate') },
  {
    usage: 'order trace <id>',
    summary: 'show the whole way of an order',
    run: (call, [id]) => call('GET', at`/orders/${id}/trace`),
  },
  {
    usage: 'audit',
    summary: 'list what operators did, the latest first',
    run: (call) => call('GET', '/audit'),
    table: ['audit', 'id', 'at', 'actor', 'origin', 'action', 'target', 'result'],
  },
  {
    usage: 'invariants',
    summary: 'prove what must always be true; exit code 1 when something is not',
    run: (call) => call('GET', '/invariants'),
    table: ['checks', 'id', 'ok', 'violations'],
    fails: ({ ok }) => (ok === true ? null : ''),
  },
  {
    usage: 'due list',
    summary: 'list work that is due and fails, the longest first',
    run: (call) => call('GET', '/due?per_page=1000'),
    table: ['failing', 'about', 'id', 'kind', 'tries', 'since', 'next_try_at', 'code'],
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

export async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new CliError(`The file ${file} can't be read.`);
  }
}

export const textOf = async (file: string): Promise<string> => (await bytesOf(file)).toString('utf8');

/** Certificates as a person names them, a fingerprint or a file in PEM, as fingerprints. */
export const fingerprintsOf = (names: readonly string[]): Promise<string[]> =>
  Promise.all(
    names.map(async (name) => {
      if (isFingerprint(name)) return plainFingerprint(name);
      try {
        return plainFingerprint(new X509Certificate(await textOf(name)).fingerprint256);
      } catch (error) {
        throw error instanceof CliError ? error : new CliError(`The file ${name} holds no certificate in PEM.`);
      }
    }),
  );

export const certificatesOf = async (names: Options[string]): Promise<string[] | undefined> =>
  names === undefined ? undefined : fingerprintsOf(list(names));

/** `lost`: what else there is to say when it can't be written. */
export async function textWrite(file: string, text: string, lost = ''): Promise<void> {
  try {
    await writeFile(file, text);
  } catch {
    throw new CliError(`The file ${file} can't be written.${lost}`);
  }
}

/** What one request may carry. */
const MOST_RATES = 500;

async function loadRates(call: Call, file: string, source: Options[string]): Promise<Json> {
  const text = await textOf(file);
  const format = path.extname(file).toLowerCase();
  if (format === '.xml') return call('POST', '/rates', given({ ecb_xml: text, source }));
  const rows = format === '.csv' ? ratesOfCsv(text) : format === '.json' ? ratesOfJson(text) : null;
  if (!rows)
    throw new CliError('A file of rates ends in .xml, .csv or .json; JSON is a list of {from, to, rate, day}.');
  const stored: unknown[] = [];
  for (let i = 0; i < rows.length; i += MOST_RATES) {
    const { rates } = await call(
      'POST',
      '/rates',
      given({ rates: rows.slice(i, i + MOST_RATES), source: source ?? path.basename(file) }),
    );
    stored.push(...(rates as readonly unknown[]));
  }
  return { rates: stored };
}

function ratesOfCsv(text: string): Json[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^from\b/i.test(line));
  return lines.map((line) => {
    const [from, to, rate, day] = line.split(/[,;]/).map((part) => part.trim());
    return given({ from, to, rate, day: day === '' ? undefined : day });
  });
}

function ratesOfJson(text: string): Json[] | null {
  const value = parsed(text);
  const rows = Array.isArray(value) ? (value as Json[]) : value?.rates;
  return Array.isArray(rows) ? (rows as Json[]) : null;
}
