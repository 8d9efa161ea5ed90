// Whose endpoints lead to a sandbox's inbox: asked by what arrives there, before anybody is known.
import type { Db } from '../../store/index.ts';
import type { Endpoint } from './model.ts';

/** More lead to no inbox that somebody looks at. */
const MOST = 32;

/** Those whose address ends in this, of all owners, also disabled ones; the one of this id, if it is among them, first. */
export const endpointsTo = (db: Db, ending: string, id: bigint | null): Promise<Endpoint[]> =>
  db.query<Endpoint>(
    'select * from webhooks where right(url, length($1)) = $1 order by (id = $2) desc nulls last, id limit $3',
    [ending, id, MOST],
  );
