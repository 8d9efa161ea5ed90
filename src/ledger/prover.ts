// Proves the invariants. What groups have touched since it was proved is looked at quickly; each owner's whole history in slices beside the
// load. Rule: nothing counts as proved before it was looked at, and what was found wrong stays so until it is proved right.
import { addMs, type Clock, type Log } from '../base/index.ts';
import {
  type Database,
  groupsProved,
  type UnprovedGroup,
  unprovedCount,
  unprovedGroups,
  unprovedOwners,
} from '../store/index.ts';
import { type Asked, type Auditor, type Invariant, LAST, MOST_SHOWN, type Scope, violations } from './invariant.ts';
import {
  type Coverage,
  type OwnerProof,
  ownerAfter,
  proofAdvance,
  proofBegin,
  proofCoverage,
  proofDue,
  proofEnd,
  proofLocked,
  proofMeet,
  proofOf,
  type Red,
  redCount,
  redList,
  redPut,
  redRemove,
  sliceEnd,
} from './proof-queries.ts';
import { sumsAdd, sumsForget, sumsOfSlice } from './sum-queries.ts';

/** An invariant with what breaks it, at most a hundred. */
export interface Checked {
  readonly id: string;
  readonly ok: boolean;
  readonly violations: readonly object[];
}

/** What a proof has looked at, and what it relies on. */
export interface Covered extends Omit<Coverage, 'under_way'> {
  /** Orders, authorizations, instruments and cards that were changed and looked at now. */
  readonly lookedAt: number;
  /** Groups that are committed and not looked at yet. */
  readonly waiting: bigint;
  /** Owners whose history is being proved. */
  readonly underWay: bigint;
}

export interface Proof {
  readonly checks: readonly Checked[];
  readonly covered: Covered;
}

export interface Prover {
  /** What has changed since it was proved, what was found wrong before, and what is open now. */
  quick(): Promise<Proof>;
  /** The whole history of everybody, from the beginning and in one go. */
  full(): Promise<Proof>;
  /** How much was found wrong and not right since. */
  violated(): Promise<bigint>;
  /** How many groups nobody has looked at. */
  unproved(): Promise<bigint>;
  /** A chore: what has changed since it was proved. */
  changed(signal: AbortSignal): Promise<void>;
  /** A chore: each owner's whole history once a day, beside the load. */
  slices(signal: AbortSignal): Promise<void>;
}

export interface ProverOptions {
  readonly database: Database;
  /** Business time. */
  readonly clock: Clock;
  /** Real time. */
  readonly time: Clock;
  readonly log: Log;
  readonly auditors: readonly Auditor[];
  /** Rows of a slice, in the table that has most of them. */
  readonly rows?: number;
  /** How long the quick proof goes on looking at what has changed, milliseconds. */
  readonly patienceMs?: number;
}

const DAY_MS = 86_400_000;
const SLICE_ROWS = 10_000;
const PATIENCE_MS = 10_000;
/** Of one look: groups, and ids that they touched. */
const MOST_GROUPS = 500;
const MOST_IDS = 5000;
/** Where it has changed, the older rows of a subject that has more than this are left to the full proof. */
const CHANGED_MOST = 500n;
/** What was found wrong, asked again by one proof. */
const MOST_REDS = 200;
/** Beside the load: three quarters of the time nothing is proved. */
const REST = 3;

/** Before it goes on: nothing, or a rest in proportion. False: it shall stop. */
type Pace = (tookMs: number) => Promise<boolean>;

