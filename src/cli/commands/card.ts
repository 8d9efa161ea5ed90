// account, card: managed accounts and cards of an identity.
// Rule: no command but the sandbox's `card number` shows a card's number.
import { at, type Call, CliError, type CommandSpec, given, type Json, type Options, parsed } from '../command.ts';
import { textOf } from '../files.ts';
import { holdings, idOf } from '../tenant-parts.ts';

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
    summary: `lift the operator's block${one === 'card' ? ', and that of the CVV after three wrong ones' : ''}`,
    run: (call, [id]) => call('POST', at`/${part}/${id}/unblock`),
  },
];

export const cardCommands: readonly CommandSpec[] = [
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
      'cvvBlocked',
    ],
  },
  ...moves('card', 'cards'),
  {
    usage: 'card number <id>',
    summary: 'show number, CVV and expiry of a card; sandbox mode only',
    run: (call, [id]) => call('GET', at`/cards/${id}/number`),
  },
];
