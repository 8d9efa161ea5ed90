// risk: may this payment go to the issuer at all? Owns risk_rules, risk_counters and risk_events. Imports projects' types only.
// Rule: counters are read before the order's commit and added to in it; a slightly old count is fine, a lost one is not.
import { addMs, type Clock, formatAmount, type IdMaker } from '../../base/index.ts';
import type { Bin } from '../../network/index.ts';
import type { Change, Db } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { CARD_TESTING } from './card-testing.ts';
import { counterAdd, countersPurge, countersSince, type RiskRule, riskEventInsert, ruleDelete, rulesAll, rulesOf, ruleUpsert } from './queries.ts';
import { CLASSES, type CompiledRule, compileRule, type Counters, DIMENSIONS, type Dimension, type Facts, type Window } from './rules.ts';

export { CLASSES, compileRule, type Facts } from './rules.ts';
export type { RiskRule } from './queries.ts';

export interface Payment {
  readonly project: Project;
  readonly orderId: bigint;
  readonly draft: {
    readonly amount: bigint;
    readonly currency: string;
    readonly location: { readonly ip?: string; readonly country?: string } | null;
    readonly client: { readonly email?: string; readonly country?: string } | null;
  };
  readonly bin: Bin;
  readonly fingerprint: () => string;
  readonly at: Date;
}

export interface Assessment {
  readonly verdict: 'pass' | 'refuse' | 'force3d';
  /** Counters and records, for the order's commit. */
  readonly changes: readonly Change[];
}

export interface Risk {
  assess(payment: Payment): Promise<Assessment>;
  list(project: Project): Promise<RiskRule[]>;
  /** What is wrong with the rule; null: saved. */
  put(rule: Omit<RiskRule, 'created_at'>): Promise<string | null>;
  remove(project: Project, id: string): Promise<boolean>;
  refresh(): Promise<void>;
  purge(now: Date): Promise<void>;
}

const PASS: Assessment = { verdict: 'pass', changes: [] };
const MINUTE_MS = 60_000;

export interface RiskOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly keyed: (purpose: string, data: string) => Buffer;
}

export async function createRisk({ db, clock, ids, keyed }: RiskOptions): Promise<Risk> {
  let compiled = new Map<bigint, CompiledRule[]>();
  const refresh = async (): Promise<void> => {
    compiled = new Map();
    for (const rule of await rulesAll(db)) {
      const ready = compileRule(rule);
      if (rule.active && !('error' in ready)) compiled.set(rule.project_id, [...(compiled.get(rule.project_id) ?? []), ready]);
    }
  };
  await refresh();

  async function countersOf(payment: Payment, keys: ReadonlyMap<Dimension, string>, windows: readonly Window[]): Promise<Counters> {
    const wanted = windows.flatMap((window) => {
      const keyHash = keys.get(window.dimension);
      return keyHash === undefined ? [] : [{ window, dimension: window.dimension, keyHash, since: addMs(payment.at, -window.ms) }];
    });
    const found = wanted.length === 0 ? [] : await countersSince(db, payment.project.id, wanted);
    return ({ dimension, ms }) => {
      const i = wanted.findIndex(({ window }) => window.dimension === dimension && window.ms === ms);
      const known = found[i];
      // The payment at hand counts too.
      return known ? { count: known.count + 1n, sum: known.sum + payment.draft.amount } : { count: keys.has(dimension) ? 1n : 0n, sum: payment.draft.amount };
    };
  }

  return {
    async assess(payment) {
      const { project, draft } = payment;
      const rules = compiled.get(project.id) ?? [];
      if (rules.length === 0 && !project.settings.card_testing) return PASS;
      const keys = keysOf(payment, keyed);
      const testing = project.settings.card_testing ? CARD_TESTING : [];
      const counters = await countersOf(payment, keys, [...rules.flatMap((rule) => rule.windows), ...testing.map(({ window }) => window)]);
      const facts = factsOf(payment);
      const matched = [
        ...rules.filter((rule) => rule.matches(facts, counters)).map(({ rule }) => ({ id: rule.id, action: rule.action, dryRun: rule.dry_run })),
        ...testing.flatMap(({ window, challenge, refuse }) => {
          const { count } = counters(window);
          const action = count > refuse ? ('refuse' as const) : count > challenge ? ('force3d' as const) : null;
          return action ? [{ id: `card_testing/${window.dimension}`, action, dryRun: false }] : [];
        }),
      ].map((match) => ({ ...match, dryRun: match.dryRun || project.settings.risk_dry_run }));
      const acting = matched.filter(({ dryRun }) => !dryRun).map(({ action }) => action);
      const bucket = new Date(Math.floor(payment.at.getTime() / MINUTE_MS) * MINUTE_MS);
      return {
        verdict: acting.includes('refuse') ? 'refuse' : acting.includes('force3d') ? 'force3d' : 'pass',
        changes: [
          ...[...keys].map(([dimension, keyHash]) => counterAdd({ project_id: project.id, dimension, key_hash: keyHash, bucket_at: bucket, count: 1n, sum: draft.amount })),
          ...matched.map(({ id, action, dryRun }) =>
            riskEventInsert({ project_id: project.id, id: ids.next(), order_id: payment.orderId, rule_id: id, action, dry_run: dryRun, created_at: payment.at }),
          ),
        ],
      };
    },
    list: (project) => rulesOf(db, project.id),
    async put(rule) {
      if (!CLASSES.includes(rule.class)) return `class must be one of ${CLASSES.join(', ')}`;
      const full = { ...rule, created_at: clock.now() };
      const ready = compileRule(full);
      if ('error' in ready) return ready.error;
      await ruleUpsert(db, full);
      await refresh();
      return null;
    },
    async remove(project, id) {
      const removed = await ruleDelete(db, project.id, id);
      await refresh();
      return removed;
    },
    refresh,
    purge: (now) => countersPurge(db, addMs(now, -32 * 86_400_000)),
  };
}

function keysOf({ draft, fingerprint }: Payment, keyed: RiskOptions['keyed']): ReadonlyMap<Dimension, string> {
  const values: Readonly<Record<Dimension, string | undefined>> = { card: fingerprint(), ip: draft.location?.ip, email: draft.client?.email?.toLowerCase() };
  return new Map(DIMENSIONS.flatMap((dimension) => {
    const value = values[dimension];
    return value ? [[dimension, keyed(`risk.${dimension}`, value).toString('base64url')] as const] : [];
  }));
}

function factsOf({ draft, bin, at }: Payment): Facts {
  return {
    amount: Number(formatAmount(draft.amount, draft.currency)),
    currency: draft.currency,
    card_country: bin.country ?? '',
    card_type: bin.type,
    bin: bin.bin,
    ip: draft.location?.ip ?? '',
    ip_country: draft.location?.country ?? '',
    email: draft.client?.email ?? '',
    client_country: draft.client?.country ?? '',
    hour: BigInt(at.getUTCHours()),
  };
}
