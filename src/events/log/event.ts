// An event as it is told: one text for all receivers and every try (docs/contract/events.md#events).
// Rule: written by the commit that makes the change, with the next number of what it is about; a refusal writes none.
import { jsonText, type Permutation } from '../../base/index.ts';
import { type Change, type Db, statementsFor, type Told } from '../../store/index.ts';
import { EVENTS_VERSION, type EventType, type Noun, type OwnerType } from './catalogue.ts';
import { eventInsert, queueInsert } from './queries.ts';

type Json = Readonly<Record<string, unknown>>;

export interface EventDraft<Of extends Noun = Noun> {
  readonly owner: bigint;
  readonly type: EventType<Of>;
  readonly resource: {
    readonly type: Of;
    readonly id: bigint;
    /** Grows by one with each event of the resource, from 1. */
    readonly sequence: number;
  };
  /** What a GET of the resource answers from this commit on. */
  readonly object: object;
  /** What it answered before; null: there was none. Old values of what changed are told. */
  readonly before: object | null;
  /** What was done, where the object doesn't show it: of an order the operation, of a user the factor. */
  readonly operation?: object | undefined;
}

export type ToldOfEvents = Pick<Told, 'now' | 'ids' | 'cause'>;

export interface EventText {
  readonly id: bigint;
  readonly body: string;
}

/** The events of one kind of owner. */
export interface EventMaker {
  /** The event as its receivers get it, kept nowhere: one that is made up. */
  text<Noun_ extends Noun>(told: ToldOfEvents, draft: EventDraft<Noun_>): EventText;
  /** The event as changes, to be committed with what it tells. */
  of<Noun_ extends Noun>(told: ToldOfEvents, draft: EventDraft<Noun_>): Change[];
  /** The same for who has a transaction of his own. Its receivers are told at the next look. */
  write<Noun_ extends Noun>(inside: Db, told: ToldOfEvents, ...drafts: readonly EventDraft<Noun_>[]): Promise<void>;
}

/** Old values of the members that differ, lists left out: who needs one has the new one, and an order's may be long. */
export function previousOf(before: Json | null, after: Json): Json {
  const previous: Record<string, unknown> = {};
  if (before === null) return previous;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = before[name];
    if (old === after[name] || Array.isArray(old) || Array.isArray(after[name])) continue;
    if (typeof old === 'object' && jsonText(old) === jsonText(after[name])) continue;
    previous[name] = old ?? null;
  }
  return previous;
}

export interface EventMakerOptions {
  readonly permutation: Pick<Permutation, 'outward'>;
  readonly mode: 'sandbox' | 'live';
  readonly ownerType: OwnerType;
  /** By which the operator knows an owner. Asked in decisions: it answers from memory. */
  readonly nameOf: (owner: bigint) => string;
  /** The same for `write`: an owner who was made in the same transaction, or a moment ago by another process, stands in no memory. */
  readonly nameIn?: (inside: Db, owner: bigint) => Promise<string>;
}

export function eventMaker({ permutation, mode, ownerType, nameOf, nameIn }: EventMakerOptions): EventMaker {
  const { outward } = permutation;
  function textOf<Of extends Noun>({ now, ids, cause }: ToldOfEvents, draft: EventDraft<Of>, name: string): EventText {
    const { type, resource, object, before, operation } = draft;
    const id = ids.real();
    const body = jsonText({
      id: outward(id),
      type,
      timestamp: now,
      version: EVENTS_VERSION,
      mode,
      owner: { type: ownerType, id: name },
      resource: { type: resource.type, id: outward(resource.id), sequence: resource.sequence },
      cause: { by: cause },
      data: { object, previous: previousOf(before as Json | null, object as Json), operation },
    });
    return { id, body };
  }
  function made<Of extends Noun>(told: ToldOfEvents, draft: EventDraft<Of>, name: string): Change[] {
    const { id, body } = textOf(told, draft, name);
    const { owner, type, resource } = draft;
    const named = { owner_id: owner, subject_id: resource.id, type, created_at: told.now };
    return [
      eventInsert({ ...named, id, subject_type: resource.type, sequence: resource.sequence, body }),
      queueInsert({ ...named, event_id: id }),
    ];
  }
  return {
    text: (told, draft) => textOf(told, draft, nameOf(draft.owner)),
    of: (told, draft) => made(told, draft, nameOf(draft.owner)),
    async write(inside, told, ...drafts) {
      const names = new Map<bigint, string>();
      for (const { owner } of drafts)
        if (!names.has(owner)) names.set(owner, nameIn ? await nameIn(inside, owner) : nameOf(owner));
      const changes = drafts.flatMap((draft) => made(told, draft, names.get(draft.owner) as string));
      for (const { text, values } of statementsFor(changes)) await inside.query(text, values);
    },
  };
}

const DATA = ',"data":{';

/** The same event without what it is about: ids only, no personal data. In a JSON text no member's value holds the mark. */
export function thinOf(body: string): string {
  const at = body.indexOf(DATA);
  return at < 0 ? body : `${body.slice(0, at)}}`;
}
