// An issuer under measurement: a server on an empty database of its own, and what the measurements need of it, made over HTTP.
// Rule: money arrives only through the API; what must pay has a number that the vault sealed.
import { createLog, idPermutation, type Permutation, systemClock, systemRandom } from '../src/base/index.ts';
import { SANDBOX_OPERATOR } from '../src/config.ts';
import type { Connection, Database } from '../src/store/index.ts';
import { openVault, type Vault } from '../src/vault/index.ts';
import { type Load, load } from './load.ts';
import { openServer, type Served } from './serve.ts';

const log = createLog('silent');
const SECRET = { 'x-secret': 'sandbox-secret' };
export const OPERATOR = { authorization: `Bearer ${SANDBOX_OPERATOR}` };
/** The consumer of the sandbox, its profiles, and more cards than are ever made. */
const IDENTITY = '4001';
const MOST_CARDS = 1_000_000_000;

export interface BenchIssuer {
  readonly server: Served;
  readonly database: Database;
  readonly vault: Vault;
  readonly permutation: Permutation;
  close(): Promise<void>;
}

export async function openIssuer(
  connection: Connection,
  home: string,
  name: string,
  port: number,
): Promise<BenchIssuer> {
  const { server, database, dataDir, close } = await openServer(connection, home, name, port);
  try {
    const options = { dataDir, database, clock: systemClock, random: systemRandom, log, allowCreate: false };
    const vault = await openVault(options);
    await answerOf(server.url, 'PATCH', `/operator/tenants/sandbox/identities/${IDENTITY}`, OPERATOR, {
      settings: { cardLimits: { total: MOST_CARDS, currencies: { EUR: MOST_CARDS } } },
    });
    return { server, database, vault, permutation: idPermutation(vault.ids), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The body of one answer, which has to be a good one. */
export async function answerOf<Body>(
  url: string,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Body> {
  const response = await fetch(`${url}${target}`, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Body;
}

/** Both headers of the consumer, logged in now: an older session may be idle. */
export async function consumer({ server: { url } }: BenchIssuer): Promise<Record<string, string>> {
  const who = { email: 'consumer@sandbox.test', password: { value: 'Sandbox-12345' } };
  const { token } = await answerOf<{ token: string }>(url, 'POST', '/issuing/auth/login', SECRET, who);
  return { ...SECRET, 'authorization-key': token };
}

const card = (data: object): string =>
  JSON.stringify({
    type: 'consumer',
    data: {
      friendlyName: 'Travel',
      nameOnCard: 'Ada Example',
      billingAddress: { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' },
      currency: 'EUR',
      ...data,
    },
  });
export const PREPAID = card({ profileId: '1001', mode: 'PREPAID_MODE' });
const debit = (parentManagedAccountId: string): string =>
  card({ profileId: '1002', mode: 'DEBIT_MODE', parentManagedAccountId });

/** What one request each makes; every one must have been answered well. */
async function all(what: string, made: Omit<Load, 'connections' | 'seconds'>): Promise<string[]> {
  const ids: string[] = [];
  const { failed } = await load({
    ...made,
    connections: 64,
    seconds: 0,
    answered(body) {
      ids.push((JSON.parse(body) as { id: string }).id);
      return true;
    },
  });
  if (failed > 0) throw new Error(`${failed} failed: ${what}`);
  return ids;
}

/** Accounts of the consumer with this much on each, minor units of EUR. */
export async function openAccounts(issuer: BenchIssuer, count: number, amount: number): Promise<string[]> {
  const { url } = issuer.server;
  const ids = await all('accounts', {
    url: `${url}/issuing/managed-accounts`,
    method: 'POST',
    headers: await consumer(issuer),
    body: JSON.stringify({ profileId: '1011', friendlyName: 'Savings', currency: 'EUR' }),
    amount: count,
  });
  await all('deposits', {
    url,
    method: 'POST',
    headers: OPERATOR,
    body: JSON.stringify({ amount }),
    paths: ids.map((id) => `/simulator/accounts/${id}/deposit`),
  });
  return ids;
}

export interface BenchCard {
  readonly pan: string;
  /** YYMM. */
  readonly expires: string;
}

/** New debit cards, one for each of these accounts in turn. */
export async function debitCards(
  issuer: BenchIssuer,
  parents: readonly string[],
  count: number,
): Promise<readonly BenchCard[]> {
  let next = 0;
  const ids = await all('debit cards', {
    url: `${issuer.server.url}/issuing/cards/request`,
    method: 'POST',
    headers: await consumer(issuer),
    body: () => debit(parents[next++ % parents.length] as string),
    amount: count,
  });
  const [owner] = await issuer.database.query<{ id: bigint }>(`select id from tenants where name = 'sandbox'`);
  const cards: BenchCard[] = [];
  for (const id of ids) {
    const key = [owner?.id as bigint, issuer.permutation.inward(id) as bigint] as const;
    const [row] = await issuer.database.query<{ expires: string }>(
      'select expires from cards where tenant_id = $1 and id = $2',
      key,
    );
    const sealed = await issuer.vault.open(...key);
    if (!sealed || !row) throw new Error('a card without a number');
    cards.push({ pan: sealed.pan.reveal(), expires: row.expires });
  }
  return cards;
}