/** Long: the steps of a proof, on one database with one set of invariants. */
export function createProver(options: ProverOptions): Prover {
  const { database, clock, time, log, auditors, rows = SLICE_ROWS, patienceMs = PATIENCE_MS } = options;
  const db = database.patient;
  const invariants = auditors.flatMap((auditor) => auditor.invariants);
  const walks = auditors.flatMap((auditor) => auditor.walks);
  const named = new Map(invariants.map((invariant) => [invariant.id, invariant]));
  const of = (...kinds: Invariant['of'][]): Invariant[] => invariants.filter((one) => kinds.includes(one.of));

  async function ask(which: readonly Invariant[], asked: Omit<Asked, 'now'>): Promise<void> {
    for (const invariant of which) {
      const found = await violations(db, invariant, { ...asked, now: clock.now() });
      for (const scope of scopesOf(invariant, asked.scope, found)) await red(invariant, asked.owner, scope);
    }
  }

  async function red({ id }: Invariant, owner: bigint, scope: Scope): Promise<void> {
    const row = { owner_id: owner, invariant: id, scope: scopeText(scope), found_at: time.now() };
    if (await redPut(db, row)) log.error({ invariant: id, owner: owner.toString() }, 'an invariant is violated');
  }

  /**
   * What groups have touched and nobody has looked at since; how many ids. One look an owner and round: whose groups never end keeps nobody
   * waiting.
   */
  async function changes(goOn: Pace): Promise<number> {
    let lookedAt = 0;
    for (let owners = await unprovedOwners(db); owners.length > 0; ) {
      const others: bigint[] = [];
      for (const owner of owners) {
        const began = time.elapsed();
        const { ids, all } = await look(owner);
        lookedAt += ids;
        if (!all) others.push(owner);
        if (!(await goOn(time.elapsed() - began))) return lookedAt;
      }
      owners = others;
    }
    return lookedAt;
  }

  /** How many ids were looked at, and whether that was all. */
  async function look(owner: bigint): Promise<{ readonly ids: number; readonly all: boolean }> {
    await meet(owner);
    const found = await unprovedGroups(db, owner, MOST_GROUPS);
    const groups = atMost(found);
    const ids = [...new Set(groups.flatMap(({ subjects }) => subjects))];
    if (ids.length > 0) await ask(of('subject', 'owner'), { owner, scope: { ids }, most: CHANGED_MOST });
    await proved(owner, groups);
    return { ids: ids.length, all: groups.length === found.length && found.length < MOST_GROUPS };
  }

  /** An owner whose history is no longer than a slice need not wait for its turn to be proved in full once. */
  async function meet(owner: bigint): Promise<void> {
    await proofMeet(db, owner);
    const proof = await proofOf(db, owner);
    if (proof?.proved_run !== null || proof.cursor !== null) return;
    if ((await sliceEnd(db, walks, { owner, after: -1n, rows })) !== null) return;
    await begin(owner);
    await historyOf(owner, async () => true);
  }

  /** They are not unproved any more; their postings are in the sums instead, in one transaction. */
  async function proved(owner: bigint, groups: readonly UnprovedGroup[]): Promise<void> {
    await database.transaction(async (transaction) => {
      const proof = await proofLocked(transaction, owner);
      const mine = await groupsProved(
        transaction,
        owner,
        groups.map(({ id }) => id),
      );
      const entries = groups.filter(({ id }) => mine.has(id)).flatMap((group) => group.entries);
      if (!proof || entries.length === 0) return;
      const { run, cursor, proved_run } = proof;
      if (proved_run !== null) await sumsAdd(transaction, owner, { run: proved_run, upto: LAST, entries });
      // The run under way meets the others in their slice.
      if (cursor !== null && run !== proved_run) await sumsAdd(transaction, owner, { run, upto: cursor, entries });
    });
  }

  /** One step of a full proof; true: it has ended. */
  async function step(proof: OwnerProof): Promise<boolean> {
    const { owner_id: owner, run, cursor } = proof;
    if (cursor === null) return true;
    if (cursor < LAST) {
      const after = cursor;
      const upto = (await sliceEnd(db, walks, { owner, after, rows })) ?? LAST;
      await ask(of('subject'), { owner, scope: { after, upto } });
      await database.transaction(async (transaction) => {
        const now = await proofLocked(transaction, owner);
        if (now?.run !== run || now.cursor !== after) return;
        await sumsOfSlice(transaction, owner, { run, after, upto });
        await proofAdvance(transaction, proof, upto, upto === LAST);
      });
      return false;
    }
    await ask(of('owner'), { owner, scope: { whole: true } });
    await proofEnd(db, proof, time.now());
    await sumsForget(db, owner, run);
    return true;
  }

  /** From the first id to the last; false: it had to stop on the way. */
  async function historyOf(owner: bigint, goOn: Pace): Promise<boolean> {
    for (;;) {
      const began = time.elapsed();
      const proof = await proofOf(db, owner);
      if (!proof || (await step(proof))) return true;
      if (!(await goOn(time.elapsed() - began))) return false;
    }
  }

  async function begin(owner: bigint): Promise<void> {
    await proofMeet(db, owner);
    await proofBegin(db, owner, time.now());
  }

  async function* owners(): AsyncGenerator<bigint> {
    for (let owner = await ownerAfter(db, walks, -1n); owner !== null; owner = await ownerAfter(db, walks, owner))
      yield owner;
  }

  async function quick(): Promise<Proof> {
    const until = time.elapsed() + patienceMs;
    const lookedAt = await changes(async () => time.elapsed() < until);
    const found = await askReds();
    for (const invariant of of('moment')) {
      const asked = { owner: 0n, now: clock.now(), scope: { whole: true } } as const;
      add(found, invariant.id, await violations(db, invariant, asked));
    }
    const { under_way: underWay, ...coverage } = await proofCoverage(db);
    return {
      checks: invariants.map(({ id }) => {
        const those = found.get(id) ?? [];
        return { id, ok: those.length === 0, violations: those.slice(0, MOST_SHOWN) };
      }),
      covered: { lookedAt, waiting: await unprovedCount(db), underWay, ...coverage },
    };
  }

  /** What was found wrong is asked again: what breaks it now, by invariant. */
  async function askReds(): Promise<Map<string, object[]>> {
    const found = new Map<string, object[]>();
    const reds = await redList(db, MOST_REDS + 1);
    for (const [i, row] of reds.entries()) {
      const { owner_id: owner, invariant: id, scope } = row;
      const invariant = named.get(id);
      // Of a half that is not open here nothing can be said.
      if (!invariant) continue;
      const shown = i < MOST_REDS ? await askRed(invariant, row) : [{ scope }];
      add(
        found,
        id,
        shown.map((violation) => ({ owner, ...violation })),
      );
    }
    return found;
  }

  async function askRed(invariant: Invariant, row: Red): Promise<object[]> {
    const asked = { owner: row.owner_id, now: clock.now(), scope: scopeOf(row.scope) };
    const found = await violations(db, invariant, asked);
    if (found.length === 0) await redRemove(db, row);
    return found;
  }

  /** Rests in proportion to what it did, until the signal. */
  const beside =
    (signal: AbortSignal): Pace =>
    async (tookMs) => {
      await time.sleep(tookMs * REST, signal).catch(() => undefined);
      return !signal.aborted;
    };

  return {
    quick,
    async full() {
      for await (const owner of owners()) {
        await begin(owner);
        await historyOf(owner, async () => true);
      }
      return quick();
    },
    violated: () => redCount(database),
    unproved: () => unprovedCount(database),
    async changed(signal) {
      await changes(beside(signal));
    },
    async slices(signal) {
      for await (const owner of owners()) await proofMeet(db, owner);
      while (!signal.aborted) {
        const due = await proofDue(db, addMs(time.now(), -DAY_MS));
        if (!due) return;
        if (due.cursor === null) await begin(due.owner_id);
        await historyOf(due.owner_id, beside(signal));
      }
    },
  };
}

