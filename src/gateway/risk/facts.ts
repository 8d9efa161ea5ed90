// What is known of a payment when the rules are asked, and the keys that it is counted under. Pure.
// Rule: something that nobody told is absent, not empty, so that no rule mistakes "unknown" for a value.
import { addressOf, exponentOf, formatDateTime } from '../../base/index.ts';

export interface Payment {
  readonly project: {
    readonly id: bigint;
    readonly accounting_currency: string;
    readonly settings: { readonly time_zone: string; readonly card_testing: boolean; readonly risk_dry_run: boolean };
  };
  readonly orderId: bigint;
  readonly draft: {
    readonly amount: bigint;
    readonly currency: string;
    readonly merchantOrderId?: string | null;
    /** As the merchant's request says: there is no table of addresses and countries here. */
    readonly location: { readonly ip?: string; readonly country?: string } | null;
    readonly client: { readonly email?: string; readonly country?: string } | null;
  };
  readonly bin: {
    readonly brand: string;
    readonly subtype: string;
    readonly bin: string;
    readonly country: string | null;
  };
  /** Keyed hash of the card number. */
  readonly fingerprint: () => string;
  /** The amount in the project's accounting currency, minor units; null or left out: no rate is known. */
  readonly accountingMinor?: bigint | null;
  /** null or left out: no page of ours, the merchant's server asks and says who sits at the other end. */
  readonly visit?: Visit | null;
  /** A merchant-initiated payment has no visitor to test cards. */
  readonly initiator?: 'customer' | 'merchant';
  readonly at: Date;
}

/** Who stands before a page of ours, as we see it: nothing here is the merchant's or the payer's to say. */
export interface Visit {
  readonly address: string;
  /** The static link that led to the page; null: the page is for one payer. */
  readonly link: string | null;
  /** The browser, as far as it keeps our cookie. */
  readonly session: string | null;
}

/** Does somebody sit at the other end? */
export const hasVisitor = ({ initiator }: Payment): boolean => initiator !== 'merchant';

/** In accounting currency; null when no rate is known. */
export function accountingMinorOf({ project, draft, accountingMinor }: Payment): bigint | null {
  return draft.currency === project.accounting_currency ? draft.amount : (accountingMinor ?? null);
}

const units = (minor: bigint, currency: string): number => Number(minor) / 10 ** exponentOf(currency);

/** Only what is known: expressions see a missing field as unknown, not as empty. */
const known = <T extends object>(fields: T): { readonly [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  ) as never;

/** The names of an expression, with what they hold. Money is in units of its currency. */
export function factsOf(payment: Payment) {
  const { project, draft, bin, at } = payment;
  const accounting = accountingMinorOf(payment);
  return {
    amount: units(draft.amount, draft.currency),
    currency: draft.currency,
    merchant_order_id: draft.merchantOrderId ?? '',
    hour: BigInt(formatDateTime(at, project.settings.time_zone).slice(11, 13)),
    accounting: known({
      amount: accounting === null ? null : units(accounting, project.accounting_currency),
      currency: project.accounting_currency,
    }),
    card: known({ country: bin.country, brand: bin.brand, type: bin.subtype, bin: bin.bin }),
    ip: known({ address: addressOf(draft.location?.ip)?.text, country: draft.location?.country }),
    client: known({ email: draft.client?.email?.trim().toLowerCase(), country: draft.client?.country }),
  };
}

export type Facts = ReturnType<typeof factsOf>;

/** One mailbox, one key: the part behind a plus sign is left out. */
const mailbox = (email: string | undefined): string | null => {
  const match = /^([^@+]+)(?:\+[^@]*)?@(.+)$/.exec(email?.trim().toLowerCase() ?? '');
  return match ? `${match[1]}@${match[2]}` : null;
};

/** What a rule may count. */
export const DIMENSIONS = ['card', 'ip', 'email'] as const;
export type RuleDimension = (typeof DIMENSIONS)[number];
/** Beside them, what the card-testing defence counts. */
export type Dimension =
  | RuleDimension
  | `card.${'answers' | 'never'}`
  | `ip.${'cards' | 'seen' | 'basket' | 'answers' | 'held'}`
  | `${'session' | 'link' | 'net' | 'bin' | 'amount' | 'project'}.${'answers' | 'held'}`;

/** The hash under which a payment is counted in each dimension, made when it is asked for: few windows ask for all of them. */
export interface Keys {
  /** False: the payment has no such thing. */
  has(dimension: Dimension): boolean;
  get(dimension: Dimension): string | undefined;
}

/** HMAC under a key of its own for each purpose (the vault's). */
export type Keyed = (purpose: string, data: string) => Buffer;

export function keysOf(payment: Payment, keyed: Keyed): Keys {
  const { id: owner } = payment.project;
  const seen = seenOf(payment);
  const keys = new Map<Dimension, string | undefined>();
  const made = (dimension: Dimension): string | undefined => {
    const value = VALUES[dimension](seen);
    // 128 bits of the hash; the owner is part of it, so that no two projects' visitors can be matched.
    return value === null ? undefined : keyed('risk', `${owner}/${dimension}/${value}`).toString('base64url', 0, 16);
  };
  const get = (dimension: Dimension): string | undefined => {
    if (!keys.has(dimension)) keys.set(dimension, made(dimension));
    return keys.get(dimension);
  };
  return { get, has: (dimension) => get(dimension) !== undefined };
}

/** What the dimensions are made of; null: the payment has no such thing. */
interface Seen {
  readonly card: () => string;
  readonly email: string | undefined;
  readonly party: string | null;
  readonly visitor: string | null;
  readonly net: string | null;
  readonly session: string | null;
  readonly link: string | null;
  readonly bin: string;
  readonly amount: string;
}

function seenOf({ draft, bin, visit = null, fingerprint }: Payment): Seen {
  let hashed: string | null = null;
  const named = addressOf(draft.location?.ip);
  // What was seen counts more than what was said.
  const address = visit ? addressOf(visit.address) : named;
  return {
    card: () => (hashed ??= fingerprint()),
    email: draft.client?.email,
    party: named?.party ?? null,
    visitor: address?.party ?? null,
    net: address?.net ?? null,
    session: visit?.session ?? null,
    link: visit?.link ?? null,
    bin: bin.bin,
    amount: `${draft.amount} ${draft.currency}`,
  };
}

/** What is counted in each dimension, as it is. */
const VALUES: Readonly<Record<Dimension, (seen: Seen) => string | null>> = {
  card: ({ card }) => card(),
  ip: ({ party }) => party,
  email: ({ email }) => mailbox(email),
  'card.answers': ({ card }) => card(),
  'card.never': ({ card }) => card(),
  'ip.cards': ({ visitor }) => visitor,
  'ip.seen': ({ visitor, card }) => visitor && `${visitor} ${card()}`,
  'ip.basket': ({ visitor, amount }) => visitor && `${visitor} ${amount}`,
  'ip.answers': ({ visitor }) => visitor,
  'ip.held': ({ visitor }) => visitor,
  'session.answers': ({ session }) => session,
  'session.held': ({ session }) => session,
  'link.answers': ({ link }) => link,
  'link.held': ({ link }) => link,
  'net.answers': ({ net }) => net,
  'net.held': ({ net }) => net,
  'bin.answers': ({ bin }) => bin,
  'bin.held': ({ bin }) => bin,
  'amount.answers': ({ amount }) => amount,
  'amount.held': ({ amount }) => amount,
  'project.answers': () => '',
  'project.held': () => '',
};
