// The tables of projects; no other file names them.
// Rule: every write begins with `versionNext`. It lets one writer in at a time and makes the change visible to other processes.
import { assert } from '../../base/index.ts';
import type { PricingPlan } from '../../ledger/index.ts';
import { type Change, type Db, directoryOf, insert, statementsFor, table, update } from '../../store/index.ts';
import type { ProjectSettings, Right, Terminal } from './settings.ts';

export interface ProjectRow {
  readonly id: bigint;
  readonly login: string;
  readonly name: string;
  readonly accounting_currency: string;
  readonly active: boolean;
  readonly settings: Partial<ProjectSettings>;
  readonly pricing: PricingPlan;
  readonly version: bigint;
  readonly created_at: Date;
}

export interface CredentialRow {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly label: string;
  readonly secret_hash: Buffer;
  readonly rights: readonly Right[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  /** Fingerprints of the client certificates that it is bound to; none: it opens without one. */
  readonly certificates: readonly string[];
}

export interface TerminalRow extends Terminal {
  readonly project_id: bigint;
  readonly position: number;
  readonly removed_at: Date | null;
}

const projects = table<ProjectRow>(
  'projects',
  {
    id: 'int8',
    login: 'text',
    name: 'text',
    accounting_currency: 'text',
    active: 'bool',
    settings: 'jsonb',
    pricing: 'jsonb',
    version: 'int8',
    created_at: 'timestamptz',
  },
  ['id'],
);

const credentials = table<CredentialRow>(
  'project_credentials',
  {
    project_id: 'int8',
    id: 'int8',
    label: 'text',
    secret_hash: 'bytea',
    rights: 'jsonb',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
    revoked_at: 'timestamptz',
    certificates: 'jsonb',
  },
  ['project_id', 'id'],
);

const terminals = table<TerminalRow>(
  'terminals',
  {
    project_id: 'int8',
    id: 'text',
    descriptor: 'text',
    currencies: 'jsonb',
    link: 'text',
    merchant_id: 'text',
    mcc: 'text',
    secure3d: 'text',
    multicapture: 'bool',
    cvv_must_match: 'bool',
    position: 'int4',
    removed_at: 'timestamptz',
  },
  ['project_id', 'id'],
);

/** Whose a row is of which somebody has only the id. */
export const projectOf = directoryOf('projects');

async function write(db: Db, ...changes: readonly Change[]): Promise<void> {
  for (const { text, values } of statementsFor(changes)) await db.query(text, values);
}

/** The version of the change that begins here. Other writers wait until this transaction ends. */
export async function versionNext(db: Db): Promise<bigint> {
  const [row] = await db.query<{ version: bigint }>(
    'update project_versions set version = version + 1 returning version',
  );
  assert(row, 'project_versions has its one row');
  return row.version;
}

export const projectInsert = (db: Db, row: ProjectRow): Promise<void> => write(db, insert(projects, row));
export const projectUpdate = (db: Db, row: ProjectRow): Promise<void> => write(db, update(projects, row));

export async function projectFind(db: Db, login: string): Promise<ProjectRow | null> {
  const [row] = await db.query<ProjectRow>('select * from projects where login = $1', [login]);
  return row ?? null;
}

/** In the order of their logins, those behind `after`. */
export const projectPage = (db: Db, after: string, limit: number): Promise<ProjectRow[]> =>
  db.query<ProjectRow>('select * from projects where login > $1 order by login limit $2', [after, limit]);

/** A project with all that belongs to it, as the directory keeps it. */
export interface AccountRow extends ProjectRow {
  readonly terminals: readonly (Terminal & { readonly removed: boolean })[];
  /** Without the revoked ones. `hash` in hexadecimal, `expires_at` as ISO time. */
  readonly credentials: readonly {
    readonly id: string;
    readonly hash: string;
    readonly rights: readonly Right[];
    readonly expires_at: string | null;
    readonly certificates: readonly string[];
  }[];
}

/** Every project that changed after `version`: one statement, so that a project and its parts are of one moment. */
export const accountsSince = (db: Db, version: bigint): Promise<AccountRow[]> =>
  db.query<AccountRow>(
    `select p.*,
       coalesce((select jsonb_agg(to_jsonb(t) - 'project_id' - 'position' - 'removed_at' || jsonb_build_object('removed', t.removed_at is not null)
         order by t.position, t.id) from terminals t where t.project_id = p.id), '[]') as terminals,
       coalesce((select jsonb_agg(jsonb_build_object('id', c.id::text, 'hash', encode(c.secret_hash, 'hex'), 'rights', c.rights, 'expires_at', c.expires_at,
         'certificates', c.certificates)
         order by c.id) from project_credentials c where c.project_id = p.id and c.revoked_at is null), '[]') as credentials
     from projects p where p.version > $1 order by p.version`,
    [version],
  );

export const credentialInsert = (db: Db, row: CredentialRow): Promise<void> => write(db, insert(credentials, row));
export const credentialUpdate = (db: Db, row: CredentialRow): Promise<void> => write(db, update(credentials, row));

export async function credentialFind(db: Db, project: bigint, id: bigint): Promise<CredentialRow | null> {
  const [row] = await db.query<CredentialRow>('select * from project_credentials where project_id = $1 and id = $2', [
    project,
    id,
  ]);
  return row ?? null;
}

/** The latest first. */
export const credentialsOf = (db: Db, project: bigint): Promise<CredentialRow[]> =>
  db.query<CredentialRow>('select * from project_credentials where project_id = $1 order by created_at desc, id desc', [
    project,
  ]);

export const terminalInsert = (db: Db, row: TerminalRow): Promise<void> => write(db, insert(terminals, row));
export const terminalUpdate = (db: Db, row: TerminalRow): Promise<void> => write(db, update(terminals, row));

/** In order of preference, with the removed ones. */
export const terminalsOf = (db: Db, project: bigint): Promise<TerminalRow[]> =>
  db.query<TerminalRow>('select * from terminals where project_id = $1 order by position, id', [project]);
