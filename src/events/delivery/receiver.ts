// What a sender knows of an endpoint, and the doors that the composition root fills. Types only.
import type { SignatureHeaders } from '../egress/index.ts';
import type { Trigger } from './queries.ts';
import type { Answered } from './schedule.ts';

export interface Receiver {
  readonly owner: bigint;
  readonly id: bigint;
  readonly url: string;
  readonly payload: 'full' | 'thin';
  readonly concurrency: number;
  readonly ordered: boolean;
  /** Is an event of this type for it? */
  wants(type: string): boolean;
  /** The headers of Standard Webhooks for a text that is sent at this moment. */
  sign(id: string, at: Date, body: string): SignatureHeaders;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the try. */
  readonly signal: AbortSignal;
}

export interface Posted extends Answered {
  /** Where it was sent; null: nowhere. */
  readonly address: string | null;
  /** The beginning of the answer, card numbers masked. */
  readonly response: string;
}

/** The door outside: never throws. */
export type PostOut = (post: Post) => Promise<Posted>;

/** Told of every try, by who counts them. */
export interface Figures {
  tried(of: {
    readonly posted: Posted;
    readonly trigger: Trigger;
    readonly attempt: number;
    readonly event: bigint;
  }): void;
}

/** Told of what an owner wants to know of an endpoint. Each is told as an event of the endpoint, and does nothing twice. */
export interface Standings {
  failing(owner: bigint, webhook: bigint): Promise<void>;
  recovered(owner: bigint, webhook: bigint): Promise<void>;
  givenUp(owner: bigint, webhook: bigint, event: bigint): Promise<void>;
  /** `gone`: its server said so (410). `given_up`: an event has used its tries, and none has succeeded since. */
  disable(owner: bigint, webhook: bigint, reason: 'gone' | 'given_up'): Promise<void>;
}
