// The commands for identities, their users, accounts and cards. Rule: a password comes from a file wherever it should not stand in the
// shell's history; no command but the sandbox's `card number` shows a card's number.
import {
  at,
  type Call,
  CliError,
  type CommandSpec,
  given,
  type Json,
  type Options,
  parsed,
  rowsOf,
} from './cli-call.ts';
import { textOf } from './cli-commands.ts';
import { changeOf, idOf } from './cli-issuing.ts';

const PAGE = 1000;

/** All rows of a list, page by page. */
async function every(call: Call, name: string, pageOf: (rows: readonly Json[]) => string): Promise<Json> {
  const rows: Json[] = [];
  for (;;) {
    const page = rowsOf(await call('GET', pageOf(rows)), name);
    rows.push(...page);
    if (page.length < PAGE) return { [name]: rows };
  }
}

export const allIdentities = (call: Call, tenant: string | undefined): Promise<Json> =>
  every(call, 'identities', (rows) => {
    const last = rows.at(-1)?.id as string | undefined;
    const path = at`/tenants/${tenant}/identities?per_page=${String(PAGE)}`;
    return last === undefined ? path : path + at`&after=${last}`;
  });

const holdings = (call: Call, part: 'accounts' | 'cards', [tenant, identity]: readonly string[]): Promise<Json> =>
  every(
    call,
    part,
    (rows) =>
      at`/tenants/${tenant}/identities/${identity}/${part}?per_page=${String(PAGE)}&offset=${String(rows.length)}`,
  );

/** Its last line end is not part of it. */
async function passwordOf({ password, passwordFile }: Options): Promise<string | undefined> {
  if (passwordFile === undefined) return password as string | undefined;
  return (await textOf(`${passwordFile}`)).replace(/\r?\n$/, '');
}
const PASSWORD = [
  ['--password <text>', 'his password; better from a file'],
  ['--password-file <file>', 'a file that holds the password; /dev/stdin reads it from a pipe'],
] as const;

async function objectOf(file: Options[string]): Promise<Json> {
  if (file === undefined) return {};
  const value = parsed(await textOf(`${file}`));
  if (!value || Array.isArray(value)) throw new CliError(`Not a JSON file: ${file}`);
  return value;
}

/** What is asked of a card: the fields of a file, and those of flags on top. */
async function cardOf(call: Call, tenant: string | undefined, options: Options): Promise<Json> {
  const file = await objectOf(options.file);
  const address = given({
    addressLine1: options.line1,
    addressLine2: options.line2,
    city: options.city,
    postCode: options.postCode,
    state: options.state,
    country: options.country,
  });
  return {
    ...file,
    ...given({
      friendlyName: options.name,
      nameOnCard: options.nameOnCard,
      mode: options.mode,
      currency: options.currency,
      parentManagedAccountId: options.account,
      cardholderMobileNumber: options.mobile,
      tag: options.tag,
    }),
    ...(options.profile === undefined ? {} : { profileId: await idOf(call, tenant, 'profiles', `${options.profile}`) }),
    ...(Object.keys(address).length === 0 ? {} : { billingAddress: { ...(file.billingAddress as Json), ...address } }),
  };
}

/** Block and unblock, of a card or an account. */
const moves = (one: 'account' | 'card', part: 'managed-accounts' | 'cards'): CommandSpec[] => [
  {
    usage: `${one} block <id>`,
    summary: `block ${one === 'card' ? 'a card' : 'an account'}; its user can't unblock it`,
    run: (call, [id]) => call('POST', at`/${part}/${id}/block`),
  },
  {
    usage: `${one} unblock <id>`,
    summary: "lift the operator's block",
    run: (call, [id]) => call('POST', at`/${part}/${id}/unblock`),
  },
];

export const peopleCommands: readonly CommandSpec[] = [
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
  {
    usage: 'account create <tenant> <identity>',
    summary: 'open a managed account of an identity',
    required: [
      ['--profile <name>', 'profile of accounts, by name or id'],
      ['--name <text>', 'name for people'],
      ['--currency <code>', 'ISO 4217'],
    ],
    options: [['--tag <text>', 'searchable']],
    async run(call, [tenant, identity], { profile, name, currency, tag }) {
      const profileId = await idOf(call, tenant, 'profiles', `${profile}`);
      const body = given({ profileId, friendlyName: name, currency, tag });
      return call('POST', at`/tenants/${tenant}/identities/${identity}/accounts`, body);
    },
  },
  {
    usage: 'account list <tenant> <identity>',
    summary: 'list the managed accounts of an identity',
    run: (call, names) => holdings(call, 'accounts', names),
    table: ['accounts', 'id', 'friendlyName', 'currency', 'state.state', 'balances.availableBalance', 'tag'],
  },
  ...moves('account', 'managed-accounts'),
  {
    usage: 'card create <tenant> <identity>',
    summary: 'make a card on behalf of an identity',
    options: [
      ['--file <json>', "the request's data as a file; flags on top of it"],
      ['--profile <name>', 'profile of cards, by name or id'],
      ['--name <text>', 'name for people'],
      ['--name-on-card <text>', 'cardholder'],
      ['--mode <name>', 'PREPAID_MODE or DEBIT_MODE'],
      ['--currency <code>', 'ISO 4217'],
      ['--account <id>', 'parent account of a debit card'],
      ['--mobile <number>', "the cardholder's, plus sign and digits"],
      ['--tag <text>', 'searchable'],
      ['--line1 <text>', 'billing address'],
      ['--line2 <text>', 'its second line'],
      ['--city <text>', 'city'],
      ['--post-code <text>', 'post code'],
      ['--state <text>', 'state or region'],
      ['--country <code>', 'alpha-2'],
    ],
    async run(call, [tenant, identity], options) {
      const data = await cardOf(call, tenant, options);
      return call('POST', at`/tenants/${tenant}/identities/${identity}/cards`, { data });
    },
  },
  {
    usage: 'card list <tenant> <identity>',
    summary: 'list the cards of an identity, without their numbers',
    run: (call, names) => holdings(call, 'cards', names),
    table: [
      'cards',
      'id',
      'friendlyName',
      'mode',
      'currency',
      'state.state',
      'type',
      'cardBrand',
      'cardNumberLastFour',
      'expiryMmyy',
    ],
  },
  ...moves('card', 'cards'),
  {
    usage: 'card number <id>',
    summary: 'show number, CVV and expiry of a card; sandbox mode only',
    run: (call, [id]) => call('GET', at`/cards/${id}/number`),
  },
];
