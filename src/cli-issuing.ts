// The commands that set issuing up: tenants, their secrets, programmes, profiles, card ranges; then those for people and cards.
// Rule: a tenant is named by its name, a programme and a profile by name or id, everything else by its id.
import {
  assignments,
  at,
  type Call,
  CliError,
  type CommandSpec,
  given,
  type Json,
  type Options,
  rowsOf,
} from './cli-call.ts';
import { CERTIFICATES, certificatesOf, fingerprintsOf } from './cli-commands.ts';

/** Programmes and profiles are known by their names as well. */
export async function idOf(call: Call, tenant: string | undefined, part: 'programmes' | 'profiles', text: string) {
  if (/^\d+$/.test(text)) return text;
  const found = rowsOf(await call('GET', at`/tenants/${tenant}/${part}`), part).filter(({ name }) => name === text);
  const one = part.slice(0, -1);
  if (found.length === 0) throw new CliError(`The tenant has no ${one} called ${text}.`);
  if (found.length > 1) throw new CliError(`The tenant has several ${part} called ${text}: name one by its id.`);
  return String(found[0]?.id);
}

/** `name=value` pairs as a change: fields of the thing's own are text, everything else is one of its settings. */
export function changeOf(pairs: readonly string[], own: readonly string[]): Json {
  const texts = Object.fromEntries(
    pairs.map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]),
  );
  const all = Object.entries(assignments(pairs));
  const fields = all.filter(([name]) => own.includes(name));
  const settings = all.filter(([name]) => !own.includes(name));
  return {
    ...Object.fromEntries(fields.map(([name, value]) => [name, name === 'active' ? value : texts[name]])),
    ...(settings.length > 0 ? { settings: Object.fromEntries(settings) } : {}),
  };
}

const number = (text: Options[string]): number | undefined => (text === undefined ? undefined : Number(text));

