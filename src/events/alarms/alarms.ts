// What the operator is told of the installation itself (docs/contract/events.md#the-installation): what is wrong with it, and what changes.
// Rule: once a change, however often and by however many it is looked at; the event commits with the memory of it.
import { type Clock, type IdMaker, jsonText, type Log } from '../../base/index.ts';
import { type Database, NOBODY, presentCause, type Transaction } from '../../store/index.ts';
import type { EventMaker, EventType } from '../log/index.ts';
import { alarmOver, alarmRaise, alarmsRaised } from './queries.ts';

/** The operator's own. */
type AlarmNoun = 'invariant' | 'key' | 'operation' | 'page' | 'range' | 'setup';
export type AlarmType = EventType<AlarmNoun>;

export interface Alarm {
  readonly type: AlarmType;
  /** By which the operator knows what it is about. */
  readonly name: string;
  /** Another one is told again. */
  readonly state: string;
  /** As the operator's API shows it. */
  readonly object: object;
  /** Beside it: whose it is, where that isn't shown. */
  readonly operation?: object;
}

export interface Alarms {
  /** Together with what is told: for who has a transaction of his own. */
  within(inside: Transaction, alarm: Alarm): Promise<void>;
  /**
   * All that is wrong of this type at this moment: what is new or otherwise is told, and what isn't among it is over, of `looked` where only
   * that was looked at. It doesn't fail, since it is beside what was looked for: what couldn't be told now is told by the next look.
   */
  standing(type: AlarmType, those: readonly Omit<Alarm, 'type'>[], looked?: readonly string[]): Promise<void>;
}

export interface AlarmsOptions {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  /** Of the operator. */
  readonly events: EventMaker;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: IdMaker;
  readonly log: Log;
}

const nounOf = (type: AlarmType): AlarmNoun => type.slice(0, type.indexOf('.')) as AlarmNoun;

export function createAlarms({ database, events, clock, ids, log }: AlarmsOptions): Alarms {
  async function within(inside: Transaction, { type, name, state, operation, ...alarm }: Alarm): Promise<void> {
    const noun = nounOf(type);
    // As it will be read when it is compared with the next one.
    const object = JSON.parse(jsonText(alarm.object)) as object;
    const now = clock.now();
    const raised = await alarmRaise(inside, { noun, name, id: ids.next(), state, object, updated_at: now });
    if (!raised) return;
    await events.write(
      inside,
      { now, ids, cause: presentCause() },
      {
        owner: NOBODY,
        type,
        resource: { type: noun, id: raised.id, sequence: raised.events },
        object,
        before: raised.before,
        operation,
      },
    );
  }

  async function told(
    type: AlarmType,
    those: readonly Omit<Alarm, 'type'>[],
    looked: readonly string[] | null,
  ): Promise<void> {
    const noun = nounOf(type);
    const known = new Map((await alarmsRaised(database, noun)).map(({ name, state }) => [name, state]));
    for (const one of those)
      if (known.get(one.name) !== one.state) await database.transaction((inside) => within(inside, { ...one, type }));
    const now = new Set(those.map(({ name }) => name));
    for (const name of looked ?? known.keys())
      if (known.has(name) && !now.has(name)) await alarmOver(database, { noun, name, at: clock.now() });
  }

  return {
    within,
    standing: (type, those, looked) =>
      told(type, those, looked ?? null).catch((error: unknown) =>
        log.error({ err: error, type }, 'an operator could not be told'),
      ),
  };
}
