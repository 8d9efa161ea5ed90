// The baseline that a sceptic accepts: pgbench with its own TPC-B, prepared statements and 16 clients, on the Postgres of the benchmark.
// Where there is none (PGBENCH may name one), a similar transaction goes through our driver instead (tpcb.ts), and the result says so.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Connection, Database } from '../src/store/index.ts';
import type { Asked } from './compare.ts';
import { prepareTpcb, runTpcb } from './tpcb.ts';

const CLIENTS = 16;
/** As many branches as clients, or they would wait for one another. */
const SCALE = 16;

const execute = promisify(execFile);

async function found(program: string): Promise<boolean> {
  try {
    await execute(program, ['--version']);
    return true;
  } catch {
    return false;
  }
}

const pgbench = async (program: string, connection: Connection, args: readonly string[]): Promise<string> => {
  const { host, port, user, password, database } = connection;
  const env = {
    ...process.env,
    PGHOST: host ?? '',
    PGPORT: String(port ?? ''),
    PGUSER: user ?? '',
    PGDATABASE: database ?? '',
    ...(typeof password === 'string' ? { PGPASSWORD: password } : {}),
  };
  return (await execute(program, [...args], { env })).stdout;
};

/** Its tables are made; rounds are whole seconds, as pgbench counts them. */
export async function baseline(connection: Connection, database: Database): Promise<Asked> {
  const program = process.env.PGBENCH ?? 'pgbench';
  const none = { p50Ms: null, p99Ms: null, requests: null, failed: 0 };
  if (!(await found(program))) {
    await prepareTpcb(database);
    return [
      'TPC-B-like, our driver',
      async (seconds) => ({ ...none, perSecond: await runTpcb(database, CLIENTS, seconds) }),
    ];
  }
  await pgbench(program, connection, ['-i', '-q', '-s', String(SCALE)]);
  return [
    'pgbench TPC-B',
    async (seconds) => {
      const time = String(Math.max(1, Math.round(seconds)));
      const told = await pgbench(program, connection, [
        '-n',
        '-M',
        'prepared',
        '-c',
        String(CLIENTS),
        '-j',
        '2',
        '-T',
        time,
      ]);
      const [, tps] = /^tps = ([\d.]+)/m.exec(told) ?? [];
      if (tps === undefined) throw new Error(`pgbench said something else: ${told}`);
      return { ...none, perSecond: Number(tps) };
    },
  ];
}