export const issuingCommands: readonly CommandSpec[] = [
  {
    usage: 'tenant create <name> [name=value...]',
    summary: 'make a tenant, with settings',
    run: (call, [name], _options, rest) => call('POST', '/tenants', { name, ...changeOf(rest, []) }),
  },
  {
    usage: 'tenant list',
    summary: 'list tenants',
    run: (call) => call('GET', '/tenants'),
    table: ['tenants', 'id', 'name', 'active', 'created_at', 'settings'],
  },
  {
    usage: 'tenant show <name>',
    summary: 'show a tenant with its secrets, programmes and profiles',
    async run(call, [name]) {
      const [tenant, ...parts] = await Promise.all([
        call('GET', at`/tenants/${name}`),
        call('GET', at`/tenants/${name}/secrets`),
        call('GET', at`/tenants/${name}/programmes`),
        call('GET', at`/tenants/${name}/profiles`),
      ]);
      return Object.assign({}, tenant, ...parts) as Json;
    },
  },
  {
    usage: 'tenant set <name> <name=value...>',
    summary: 'change active or settings (null: back to the default)',
    run: (call, [name], _options, rest) => call('PATCH', at`/tenants/${name}`, changeOf(rest, ['active'])),
  },
  {
    usage: 'tenant-secret create <tenant>',
    summary: 'make an API secret and show it, once',
    required: [['--label <text>', 'which program holds it']],
    options: [CERTIFICATES],
    run: async (call, [tenant], { label, certificates }) =>
      call('POST', at`/tenants/${tenant}/secrets`, given({ label, certificates: await certificatesOf(certificates) })),
  },
  {
    usage: 'tenant-secret list <tenant>',
    summary: 'list API secrets, without the secrets',
    run: (call, [tenant]) => call('GET', at`/tenants/${tenant}/secrets`),
    table: ['secrets', 'id', 'label', 'created_at', 'expires_at', 'certificates'],
  },
  {
    usage: 'tenant-secret bind <tenant> <id> <certificate...>',
    summary: 'let an API secret work on the client port with these certificates only (PEM files or fingerprints)',
    run: async (call, [tenant, id], _options, rest) =>
      call('PUT', at`/tenants/${tenant}/secrets/${id}/certificates`, { certificates: await fingerprintsOf(rest) }),
  },
  {
    usage: 'tenant-secret unbind <tenant> <id>',
    summary: 'let an API secret work without a certificate again, on both ports',
    run: (call, [tenant, id]) => call('PUT', at`/tenants/${tenant}/secrets/${id}/certificates`, { certificates: [] }),
  },
  {
    usage: 'tenant-secret rotate <tenant> <id>',
    summary: 'make a new API secret; the old one stays valid for the overlap',
    options: [['--overlap <duration>', '30s, 15m, 2h, 1d', '1d']],
    run: (call, [tenant, id], { overlap }) => call('POST', at`/tenants/${tenant}/secrets/${id}/rotate`, { overlap }),
  },
  {
    usage: 'tenant-secret revoke <tenant> <id>',
    summary: 'revoke an API secret at once',
    run: (call, [tenant, id]) => call('DELETE', at`/tenants/${tenant}/secrets/${id}`),
  },
  {
    usage: 'programme create <tenant> <name> [name=value...]',
    summary: 'make a programme, with settings',
    run: (call, [tenant, name], _options, rest) =>
      call('POST', at`/tenants/${tenant}/programmes`, { name, ...changeOf(rest, []) }),
  },
  {
    usage: 'programme list <tenant>',
    summary: 'list programmes',
    run: (call, [tenant]) => call('GET', at`/tenants/${tenant}/programmes`),
    table: ['programmes', 'id', 'name', 'settings'],
  },
  {
    usage: 'programme set <tenant> <programme> <name=value...>',
    summary: 'change name or settings (null: back to the default)',
    async run(call, [tenant, programme = ''], _options, rest) {
      const id = await idOf(call, tenant, 'programmes', programme);
      return call('PATCH', at`/tenants/${tenant}/programmes/${id}`, changeOf(rest, ['name']));
    },
  },
  {
    usage: 'profile create <tenant> <name> [name=value...]',
    summary: 'make a profile of cards or accounts, with settings',
    required: [['--programme <name>', 'programme, by name or id']],
    options: [['--kind <name>', 'card or account', 'card']],
    async run(call, [tenant, name], { programme, kind }, rest) {
      const programmeId = await idOf(call, tenant, 'programmes', `${programme}`);
      return call('POST', at`/tenants/${tenant}/profiles`, { programmeId, name, kind, ...changeOf(rest, []) });
    },
  },
  {
    usage: 'profile list <tenant>',
    summary: 'list profiles',
    run: (call, [tenant]) => call('GET', at`/tenants/${tenant}/profiles`),
    table: ['profiles', 'id', 'programmeId', 'name', 'kind', 'active', 'settings'],
  },
  {
    usage: 'profile set <tenant> <profile> <name=value...>',
    summary: 'change name, active or settings (null: back to the default)',
    async run(call, [tenant, profile = ''], _options, rest) {
      const id = await idOf(call, tenant, 'profiles', profile);
      return call('PATCH', at`/tenants/${tenant}/profiles/${id}`, changeOf(rest, ['name', 'active']));
    },
  },
  {
    usage: 'card-range put <name>',
    summary: 'add a range of card numbers; the same again changes nothing',
    required: [
      ['--brand <name>', 'MASTERCARD or VISA'],
      ['--prefix <digits>', 'what all its numbers begin with'],
    ],
    options: [
      ['--length <digits>', 'digits of a number', '16'],
      ['--size <count>', 'how many numbers; all that there are when left out'],
    ],
    async run(call, [name], { brand, prefix, length, size }) {
      const ranges = rowsOf(await call('GET', '/card-ranges'), 'ranges');
      const there = ranges.find((range) => range.name === name);
      const wanted = given({ brand, prefix, number_length: number(length), size: number(size) });
      if (there && Object.entries(wanted).every(([field, value]) => there[field] === value)) return there;
      const body = given({ name, brand, prefix, numberLength: length, size });
      return call('POST', '/card-ranges', body);
    },
  },
  {
    usage: 'card-range list',
    summary: 'list the ranges that card numbers are given out of',
    run: (call) => call('GET', '/card-ranges'),
    table: ['ranges', 'name', 'brand', 'prefix', 'number_length', 'size', 'used'],
  },
];
