// The sandbox's projects: fixed points that other programs rely on. Made on the first start, left alone afterwards.
// Rule: live mode knows none of these secrets, and doesn't start while a project still has one.
import { type PricingPlan, SANDBOX_CURRENCIES } from '../../ledger/index.ts';
import type { Db, Transaction } from '../../store/index.ts';
import { issue, PAYMENT_RIGHTS } from './credentials.ts';
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

/** Makes what is missing of the sandbox's data; what is there stays as the operator left it. Two processes may do it at once. */
export async function seedSandbox(
  projects: Projects,
  tools: Tools,
  database: { transaction(work: (db: Transaction) => Promise<void>): Promise<void> },
): Promise<void> {
  for (const [login, secret, name] of SANDBOX) {
    if (await projects.byLogin(login)) continue;
    await database.transaction((db) => seedProject(db, tools, login, secret, name));
    await projects.refresh();
  }
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
    currencies: SANDBOX_CURRENCIES,
    link: 'simulator',
    merchant_id: 'FLORIN000000001',
    mcc: '5999',
    secure3d: 'when_needed',
    multicapture: false,
    cvv_must_match: false,
  });
  await issue(db, tools, project, { label: 'sandbox', rights: PAYMENT_RIGHTS }, secret);
}

/** Logins whose published sandbox secret is still valid: a live server must not start with any. */
export async function sandboxSecrets(projects: Projects): Promise<string[]> {
  const valid = await Promise.all(
    SANDBOX.map(async ([login, secret]) => ((await projects.authenticate(login, secret)) ? login : null)),
  );
  return valid.filter((login) => login !== null);
}
