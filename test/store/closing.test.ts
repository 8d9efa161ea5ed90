// What a database says of its end: a connection that it closes itself is not lost, also where the server is quicker.
import assert from 'node:assert/strict';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { createLog } from '../../src/base/index.ts';
import { openDatabase } from '../../src/store/index.ts';
import { testDatabase } from '../support/database.ts';

test('the server ends a connection that is being closed: nothing is told; one that is not: it is', async () => {
  const upstream = await testDatabase();
  const { host, port, ...rest } = upstream.connection;
  let held = false;
  const relay = net.createServer({ allowHalfOpen: true }, (client) => {
    const server = net.connect(path.join(host as string, `.s.PGSQL.${port}`));
    // The word that says goodbye never arrives.
    client.on('data', (bytes) => held || server.write(bytes)).on('error', () => undefined);
    server.on('data', (bytes) => client.write(bytes)).on('error', () => undefined);
    server.on('end', () => client.end());
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const connection = { ...rest, host: '127.0.0.1', port: (relay.address() as net.AddressInfo).port };

  const connections = (): Promise<number> =>
    new Promise((resolve) => relay.getConnections((_error, count) => resolve(count)));

  async function told(closing: boolean): Promise<number> {
    const lines: string[] = [];
    held = false;
    const log = createLog('warn', { write: (line) => void lines.push(line) });
    const database = openDatabase(connection, { log, connections: 1 });
    const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    held = true;
    const closed = closing ? database.close() : null;
    assert.equal(await connections(), 1);
    await upstream.query('select pg_terminate_backend($1)', [row?.pid]);
    while ((await connections()) > 0) await new Promise((resolve) => setImmediate(resolve));
    held = false;
    await (closed ?? database.close());
    return lines.filter((line) => line.includes('57P01')).length;
  }
  assert.equal(await told(false), 1);
  assert.equal(await told(true), 0);
  await new Promise((resolve) => relay.close(resolve));
});
