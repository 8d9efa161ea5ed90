// SMS and mails. The sandbox keeps them where a person and a test can read them; live mode has no carrier yet, and so sends none.
import { addMs, type Random } from '../../base/index.ts';
import type { Change, Db, Told } from '../../store/index.ts';
import { type IssuingDeps, toldNow } from '../requests/index.ts';
import type { Message } from './model.ts';
import { messageInsert, messagesPurge, write } from './queries.ts';

/** The sandbox's code is known to all; a real one is six random digits. */
export const oneTimeCode = ({ sandbox }: Pick<IssuingDeps, 'sandbox'>, chance: Random): string =>
  sandbox ? '123456' : String(chance.int(1_000_000)).padStart(6, '0');

interface Draft {
  readonly tenantId: bigint;
  readonly channel: Message['channel'];
  readonly recipient: string;
  readonly text: string;
}

/** Hands a message to the carrier: a change, so that it goes out if and only if what it tells of is committed. */
export const messageFor = ({ ids, now }: Pick<Told, 'now' | 'ids'>, draft: Draft): Change =>
  messageInsert({
    tenant_id: draft.tenantId,
    id: ids.next(),
    channel: draft.channel,
    recipient: draft.recipient,
    text: draft.text,
    created_at: now,
  });

/** The same inside of a transaction of its own. */
export const messageWrite = (
  deps: Pick<IssuingDeps, 'clock' | 'ids' | 'random'>,
  db: Db,
  draft: Draft,
): Promise<void> => write(db, messageFor(toldNow(deps), draft));

const KEPT_DAYS = 7;
export const purgeMessages = (deps: Pick<IssuingDeps, 'clock' | 'db'>): Promise<void> =>
  messagesPurge(deps.db, addMs(deps.clock.now(), -KEPT_DAYS * 86_400_000));
