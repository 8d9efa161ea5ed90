// Projects in memory: a request finds its project and is authenticated without a query.
// Rule: whoever asks with a wrong secret meets the same work as with an unknown login, and whatever this process committed is
// seen by the next request; what another process committed, by a request two seconds later.
import { timingSafeEqual } from 'node:crypto';
import { assert, type Clock, type Log, opensTo } from '../../base/index.ts';
import { type Db, kept } from '../../store/index.ts';
import { secretHash } from './credentials.ts';
import type { Keyed } from './manage.ts';
import { type AccountRow, accountsSince } from './queries.ts';
import { type Credential, defaultSettings, type Project } from './settings.ts';

export interface ProjectsOptions {
  readonly database: Db;
  readonly keyed: Keyed;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Projects {
  /**
   * The credential behind login and secret; null: unknown login, wrong, expired or revoked secret, inactive project, a credential that is
   * bound to other certificates than the one that was shown.
   */
  authenticate(login: string, password: string, certificate?: string | null): Promise<Credential | null>;
  byId(id: bigint): Promise<Project | null>;
  /** The login of a project that was asked for before, from memory as it stands. */
  nameOf(id: bigint): string;
  byLogin(login: string): Promise<Project | null>;
  /** Every project, by login. */
  all(): Promise<readonly Project[]>;
  /** What was committed before this call is in force here when it resolves, or at the latest when memory is read next. */
  refresh(): Promise<void>;
}

interface Candidate {
  readonly hash: Buffer;
  readonly expiresAt: Date | null;
  readonly certificates: readonly string[];
  /** null: compared for the sake of the time it takes. */
  readonly credential: Credential | null;
}

interface Account {
  readonly project: Project;
  readonly version: bigint;
  /** Never empty. */
  readonly candidates: readonly Candidate[];
}

const DECOY: readonly Candidate[] = [{ hash: Buffer.alloc(32), expiresAt: null, certificates: [], credential: null }];

/** The accounts as they are known here; each look waits for memory only where it is stale. */
interface Memory {
  byLogin(login: string): Promise<Account | null>;
  byId(id: bigint): Promise<Account | null>;
  known(id: bigint): Account | undefined;
  all(): Promise<Account[]>;
  refresh(): Promise<void>;
}

function accountsInMemory({ database, clock, log }: ProjectsOptions): Memory {
  const byId = new Map<bigint, Account>();
  const byLogin = new Map<string, Account>();
  let version = 0n;

  const { fresh, look, refresh } = kept(
    'projects',
    async () => {
      for (const row of await accountsSince(database, version)) {
        const account = accountFrom(row);
        byId.set(row.id, account);
        byLogin.set(row.login, account);
        version = row.version;
      }
    },
    { clock, log },
  );

  return {
    async byLogin(login) {
      await fresh();
      return byLogin.get(login) ?? null;
    },
    async byId(id) {
      await fresh();
      // What another process has just made may turn up here in an order's row before this process looked.
      if (!byId.has(id)) await look();
      return byId.get(id) ?? null;
    },
    known: (id) => byId.get(id),
    async all() {
      await fresh();
      return [...byId.values()];
    },
    refresh,
  };
}

export function createProjects(options: ProjectsOptions): Projects {
  const { keyed, clock } = options;
  const accounts = accountsInMemory(options);
  return {
    async authenticate(login, password, certificate = null) {
      const account = await accounts.byLogin(login);
      const given = secretHash(keyed, account?.project.id ?? 0n, password);
      const now = clock.now();
      let found: Credential | null = null;
      for (const { hash, expiresAt, certificates, credential } of account?.candidates ?? DECOY) {
        const valid = timingSafeEqual(given, hash) && (expiresAt === null || expiresAt > now);
        if (valid && opensTo(certificates, certificate)) found = credential;
      }
      return found;
    },
    async byId(id) {
      return (await accounts.byId(id))?.project ?? null;
    },
    nameOf(id) {
      const account = accounts.known(id);
      assert(account, 'a project that nobody has asked for');
      return account.project.login;
    },
    async byLogin(login) {
      return (await accounts.byLogin(login))?.project ?? null;
    },
    async all() {
      return (await accounts.all()).map(({ project }) => project).sort((a, b) => (a.login < b.login ? -1 : 1));
    },
    refresh: accounts.refresh,
  };
}

function accountFrom(row: AccountRow): Account {
  const project: Project = {
    id: row.id,
    login: row.login,
    name: row.name,
    accounting_currency: row.accounting_currency,
    active: row.active,
    settings: { ...defaultSettings, ...row.settings },
    pricing: row.pricing,
    // A removed terminal takes no new order, and goes on carrying those it has.
    terminals: row.terminals.map(({ removed, ...terminal }) => (removed ? { ...terminal, currencies: [] } : terminal)),
  };
  const candidates = row.credentials.map(({ id, hash, rights, expires_at, certificates }) => ({
    hash: Buffer.from(hash, 'hex'),
    expiresAt: expires_at === null ? null : new Date(expires_at),
    certificates,
    credential: { id: BigInt(id), project, rights },
  }));
  return { project, version: row.version, candidates: row.active && candidates.length > 0 ? candidates : DECOY };
}

/** In whose chain of the audit log a change of the project is told; null: no project of this login is known. */
export const ownerNamed = (projects: Pick<Projects, 'byLogin'>, login: string) => async (): Promise<bigint | null> =>
  (await projects.byLogin(login))?.id ?? null;
