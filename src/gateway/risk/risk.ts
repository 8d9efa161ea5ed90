// Risk as the use cases of orders ask it: rules from memory, counters from the database, a verdict and the rows to commit with it.
// Rule: nothing is written here. Whoever asks commits the changes with the order, also when it is refused.
import type { Clock, IdMaker, Log } from '../../base/index.ts';
import type { Change, Db, Transaction } from '../../store/index.ts';
import { type Answer, liveTesting, sandboxTesting } from './card-testing.ts';
import { count, counterReader, loadCounters, purgeCounters } from './counters.ts';
import { accountingMinorOf, DIMENSIONS, hasVisitor, type Keyed, type Keys, keysOf, type Payment } from './facts.ts';
import { type RiskEvent, type RiskRule, riskEventInsert, riskEventsOf, rulesAll, rulesOf } from './queries.ts';
import { type RiskRuleInput, type RuleProblem, riskRulePut, riskRuleRemove } from './rules.ts';
import { assess, compileRules, NO_RULES, type Ruleset, type Verdict } from './ruleset.ts';

export interface Assessment extends Verdict {
  /** Counters and findings, for the order's commit. */
  readonly changes: readonly Change[];
}

export interface Risk {
  /** May this payment go to the issuer? Costs nothing for a project without rules and without the card-testing defence. */
  assess(payment: Payment): Promise<Assessment>;
  /** What the issuer's answer adds to the counters, for the commit that settles the authorization. */
  recordOutcome(payment: Payment, answer: Answer): readonly Change[];
  list(project: { readonly id: bigint }): Promise<RiskRule[]>;
  /** The rule as it is stored, or all that is wrong with it. In force once the transaction is committed: here by `reread`, elsewhere within seconds. */
  put(
    db: Transaction,
    rule: RiskRuleInput,
  ): Promise<{ readonly rule: RiskRule } | { readonly problems: readonly RuleProblem[] }>;
  /** False: there was no such rule. */
  remove(db: Transaction, project: { readonly id: bigint }, id: string): Promise<boolean>;
  /** What was committed of the project's rules is in force here. */
  reread(project: { readonly id: bigint }): Promise<void>;
  /** What was found on an order, also what ran dry. */
  findings(project: { readonly id: bigint }, orderId: bigint): Promise<RiskEvent[]>;
  /** Reads every project's rules anew. */
  refresh(): Promise<void>;
  /** Deletes counters that no window reaches. To be run every hour or so. */
  purge(now: Date): Promise<void>;
}

export interface RiskOptions {
  readonly db: Db;
  /** Reads the counters; by default `db`. */
  readonly prepared?: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly keyed: Keyed;
  readonly log?: Log;
  /** The card-testing defence only refuses a crowd of failed cards. */
  readonly sandbox?: boolean;
}

/** Another process's change of a rule is in force here after at most this. */
const REREAD_MS = 10_000;

interface Held {
  /** The rules as they were read: unchanged ones are not compiled again. */
  readonly text: string;
  readonly ruleset: Ruleset;
  readonly readAt: number;
}

interface RulesInMemory {
  /** As they are in force; read anew when they are old. */
  of(owner: bigint): Promise<Ruleset>;
  /** Reads one owner's rules anew. */
  reread(owner: bigint): Promise<void>;
  /** Reads every owner's rules anew. */
  refresh(): Promise<void>;
}

