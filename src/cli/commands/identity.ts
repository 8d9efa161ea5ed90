// identity, user, factor: who holds cards and accounts, and who logs in for him.
// Rule: a password comes from a file wherever it should not stand in the shell's history.
import { at, CliError, type CommandSpec, given, type Options } from '../command.ts';
import { textOf } from '../files.ts';
import { allIdentities, changeOf, holdings, idOf } from '../tenant-parts.ts';

/** Its last line end is not part of it. */
async function passwordOf({ password, passwordFile }: Options): Promise<string | undefined> {
  if (passwordFile === undefined) return password as string | undefined;
  return (await textOf(`${passwordFile}`)).replace(/\r?\n$/, '');
}
const PASSWORD = [
  ['--password <text>', 'his password; better from a file'],
  ['--password-file <file>', 'a file that holds the password; /dev/stdin reads it from a pipe'],
] as const;

export const identityCommands: readonly CommandSpec[] = [
  {
    usage: 'identity create <tenant> <name> [name=value...]',
    summary: 'make an identity, with settings',
    required: [['--programme <name>', 'programme, by name or id']],
    options: [
      ['--type <name>', 'consumer or corporate', 'consumer'],
      ['--kyc-state <name>', 'NOT_STARTED, INITIATED, PENDING_REVIEW, APPROVED, REJECTED'],
      ['--kyc-level <name>', 'KYC_LEVEL_1 or KYC_LEVEL_2'],
    ],
    async run(call, [tenant, name], { programme, type, kycState, kycLevel }, rest) {
      const programmeId = await idOf(call, tenant, 'programmes', `${programme}`);
      const body = given({ programmeId, name, type, kycState, kycLevel });
      return call('POST', at`/tenants/${tenant}/identities`, { ...body, ...changeOf(rest, []) });
    },
  },
  {
    usage: 'identity list <tenant>',
    summary: 'list identities',
    run: (call, [tenant]) => allIdentities(call, tenant),
    table: ['identities', 'id', 'programmeId', 'type', 'name', 'kycState', 'kycLevel', 'active'],
  },
  {
    usage: 'identity show <tenant> <id>',
    summary: 'show an identity with its users, accounts and cards',
    async run(call, [tenant = '', id = '']) {
      const [identity, users, accounts, cards] = await Promise.all([
        call('GET', at`/tenants/${tenant}/identities/${id}`),
        call('GET', at`/tenants/${tenant}/identities/${id}/users`),
        holdings(call, 'accounts', [tenant, id]),
        holdings(call, 'cards', [tenant, id]),
      ]);
      return { ...identity, ...users, ...accounts, ...cards };
    },
  },
  {
    usage: 'identity set <tenant> <id> <name=value...>',
    summary: 'change name, kycState, kycLevel, active or settings (null: back to the default)',
    run: (call, [tenant, id], _options, rest) =>
      call(
        'PATCH',
        at`/tenants/${tenant}/identities/${id}`,
        changeOf(rest, ['name', 'kycState', 'kycLevel', 'active']),
      ),
  },
  {
    usage: 'user create <tenant> <identity>',
    summary: 'make a user of an identity',
    required: [
      ['--name <text>', 'first name'],
      ['--surname <text>', 'surname'],
      ['--email <address>', 'what he logs in with'],
    ],
    options: [
      ['--mobile <number>', 'plus sign and digits'],
      ['--kind <name>', 'root or authorised', 'authorised'],
      ...PASSWORD,
    ],
    async run(call, [tenant, identity], options) {
      const { name, surname, email, mobile, kind } = options;
      const body = given({ name, surname, email, mobile, kind, password: await passwordOf(options) });
      return call('POST', at`/tenants/${tenant}/identities/${identity}/users`, body);
    },
  },
  {
    usage: 'user list <tenant> <identity>',
    summary: 'list the users of an identity',
    run: (call, [tenant, identity]) => call('GET', at`/tenants/${tenant}/identities/${identity}/users`),
    table: ['users', 'id', 'kind', 'name', 'surname', 'email', 'mobile', 'active', 'factors'],
  },
  {
    usage: 'user set <tenant> <id> <name=value...>',
    summary: 'change name, surname, email, mobile or active',
    run: (call, [tenant, id], _options, rest) =>
      call(
        'PATCH',
        at`/tenants/${tenant}/users/${id}`,
        changeOf(rest, ['name', 'surname', 'email', 'mobile', 'active']),
      ),
  },
  {
    usage: 'user password <tenant> <id>',
    summary: 'set another password; ends his sessions and lifts the lock',
    options: PASSWORD,
    async run(call, [tenant, id], options) {
      const value = await passwordOf(options);
      if (value === undefined) throw new CliError('Give --password-file or --password.');
      return call('POST', at`/tenants/${tenant}/users/${id}/password`, { value });
    },
  },
  {
    usage: 'user unlock <tenant> <id>',
    summary: 'lift the lock after too many wrong passwords',
    run: (call, [tenant, id]) => call('POST', at`/tenants/${tenant}/users/${id}/unlock`),
  },
  {
    usage: 'factor set <tenant> <user> <kind>',
    summary: 'enrol a user for OTP_SMS, BIOMETRICS or EXTERNAL_AUTHY',
    options: [['--off', 'take it away instead']],
    run: (call, [tenant, user, kind], { off = false }) =>
      call('PUT', at`/tenants/${tenant}/users/${user}/factors/${kind}`, { active: !off }),
  },
];
