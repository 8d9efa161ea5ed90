// An endpoint: where an owner wants its events sent, how they are signed, which it is told. Values and what follows from them alone.
// Rule: no key stands here, only the number of its generation; the keys are derived from the vault.
import { addMs } from '../../base/index.ts';
import { type EventType, type OwnerType, typesFor } from '../log/index.ts';

export const PAYLOADS = ['full', 'thin'] as const;
export const SIGNATURES = ['hmac', 'ed25519', 'both'] as const;

/** A key that signs. `until`: replaced, and over from then on, as ISO time. */
export interface Generation {
  readonly generation: number;
  readonly until?: string;
}

export interface Endpoint {
  readonly owner_id: bigint;
  readonly id: bigint;
  /** 1 to 16: its place among those of its owner. */
  readonly slot: number;
  readonly owner_type: OwnerType;
  readonly url: string;
  readonly description: string;
  /** As given: names of types, `order.*`, `*`. */
  readonly types: readonly string[];
  readonly enabled: boolean;
  /** Why it is not; null: it is. */
  readonly disabled_reason: DisabledReason | null;
  readonly payload: (typeof PAYLOADS)[number];
  readonly signature: (typeof SIGNATURES)[number];
  /** Of the events as it gets them, and of the types that its wildcards mean. */
  readonly version: string;
  /** Messages under way at once, at most. */
  readonly concurrency: number;
  /** A message that failed holds the next of its resource. */
  readonly ordered: boolean;
  /** The newest first. */
  readonly keys: readonly Generation[];
  /** Its own, told to others. */
  readonly events: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** asked: by who may. gone: its receiver said so. given_up: an event has used all of its tries. legacy: nobody has its key yet. */
export const DISABLED_REASONS = ['asked', 'gone', 'given_up', 'legacy', 'removed'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const MOST_ENDPOINTS = 16;
export const MOST_CONCURRENCY = 64;
export const MOST_OVERLAP_S = 7 * 86_400;
export const OVERLAP_S = 86_400;
const CONCURRENCY = 8;
const MOST_GENERATIONS = 3;

/** What may be said of an endpoint; absent: as it is by default. */
export interface EndpointInput {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly payload?: Endpoint['payload'] | undefined;
  readonly signature?: Endpoint['signature'] | undefined;
  readonly concurrency?: number | undefined;
  readonly ordered?: boolean | undefined;
}

/** Of a change; absent: as it was. */
export type EndpointPatch = { readonly [Name in keyof EndpointInput]?: EndpointInput[Name] | undefined };

const settled = (input: EndpointPatch, old: Omit<Endpoint, 'keys' | 'events'> | null) => ({
  url: input.url ?? old?.url ?? '',
  description: input.description ?? old?.description ?? '',
  types: input.events ?? old?.types ?? [],
  payload: input.payload ?? old?.payload ?? 'full',
  signature: input.signature ?? old?.signature ?? 'hmac',
  concurrency: input.concurrency ?? old?.concurrency ?? CONCURRENCY,
  ordered: input.ordered ?? old?.ordered ?? false,
});

export interface NewEndpoint {
  readonly owner: bigint;
  readonly ownerType: OwnerType;
  readonly id: bigint;
  readonly slot: number;
  readonly version: string;
  readonly now: Date;
}

export const made = (
  input: EndpointInput,
  { owner, ownerType, id, slot, version, now }: NewEndpoint,
  reason: DisabledReason = 'asked',
): Endpoint => ({
  owner_id: owner,
  id,
  slot,
  owner_type: ownerType,
  ...settled(input, null),
  enabled: input.enabled ?? true,
  disabled_reason: (input.enabled ?? true) ? null : reason,
  version,
  keys: [{ generation: 1 }],
  events: 1,
  created_at: now,
  updated_at: now,
});

/** The endpoint with the patch; the same object when nothing is otherwise. */
export function patched(old: Endpoint, patch: EndpointPatch, now: Date): Endpoint {
  const enabled = patch.enabled ?? old.enabled;
  const reason = enabled ? null : (old.disabled_reason ?? 'asked');
  const next = { ...old, ...settled(patch, old), enabled, disabled_reason: reason };
  const same = (Object.keys(next) as (keyof Endpoint)[]).every(
    (name) => next[name] === old[name] || JSON.stringify(next[name]) === JSON.stringify(old[name]),
  );
  return same ? old : told(next, now);
}

/** A new key signs; those before it do for the overlap and no longer, and of three that still do the oldest ends at once. */
export function rotated(old: Endpoint, overlapMs: number, now: Date): Endpoint {
  const [newest] = old.keys;
  const end = addMs(now, overlapMs).toISOString();
  const ending = old.keys
    .map(({ generation, until }) => ({ generation, until: until !== undefined && until < end ? until : end }))
    .filter(({ until }) => until > now.toISOString());
  const keys = [{ generation: (newest?.generation ?? 0) + 1 }, ...ending].slice(0, MOST_GENERATIONS);
  return told({ ...old, keys }, now);
}

export const disabled = (old: Endpoint, reason: DisabledReason, now: Date): Endpoint =>
  told({ ...old, enabled: false, disabled_reason: reason }, now);

/** With one more event of its own. */
export const told = (endpoint: Endpoint, now: Date): Endpoint => ({
  ...endpoint,
  events: endpoint.events + 1,
  updated_at: now,
});

/** The generations whose keys sign at this moment of business time, the newest first. */
export const signing = ({ keys }: Pick<Endpoint, 'keys'>, now: Date): Generation[] =>
  keys.filter(({ until }) => until === undefined || until > now.toISOString());

/** The type that a name of a list means, those of a wildcard; none: it is unknown to an owner of this kind. */
export function typesNamed(owner: OwnerType, name: string): EventType[] {
  const all = typesFor(owner);
  if (name === '*') return all;
  if (!name.endsWith('.*')) return all.filter((type) => type === name);
  const noun = name.slice(0, -1);
  return all.filter((type) => type.startsWith(noun));
}

/** All that an endpoint is told. There is one version so far, so what is pinned is what there is. */
export const typesOf = ({ owner_type, types }: Pick<Endpoint, 'owner_type' | 'types'>): ReadonlySet<string> =>
  new Set(types.flatMap((name) => typesNamed(owner_type, name)));

export interface TypeFault {
  /** Its place in the list; null: of the list as a whole. */
  readonly at: number | null;
  readonly fault: 'empty' | 'unknown' | 'twice';
}

/** What is wrong with a list of names. */
export function typeFaults(owner: OwnerType, names: readonly string[]): TypeFault[] {
  if (names.length === 0) return [{ at: null, fault: 'empty' }];
  return names.flatMap((name, at): TypeFault[] => {
    if (typesNamed(owner, name).length === 0) return [{ at, fault: 'unknown' }];
    return names.indexOf(name) < at ? [{ at, fault: 'twice' }] : [];
  });
}
