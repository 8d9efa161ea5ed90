// A test file whose server asks for rows and forgets whose: started by statements.test.ts, to see that the run turns red.
import { test } from 'node:test';
import { rowKind, table } from '../../src/store/index.ts';
import { testDatabase } from '../support/database.ts';

test('asks, and looks at nothing', async () => {
  const identities = table<{ id: bigint }>('identities', { id: 'int8' }, ['id']);
  const kind = rowKind(identities, { name: 'planted', keyOf: (id: bigint) => ({ id }), locked: false });
  const database = await testDatabase();
  await kind.load(database, [1n]);
  // What a test asks by itself is nobody's affair.
  await database.query('select id from identities where id = 1');
});