function add(found: Map<string, object[]>, id: string, those: readonly object[]): void {
  if (those.length > 0) found.set(id, [...(found.get(id) ?? []), ...those]);
}

/** As many groups as touched so many ids, at least one. */
function atMost(groups: readonly UnprovedGroup[]): readonly UnprovedGroup[] {
  let ids = 0;
  const end = groups.findIndex(({ subjects }) => (ids += subjects.length) > MOST_IDS);
  return end === -1 ? groups : groups.slice(0, end + 1);
}

/** What is to be asked again until it is right: each wrong subject; where there may be more of them than were shown, all that was asked. */
function scopesOf(invariant: Invariant, asked: Scope, found: readonly Record<string, unknown>[]): Scope[] {
  if (found.length === 0) return [];
  if (invariant.of === 'owner') return [{ whole: true }];
  if (found.length === MOST_SHOWN) return [asked];
  return [...new Set(found.map(({ subject }) => subject as bigint))].map((id) => ({ ids: [id] }));
}

const scopeText = (scope: Scope): string =>
  JSON.stringify(scope, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));

function scopeOf(text: string): Scope {
  const read = JSON.parse(text) as { ids?: string[]; after?: string; upto?: string };
  if (read.ids) return { ids: read.ids.map(BigInt) };
  return read.upto ? { after: BigInt(read.after as string), upto: BigInt(read.upto) } : { whole: true };
}
