// The outbox table.
import { type Change, insert, table } from '../store/index.ts';

/** What an event tells of. */
type Subject = 'order' | 'card' | 'authorization';

export interface OutboxEvent {
  readonly owner_id: bigint;
  readonly id: bigint;
  readonly subject_type: Subject;
  readonly subject_id: bigint;
  /** Grows by one with each event of a subject. */
  readonly sequence: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
}

const events = table<OutboxEvent>(
  'events',
  {
    owner_id: 'int8',
    id: 'int8',
    subject_id: 'int8',
    sequence: 'int4',
    subject_type: 'text',
    type: 'text',
    data: 'jsonb',
    created_at: 'timestamptz',
  },
  ['owner_id', 'id'],
  { subjects: ['subject_id'] },
);

/** The event as a change, to be committed with what it tells. */
export const eventInsert = (event: OutboxEvent): Change => insert(events, event);
