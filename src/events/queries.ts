// The outbox table.
import { type Change, insert, table } from '../store/index.ts';

export interface OutboxEvent {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly order_id: bigint;
  /** Grows by one with each event of an order. */
  readonly sequence: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
}

const events = table<OutboxEvent>(
  'events',
  {
    project_id: 'int8',
    id: 'int8',
    order_id: 'int8',
    sequence: 'int4',
    type: 'text',
    data: 'jsonb',
    created_at: 'timestamptz',
  },
  ['project_id', 'id'],
);

/** The event as a change, to be committed with what it tells. */
export const eventInsert = (event: OutboxEvent): Change => insert(events, event);
