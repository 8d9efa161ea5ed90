// What is wrong with the database at start is told in one clear sentence that names what to look at, and never the password.
import assert from 'node:assert/strict';
import net, { type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createLog } from '../../src/base/index.ts';
import { migrate, StartError } from '../../src/store/index.ts';

const silent = createLog('silent');
const refused = (address: string, sentence: RegExp): Promise<void> =>
  assert.rejects(migrate({ connectionString: address }, silent), (error: Error) => {
    assert.ok(error instanceof StartError, String(error));
    assert.match(error.message, sentence);
    assert.match(error.message, /^[^\n]+[^.]\.$/, 'one sentence');
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });

/** A server that answers whoever comes with one PostgreSQL error. */
async function says(code: string, message: string, ask: (address: string) => Promise<void>): Promise<void> {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const answer = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), fields]);
  answer.writeInt32BE(fields.length + 4, 1);
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await ask(`postgres://ada:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/florin`);
  } finally {
    server.close();
  }
}

test('an unknown user, a wrong password, a database that is not there', async () => {
  await says('28000', 'role "ada" does not exist', (at) =>
    refused(at, /role "ada" does not exist.*user.*DATABASE_URL/),
  );
  await says('28P01', 'password authentication failed for user "ada"', (at) => refused(at, /password in DATABASE_URL/));
  await says('3D000', 'database "florin" does not exist', (at) => refused(at, /make it, or name another/));
});

test('nobody there', async () => {
  let closed = '';
  await says('00000', '', async (at) => void (closed = at));
  await refused(closed, /ECONNREFUSED.*host and port in DATABASE_URL/);
});

test('what nobody expected stays whole', () =>
  says('XX000', 'broken', (at) =>
    assert.rejects(migrate({ connectionString: at }, silent), (error: Error) => !(error instanceof StartError)),
  ));
