// What is known of tests of an endpoint: when the last one was. Each is a delivery of its own, of an event that stands in no log.
import { follow, type Kind, type Need, oneOwner } from '../../../store/index.ts';
import { type DeliveryRow, deliveries } from '../queries.ts';

interface TestsOf {
  readonly owner: bigint;
  readonly webhook: bigint;
  /** Ids of real time: those before are of no interest. */
  readonly since: bigint;
}
const keyText = ({ owner, webhook }: Omit<TestsOf, 'since'>): string => `${owner}/${webhook}`;

/**
 * The event of the last test of an endpoint. Its name puts it behind `webhooks`: who holds the endpoints sees every test that was begun before,
 * so that no two begin at once.
 */
export const testsKind: Kind<TestsOf, bigint> = {
  name: 'webhooks_tests',
  keyText,
  follows: [
    follow<DeliveryRow, bigint>(
      deliveries,
      ({ trigger, owner_id, webhook_id }) =>
        trigger === 'test' ? keyText({ owner: owner_id, webhook: webhook_id }) : null,
      (before = 0n, { event_id }) => (event_id > before ? event_id : before),
    ),
  ],
  async load(db, keys) {
    const owner = oneOwner(keys.map((key) => key.owner));
    const since = keys.reduce((least, key) => (key.since < least ? key.since : least), keys[0]?.since ?? 0n);
    const rows = await db.query<{ webhook_id: bigint; event_id: bigint }>(
      `select webhook_id, max(event_id) as event_id from webhook_deliveries
       where owner_id = $1 and webhook_id = any($2::int8[]) and event_id >= $3 and trigger = 'test' group by webhook_id`,
      [owner, keys.map(({ webhook }) => webhook), since],
    );
    return new Map(rows.map(({ webhook_id, event_id }) => [keyText({ owner, webhook: webhook_id }), event_id]));
  },
};
export const needTests = (key: TestsOf): Need => ({ kind: testsKind, key });
