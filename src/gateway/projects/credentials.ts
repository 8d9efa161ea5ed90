// Credentials: secrets of 256 bits made here, told once, kept as keyed hashes. Several of a project are valid at once, so that
// a secret can be changed without an interruption. Rule: no secret is stored, logged or told a second time.
import { addMs, assert, MOST_CERTIFICATES } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import {
  integer,
  listOf,
  matching,
  oneOf,
  problemsOf,
  projectRefusal,
  readable,
  refuseProblems,
  type ValueRule,
} from './errors.ts';
import { type Keyed, projectChanging, type Tools } from './manage.ts';
import {
  type CredentialRow,
  credentialFind,
  credentialInsert,
  credentialsOf,
  credentialUpdate,
  type ProjectRow,
} from './queries.ts';
import type { Right } from './settings.ts';

/** The project is part of it, so that a row put under another project opens nothing. */
export const secretHash = (keyed: Keyed, project: bigint, secret: string): Buffer =>
  keyed('credential', `${project}/${secret}`);

/** What a shop needs to take payments. Endpoints take its data elsewhere: that right is given by itself. */
export const PAYMENT_RIGHTS = ['read', 'create', 'capture', 'refund', 'payout'] as const satisfies readonly Right[];
export const ALL_RIGHTS = [...PAYMENT_RIGHTS, 'webhooks'] as const satisfies readonly Right[];

/** Every valid one is compared in each request. */
const MOST_VALID = 20;
export const LONGEST_OVERLAP_MS = 30 * 86_400_000;

const rules: Readonly<Record<string, ValueRule>> = {
  label: readable(64),
  rights: listOf(oneOf(...ALL_RIGHTS), 1, ALL_RIGHTS.length),
  certificates: listOf(matching(/^[0-9a-f]{64}$/, 'a SHA-256 fingerprint in hexadecimal'), 0, MOST_CERTIFICATES),
};

export interface CredentialInput {
  /** For people: which program holds it. */
  readonly label: string;
  readonly rights: readonly Right[];
  /** Fingerprints of the client certificates that it is bound to; none: it opens without one. */
  readonly certificates?: readonly string[] | undefined;
}

/** A credential as operators see it; `secret` stands in the answer that made it and nowhere else. */
export interface CredentialView {
  readonly id: bigint;
  readonly label: string;
  readonly rights: readonly Right[];
  readonly certificates: readonly string[];
  readonly state: 'valid' | 'expired' | 'revoked';
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

export interface NewCredential extends CredentialView {
  readonly secret: string;
}

/** A new credential. Refusals: project_unknown, invalid, credentials_full. */
export async function credentialCreate(
  db: Db,
  tools: Tools,
  login: string,
  input: CredentialInput,
): Promise<NewCredential> {
  refuseProblems(problemsOf(rules, { ...input }));
  const project = await projectChanging(db, login);
  await refuseFull(db, tools, project);
  return issue(db, tools, project, input);
}

/**
 * A new secret with the rights and certificates of an old one, which stays valid for `overlapMs` more and never longer than it was.
 * Refusals: project_unknown, credential_unknown, credential_ended, invalid, credentials_full.
 */
export async function credentialRotate(
  db: Db,
  tools: Tools,
  login: string,
  id: bigint,
  overlapMs: number,
): Promise<NewCredential> {
  refuseProblems(
    problemsOf(
      { overlap: { ...integer(0, LONGEST_OVERLAP_MS), says: 'a duration of at most 30 days' } },
      { overlap: overlapMs },
    ),
  );
  const project = await projectChanging(db, login);
  const old = await credentialOf(db, project, id);
  const now = tools.clock.now();
  if (stateOf(old, now) !== 'valid') throw projectRefusal('credential_ended');
  await refuseFull(db, tools, project);
  const end = addMs(now, overlapMs);
  await credentialUpdate(db, { ...old, expires_at: old.expires_at && old.expires_at < end ? old.expires_at : end });
  return issue(db, tools, project, old);
}

/** The credential is refused from now on; doing it again changes nothing. Refusals: project_unknown, credential_unknown. */
export async function credentialRevoke(db: Db, tools: Tools, login: string, id: bigint): Promise<CredentialView> {
  const project = await projectChanging(db, login);
  const old = await credentialOf(db, project, id);
  const now = tools.clock.now();
  const row = { ...old, revoked_at: old.revoked_at ?? now };
  await credentialUpdate(db, row);
  return viewOf(row, now);
}

/**
 * Binds a valid credential to these certificates and no others; to none: it opens without one. Refusals: project_unknown,
 * credential_unknown, credential_ended, invalid.
 */
export async function credentialBind(
  db: Db,
  tools: Tools,
  login: string,
  id: bigint,
  certificates: readonly string[],
): Promise<CredentialView> {
  refuseProblems(problemsOf(rules, { certificates }));
  const project = await projectChanging(db, login);
  const old = await credentialOf(db, project, id);
  const now = tools.clock.now();
  if (stateOf(old, now) !== 'valid') throw projectRefusal('credential_ended');
  const row = { ...old, certificates };
  await credentialUpdate(db, row);
  return viewOf(row, now);
}

/** Every credential a project ever had, the latest first. */
export async function credentialList(db: Db, tools: Tools, project: bigint): Promise<CredentialView[]> {
  const now = tools.clock.now();
  return (await credentialsOf(db, project)).map((row) => viewOf(row, now));
}

/** Stores a credential and tells its secret; a given one only in the sandbox. */
export async function issue(
  db: Db,
  { clock, ids, random, keyed }: Tools,
  project: Pick<ProjectRow, 'id'>,
  { label, rights, certificates = [] }: CredentialInput,
  secret = `florin_${random.bytes(32).toString('base64url')}`,
): Promise<NewCredential> {
  const now = clock.now();
  const row: CredentialRow = {
    project_id: project.id,
    id: ids.next(),
    label,
    secret_hash: secretHash(keyed, project.id, secret),
    rights,
    created_at: now,
    expires_at: null,
    revoked_at: null,
    certificates,
  };
  assert(row.secret_hash.length === 32, 'a keyed hash has 32 bytes');
  await credentialInsert(db, row);
  return { ...viewOf(row, now), secret };
}

async function credentialOf(db: Db, project: ProjectRow, id: bigint): Promise<CredentialRow> {
  const row = await credentialFind(db, project.id, id);
  if (!row) throw projectRefusal('credential_unknown');
  return row;
}

async function refuseFull(db: Db, { clock }: Tools, project: ProjectRow): Promise<void> {
  const now = clock.now();
  const valid = (await credentialsOf(db, project.id)).filter((row) => stateOf(row, now) === 'valid');
  if (valid.length >= MOST_VALID) throw projectRefusal('credentials_full');
}

function stateOf({ revoked_at, expires_at }: CredentialRow, now: Date): CredentialView['state'] {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= now ? 'expired' : 'valid';
}

const viewOf = (row: CredentialRow, now: Date): CredentialView => ({
  id: row.id,
  label: row.label,
  rights: row.rights,
  certificates: row.certificates,
  state: stateOf(row, now),
  created_at: row.created_at,
  expires_at: row.expires_at,
  revoked_at: row.revoked_at,
});
