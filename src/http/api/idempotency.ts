// Idempotency keys: what a request with a key finds, and what is kept for its repeats. Owns idempotency_records (see queries.ts).
// Rule: an answer is kept by the commit that has the effect, and repeated to the byte.
import { addMs, type Clock } from '../../base/index.ts';
import type {
  Begun,
  Change,
  Db,
  Loaded,
  Need,
  Once,
  OnceRecords,
  Replay,
  StoredAnswer,
  Subject,
} from '../../store/index.ts';
import { Failure, invalid } from '../failure.ts';
import { pointerOf } from '../fields/index.ts';
import {
  type OnceKey,
  type OnceRecord,
  onceKind,
  recordInsert,
  recordRemove,
  recordsFind,
  recordUpdate,
} from './queries.ts';

/** HMAC under a key of its own for each purpose (the vault's). */
export type Keyed = (purpose: string, data: Buffer | string) => Buffer;

export interface OnceOptions {
  readonly keyed: Keyed;
  /** Request header that carries the key, lower case. */
  readonly header: string;
  readonly keepMs: number;
  /** What a key that was used for another request is: 422 or 409. */
  readonly reused: 'validation' | 'conflict';
}

export interface OnceScope {
  /** Owner of the record: first part of its primary key. */
  readonly owner: bigint;
  /** The credential, and anything else that separates who may meet whose keys (the API's name). */
  readonly credential: string;
  readonly method: string;
  /** Without trailing slash and query. */
  readonly path: string;
}

/**
 * A process that has died leaves its record running. No request takes this long, so after it a repeat is told what became of the
 * order instead of 409.
 */
const LONGEST_RUN_MS = 60_000;

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** The key in a request's raw header; null when there is none. Throws 400 when it is given twice or isn't 1 to 255 visible characters. */
export function onceKeyIn(rawHeaders: readonly string[], header: string): string | null {
  let key: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length !== header.length || name.toLowerCase() !== header) continue;
    const value = rawHeaders[i + 1] as string;
    if (key !== null || !VISIBLE.test(value)) {
      const message = `${header} must be given once, 1 to 255 visible characters`;
      const attribute = value.length > 255 ? 'maxLength' : 'format';
      throw new Failure('bad_request', { message, errors: [{ message, uri: pointerOf([header]), attribute }] });
    }
    key = value;
  }
  return key;
}

/** What the store needs to know about one request with a key. `request` is everything that makes it the same request again. */
export function onceFor(
  options: OnceOptions,
  scope: OnceScope,
  key: string,
  request: readonly (string | Buffer)[],
): Once {
  const { keyed, keepMs, reused } = options;
  const id: OnceKey = {
    owner_id: scope.owner,
    key_hash: keyed('idempotency.key', joined([scope.credential, scope.method, scope.path, key])).toString('hex'),
  };
  const fingerprint = keyed('idempotency.fingerprint', joined([scope.method, scope.path, ...request])).toString('hex');
  const need: Need = { kind: onceKind, key: id };
  let record: OnceRecord = {
    ...id,
    fingerprint,
    state: 'running',
    status: null,
    body: null,
    location: null,
    subject_type: null,
    subject_id: null,
    created_at: new Date(0),
    expires_at: new Date(0),
  };

  const replay = (loaded: Loaded, now: Date): Replay | null => {
    const found = loaded.get(onceKind, id);
    const begun = found && found.expires_at > now ? repeated(found, fingerprint, reused, now) : null;
    return begun && 'replay' in begun ? begun.replay : null;
  };
  const begin = (loaded: Loaded, now: Date, subject: Subject | null = null): Begun => {
    const found = loaded.get(onceKind, id);
    const live = found && found.expires_at > now ? found : null;
    if (live) return repeated(live, fingerprint, reused, now);
    record = {
      ...record,
      state: 'running',
      status: null,
      body: null,
      location: null,
      ...namesOf(subject),
      created_at: now,
      expires_at: addMs(now, keepMs),
    };
    // A record that is over but not purged yet still has its row.
    return { changes: [found ? recordUpdate(record) : recordInsert(record)] };
  };
  const forget = (): Change[] => {
    return [recordRemove(id)];
  };
  return {
    owner: scope.owner,
    need,
    key: id.key_hash,
    replay,
    begin,
    finish(answer) {
      if (!isKept(answer)) return forget();
      record = done(record, answer);
      return [recordUpdate(record)];
    },
    leaveUnresolved(subject) {
      record = { ...record, state: 'unresolved', ...namesOf(subject) };
      return [recordUpdate(record)];
    },
    forget,
  };
}