function rulesInMemory({ db, clock, log }: RiskOptions): RulesInMemory {
  const held = new Map<bigint, Held>();

  function hold(owner: bigint, rules: readonly RiskRule[]): Ruleset {
    const active = rules.filter((rule) => rule.active);
    const text = JSON.stringify(active.map(({ project_id: _, ...rule }) => rule));
    const known = held.get(owner);
    const ruleset = known?.text === text ? known.ruleset : compiled(owner, active);
    held.set(owner, { text, ruleset, readAt: clock.elapsed() });
    return ruleset;
  }

  function compiled(owner: bigint, rules: readonly RiskRule[]): Ruleset {
    if (rules.length === 0) return NO_RULES;
    const { ruleset, faults } = compileRules(rules);
    // Stored rules did compile when they were saved: only a newer Florin with stricter expressions comes here.
    for (const { ruleId } of faults)
      log?.error({ project: owner.toString(), rule: ruleId }, 'a stored fraud rule is not valid and is left out');
    return ruleset;
  }

  async function refresh(): Promise<void> {
    const byOwner = new Map<bigint, RiskRule[]>();
    for (const rule of await rulesAll(db))
      byOwner.set(rule.project_id, [...(byOwner.get(rule.project_id) ?? []), rule]);
    for (const owner of held.keys()) if (!byOwner.has(owner)) held.delete(owner);
    for (const [owner, rules] of byOwner) hold(owner, rules);
  }

  async function of(owner: bigint): Promise<Ruleset> {
    const known = held.get(owner);
    if (known && clock.elapsed() - known.readAt < REREAD_MS) return known.ruleset;
    return hold(owner, await rulesOf(db, owner));
  }

  return {
    of,
    refresh,
    async reread(owner) {
      hold(owner, await rulesOf(db, owner));
    },
  };
}

export async function createRisk(options: RiskOptions): Promise<Risk> {
  const { db, prepared = db, clock, ids, keyed, sandbox = false } = options;
  const testing = sandbox ? sandboxTesting : liveTesting;
  const rules = rulesInMemory(options);
  const readCounters = counterReader(prepared);
  await rules.refresh();
  return {
    async assess(payment) {
      const { id: owner, settings } = payment.project;
      const ruleset = await rules.of(owner);
      if (ruleset.rules.length === 0 && !settings.card_testing) return { ...NOTHING_ASKED };
      const keys = keysOf(payment, keyed);
      const windows = [...ruleset.windows, ...(settings.card_testing ? testing.windows : [])];
      const counters = await loadCounters(readCounters, owner, keys, windows, payment.at);
      const verdict = assess(ruleset, testing, payment, keys, counters);
      return {
        ...verdict,
        changes: [
          ...countersFor(ruleset, payment, keys),
          ...(settings.card_testing
            ? testing.tried(owner, keys, counters, { visitor: hasVisitor(payment), held: verdict.held }, payment.at)
            : []),
          ...findingsOf(payment, verdict, ids),
        ],
      };
    },
    recordOutcome(payment, answer) {
      const { project, at } = payment;
      return project.settings.card_testing
        ? testing.answered(project.id, keysOf(payment, keyed), answer, hasVisitor(payment), at)
        : [];
    },
    list: (project) => rulesOf(db, project.id),
    put: (inside, rule) => riskRulePut({ database: inside, clock }, rule),
    remove: (inside, project, id) => riskRuleRemove(inside, project.id, id),
    reread: ({ id }) => rules.reread(id),
    findings: (project, orderId) => riskEventsOf(db, project.id, orderId),
    refresh: rules.refresh,
    purge: (now) => purgeCounters(db, now),
  };
}

const NOTHING_ASKED: Assessment = {
  verdict: 'pass',
  class: null,
  ruleId: null,
  matched: [],
  held: false,
  explanation: null,
  changes: [],
};

/** What the payment adds to the counters of the project's rules: the amount in accounting currency, where it is known. */
export function countersFor(ruleset: Ruleset, payment: Payment, keys: Keys): Change[] {
  const amounts = { count: 1n, sum: accountingMinorOf(payment) ?? 0n };
  return DIMENSIONS.flatMap((dimension) =>
    count(payment.project.id, keys, ruleset.windows, dimension, amounts, payment.at),
  );
}

/** One row for everything that matched or failed. */
function findingsOf({ project, orderId, at }: Payment, { matched }: Verdict, ids: IdMaker): Change[] {
  return matched.map(({ ruleId, class: of, action, dryRun }) =>
    riskEventInsert({
      project_id: project.id,
      id: ids.next(),
      order_id: orderId,
      rule_id: ruleId,
      class: of,
      action,
      dry_run: dryRun,
      created_at: at,
    }),
  );
}
