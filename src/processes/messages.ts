// What the parent and the server processes say to each other, over the channel between them. Types only.
// Rule: nothing that belongs to a payment goes here: processes meet in the database.
import type { Connection } from '../store/index.ts';

/** What may be asked of every process. */
export type Question = 'metrics' | 'readiness';

/** Of the parent: how many there are to be, and what became of them. */
export interface Census {
  readonly wanted: number;
  readonly serving: number;
  /** By the process's number: how often it was started anew. */
  readonly restarts: readonly number[];
}

/** An answer of a process, by its number; null: none came in time. */
export type Answers = readonly { readonly process: number; readonly answer: string | null }[];

/** What a process serves, once it does. */
export interface Serving {
  readonly url: string;
  readonly clientUrl: string | null;
  readonly warnings: readonly string[];
  /** Its number among those that use the database. */
  readonly lease: string;
}

export type ToMember =
  | {
      readonly kind: 'begin';
      /** From 1. */
      readonly process: number;
      /** The embedded server, which the parent has opened; null: DATABASE_URL. */
      readonly connection: Connection | null;
      /** Of the one that had its number before and is dead for sure. */
      readonly deadLease: string | null;
    }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  | { readonly kind: 'gathered'; readonly id: number; readonly answers: Answers; readonly census: Census }
  /** Does it still listen? */
  | { readonly kind: 'ping' }
  /** From now on it does what one of them has to do. */
  | { readonly kind: 'duty' }
  | { readonly kind: 'stop' };

export type ToParent =
  | ({ readonly kind: 'serving' } & Serving)
  | { readonly kind: 'pong' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: string }
  | { readonly kind: 'gather'; readonly id: number; readonly question: Question };