/** How long a form that was sent is known: longer than it may be sent. */
const FORM_KEPT_MS = 24 * 3_600_000;

/** A form of a page that is sent twice with the same content: the second is the first one's repeat, as with a key. */
export const onceForm = (keyed: Keyed, owner: bigint, form: string, content: readonly string[]): Once =>
  onceFor(
    { keyed, header: '', keepMs: FORM_KEPT_MS, reused: 'conflict' },
    { owner, credential: 'page', method: 'POST', path: '/pay' },
    joined([form, ...content]).toString('base64'),
    [],
  );

/** The answer to repeat, read without a lock; throws as `begin` does. */
export type OnceLookup = (once: Once) => Promise<Replay | null>;

/** Looks keys up before anything else is done for a request. What comes while one look is on its way is found by the next, all at once. */
export function onceLookup(db: Db, clock: Clock): OnceLookup {
  let waiting: { readonly once: Once; readonly found: PromiseWithResolvers<Loaded> }[] = [];
  let isLooking = false;

  /** Never rejects: each caller is told what concerns him. */
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const records = await recordsFind(
          db,
          group.map(({ once }) => once.need.key as OnceKey),
        );
        const loaded: Loaded = { get: (kind, key) => records.get(kind.keyText(key)) as never };
        for (const { found } of group) found.resolve(loaded);
      } catch (error) {
        for (const { found } of group) found.reject(error);
      }
    }
    isLooking = false;
  }

  return async (once) => {
    const found = Promise.withResolvers<Loaded>();
    waiting.push({ once, found });
    void look();
    return once.replay(await found.promise, clock.now());
  };
}

/** Each part behind its length, so that no two lists of parts are the same bytes. */
function joined(parts: readonly (string | Buffer)[]): Buffer {
  const chunks: Buffer[] = [];
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(bytes.length);
    chunks.push(length, bytes);
  }
  return Buffer.concat(chunks);
}

function repeated(found: OnceRecord, fingerprint: string, reused: OnceOptions['reused'], now: Date): Begun {
  if (found.fingerprint !== fingerprint) throw keyReused(reused);
  if (found.state === 'done') {
    return { replay: { ...keptBy(found), replayed: true } };
  }
  if (found.state === 'unresolved' || addMs(found.created_at, LONGEST_RUN_MS) <= now)
    return { unresolved: subjectOf(found) };
  throw new Failure('conflict', { retryAfterSeconds: 1 });
}

/** What a record is about, in its columns; and out of them. */
const namesOf = (subject: Subject | null) => ({ subject_type: subject?.type ?? null, subject_id: subject?.id ?? null });
const subjectOf = ({ subject_type: type, subject_id: id }: OnceRecord): Subject | null =>
  type === null || id === null ? null : { type, id };

const keyReused = (kind: OnceOptions['reused']): Failure =>
  kind === 'conflict'
    ? new Failure('conflict', { message: 'The idempotency key was used for another request' })
    : invalid({
        message: 'The idempotency key was used for another request',
        uri: '#/',
        attribute: 'idempotency',
        details: ['a new key for a new request'],
      });

/** Effects, declines, rejections and settled errors are kept; what may turn out otherwise next time is not. */
const isKept = ({ status, effective }: StoredAnswer): boolean =>
  effective === true || (status >= 200 && status < 300) || status === 402 || status === 500;

const done = (record: OnceRecord, { status, body, location }: StoredAnswer): OnceRecord => ({
  ...record,
  state: 'done',
  status,
  body,
  location,
});

const keptBy = ({ status, body, location }: OnceRecord): StoredAnswer => ({
  status: status as number,
  body: body ?? '',
  location,
});

/** The records for those who have only the key of one: recovery workers. */
export const onceRecords: OnceRecords = {
  need: (owner, key) => ({ kind: onceKind, key: { owner_id: owner, key_hash: key } }),
  answer: (loaded, owner, key) => {
    const record = loaded.get(onceKind, { owner_id: owner, key_hash: key });
    return record?.state === 'done' ? keptBy(record) : null;
  },
  finish: (loaded, owner, key, answer) => {
    const record = loaded.get(onceKind, { owner_id: owner, key_hash: key });
    if (!record || record.state === 'done') return [];
    return [isKept(answer) ? recordUpdate(done(record, answer)) : recordRemove(record)];
  },
  leaveUnresolved: (loaded, owner, key, subject) => {
    const record = loaded.get(onceKind, { owner_id: owner, key_hash: key });
    return record?.state === 'running' ? [recordUpdate({ ...record, state: 'unresolved', ...namesOf(subject) })] : [];
  },
};
