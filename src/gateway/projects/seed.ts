// The sandbox's projects and rates: fixed points that other programs rely on. Made on the first start, left alone afterwards.
// Rule: live mode knows none of these secrets, and doesn't start while a project still has one.
import { assert, dayOf, divideHalfEven } from '../../base/index.ts';
import { formatRate, type PricingPlan, parseRate, type RateInput, type RateRow, rateRows } from '../../ledger/index.ts';
import type { Db, Transaction } from '../../store/index.ts';
import { ALL_RIGHTS, issue } from './credentials.ts';
import { pricingPut, projectCreate, settingsPatch, type Tools } from './manage.ts';
import type { Projects } from './projects.ts';
import { projectFind, versionNext } from './queries.ts';
import { terminalPut } from './terminals.ts';

const SANDBOX = [
  ['sandbox', 'sandbox-secret', 'Florin Sandbox'],
  ['sandbox-two', 'sandbox-two-secret', 'Florin Sandbox Two'],
] as const;

export const sandboxPricing: PricingPlan = {
  rules: [{ operation: 'charge', percent: '2.9', fixed: '0.30' }],
  reserve: { percent: '5', days: 30 },
};

/** Made-up rates: units of each currency for one euro. */
const PER_EURO = { EUR: '1', USD: '1.085', GBP: '0.85', PLN: '4.3125', RUB: '98.5', JPY: '162.5' } as const;
const CURRENCIES = Object.keys(PER_EURO) as (keyof typeof PER_EURO)[];

export interface SeedPorts {
  readonly database: { transaction(work: (db: Transaction) => Promise<void>): Promise<void> };
  /** Is a rate of the pair known? */
  readonly hasRate: (from: string, to: string) => boolean;
  readonly putRates: (rows: readonly RateRow[], at: Date) => Promise<void>;
}

/** Makes what is missing of the sandbox's data; what is there stays as the operator left it. Two processes may do it at once. */
export async function seedSandbox(projects: Projects, tools: Tools, ports: SeedPorts): Promise<void> {
  for (const [login, secret, name] of SANDBOX) {
    if (await projects.byLogin(login)) continue;
    await ports.database.transaction((db) => seedProject(db, tools, login, secret, name));
    await projects.refresh();
  }
  const day = dayOf(tools.clock.now());
  const missing = rates(day).filter(({ from, to }) => !ports.hasRate(from, to));
  if (missing.length === 0) return;
  const rows = rateRows(missing, 'sandbox');
  assert(rows, 'the rates of the sandbox are rates');
  await ports.putRates(rows, tools.clock.now());
}

async function seedProject(db: Db, tools: Tools, login: string, secret: string, name: string): Promise<void> {
  // Waits for another process that is at it.
  await versionNext(db);
  if (await projectFind(db, login)) return;
  const project = await projectCreate(db, tools, { login, name, accounting_currency: 'EUR' });
  await settingsPatch(db, login, { static_links: true });
  await pricingPut(db, login, sandboxPricing);
  await terminalPut(db, tools, login, '1', {
    descriptor: 'FLORIN*SANDBOX',
    currencies: CURRENCIES,
    link: 'simulator',
    merchant_id: 'FLORIN000000001',
    mcc: '5999',
    secure3d: 'when_needed',
    multicapture: false,
    cvv_must_match: false,
  });
  await issue(db, tools, project, { label: 'sandbox', rights: ALL_RIGHTS }, secret);
}

/** Each currency in each other, over the euro. */
function rates(day: string): RateInput[] {
  const micro = (currency: keyof typeof PER_EURO): bigint => {
    const value = parseRate(PER_EURO[currency]);
    assert(value !== null, 'a rate');
    return value;
  };
  return CURRENCIES.flatMap((from) =>
    CURRENCIES.filter((to) => to !== from).map((to) => ({
      from,
      to,
      rate: formatRate(divideHalfEven(micro(to) * 1_000_000n, micro(from))),
      day,
    })),
  );
}

/** Logins whose published sandbox secret is still valid: a live server must not start with any. */
export async function sandboxSecrets(projects: Projects): Promise<string[]> {
  const valid = await Promise.all(
    SANDBOX.map(async ([login, secret]) => ((await projects.authenticate(login, secret)) ? login : null)),
  );
  return valid.filter((login) => login !== null);
}
