// How an API speaks of events and endpoints: what it calls things, how it reads and answers, whom it lets in. Types only.
// Rule: everything that differs between the APIs is here; what is done is the same for all of them.
import type { TSchema } from 'typebox';
import type { Clock } from '../../base/index.ts';
import type { Answer, DocumentedAnswer, Input } from '../../http/index.ts';
import type { SendOnce } from '../delivery/index.ts';
import type { Keyed, Refusal } from '../egress/index.ts';
import type { Begins, Endpoint, EndpointsDesk } from '../endpoints/index.ts';
import type { EventFilter, EventReader, EventsFollowed, EventsPage, OwnerType } from '../log/index.ts';

import type { Style } from './shapes.ts';

// biome-ignore lint/suspicious/noExplicitAny: what was given has the shape of each API's own schemas
export type Asking<Principal> = Input<Principal, any, any, any>;

/** What all APIs stand on here. */
export interface EventsGround {
  readonly reader: EventReader;
  readonly keyed: Keyed;
  readonly permutation: { inward(text: string): bigint | null; outward(id: bigint): string };
  /** Why an address may not be saved: by what is written in it, and with its name looked up. */
  readonly addresses: { check(url: string): Refusal | null; resolves(url: string): Promise<Refusal | null> };
  /** Business time. */
  readonly business: Pick<Clock, 'now'>;
  /** Real time. */
  readonly time: Pick<Clock, 'now'>;
  readonly begins: Begins;
  /** Endpoints in memory are brought up to what was committed. */
  readonly refresh: () => Promise<void>;
  readonly followed: EventsFollowed;
  readonly send: SendOnce;
  readonly pace: StreamPace;
}

/** Of streams, in real time. */
export interface StreamPace {
  readonly clock: Clock;
  /** Without anything to tell for so long, the other side hears that the stream lives. */
  readonly beatMs: number;
  /** So often it is asked whether its reader still may. */
  readonly checkMs: number;
}

/** One wrong field of an endpoint: what is wrong, and what is asked for, in words. */
export interface FieldFault {
  readonly path: readonly string[];
  readonly fault: 'empty' | 'unknown' | 'twice' | 'address' | 'range';
  readonly says: string;
}

/** What a list of events is asked for. */
export interface EventsAsked extends EventFilter {
  readonly limit: number;
  /** A cursor of a page, or a place to go on from; one at most. */
  readonly after: string | undefined;
  readonly since: string | undefined;
  readonly waitMs: number;
}

/** The schemas of requests and answers, each in the API's own way. */
export interface Shapes {
  readonly create: TSchema;
  readonly patch: TSchema;
  readonly rotate: TSchema;
  readonly list: TSchema;
  readonly stream: TSchema;
  /** Paths to all and to one; null: nothing is named in it. */
  readonly ofAll: TSchema | null;
  readonly ofOne: TSchema;
  readonly ofDelivery: TSchema;
  readonly deliveries: TSchema;
  readonly replay: TSchema;
  readonly ofReplay: TSchema;
  readonly test: TSchema;
  readonly endpoint: TSchema;
  /** With the secret where it is told. */
  readonly newEndpoint: TSchema;
  readonly endpoints: TSchema;
  readonly event: TSchema;
  readonly events: TSchema;
  /** Header fields of a list of events, and of what was made. */
  readonly listed: Pick<DocumentedAnswer, 'headers' | 'mayHave'>;
  readonly located: Pick<DocumentedAnswer, 'headers'>;
  readonly examples: Readonly<Record<'create' | 'replay' | 'rotate' | 'test', object>>;
}

type Documented = Readonly<Record<number, DocumentedAnswer>>;

export interface Form<Principal> {
  /** Below the API's prefix: nothing, or `/projects/:login`. */
  readonly at: string;
  readonly tag: string;
  /** `webhookCreate` → the operation's name in this API. */
  readonly operation: (name: string) => string;
  readonly read: string | null;
  readonly write: string | null;
  readonly ownerType: OwnerType;
  readonly shapes: Shapes;
  /** Failures of its endpoints, as they are documented: nobody of that name, nothing under that id, no room for more, wrong fields. */
  readonly nobody: Documented;
  readonly unknown: Documented;
  readonly full: Documented;
  readonly wrong: Documented;
  /** Whose endpoints and events are asked for; refuses where there is nobody of that name. */
  desk(asking: Pick<Asking<Principal>, 'principal' | 'params'>): Promise<EndpointsDesk>;
  /** Makes the change, with what the API tells of it. */
  change<Value>(
    asking: Asking<Principal>,
    entry: { readonly action: string; readonly desk: EndpointsDesk; readonly of: string },
    work: (desk: EndpointsDesk) => Promise<Value>,
  ): Promise<Value>;
  /** An endpoint in this API's words; for an operator not what its owner sees. */
  shown(desk: EndpointsDesk, endpoint: Endpoint): object;
  readonly style: Style;
  timeOf(asking: Asking<Principal>): (at: Date) => unknown;
  /** The body of a list of what has this name, of one of them, and their schemas. */
  list(name: string, shown: readonly object[]): object;
  shownOne(name: string, shown: object): object;
  listOf(name: string, schema: TSchema): TSchema;
  single(name: string, schema: TSchema): TSchema;
  readonly one: (shown: object) => object;
  readonly many: (shown: readonly object[]) => object;
  locationOf(asking: Asking<Principal>, id: string): string | null;
  /** null: faults are told with those of the schema. */
  readonly refused: ((faults: readonly FieldFault[]) => Error) | null;
  /** Milliseconds; null: none that there may be. */
  overlapMs(body: { readonly overlap?: unknown }): number | null;
  asked(asking: Asking<Principal>): EventsAsked;
  /** May he be told a key? */
  maySign(principal: Principal): boolean;
  /** What is wrong with a cursor. */
  badCursor(name: 'after' | 'since' | 'last-event-id'): Error;
  /** Wrong fields that no schema could tell of. */
  bad(faults: readonly FieldFault[]): Error;
  /** A time of a body, as its schema has it. */
  momentOf(asking: Asking<Principal>, name: 'from' | 'to', given: unknown): Date;
  /** Of the reference. */
  readonly replayExample: object;
  badTypes(faults: readonly FieldFault[]): Error;
  listed(asking: Asking<Principal>, page: EventsPage): Answer;
  /** The body of one event, from its text. */
  event(text: string): string;
  unknownEvent(): Error;
}
