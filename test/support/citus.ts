// A cluster of Citus in place of the one Postgres of a run: the template is made on all of its nodes and distributed once, and a test's
// database is a copy of it on each of them. Rule: it makes and drops databases of tests, and touches no other.
import pg from 'pg';
import { type Connection, distribute, migrate } from '../../src/store/index.ts';
import { onNodes, SEEDED, silent, TEMPLATE, type TestServer } from './database.ts';

/** What a test creates is small; so are its tables. */
const SHARDS = 4;

/** Database addresses as the driver takes them, so that another database of the same server can be named. */
function connectionOf(address: string): Connection {
  const { hostname, port, username, password, pathname } = new URL(address);
  return {
    host: hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username) || 'postgres',
    database: decodeURIComponent(pathname.slice(1)) || 'postgres',
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

async function over<Value>(connection: Connection, work: (client: pg.Client) => Promise<Value>): Promise<Value> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The other nodes, as the coordinator's database knows them; none where it has no Citus. */
const workersOf = (coordinator: Connection): Promise<readonly Connection[]> =>
  over(coordinator, async (client) => {
    const known = await client.query(`select from pg_extension where extname = 'citus'`);
    if (known.rowCount === 0) return [];
    const { rows } = await client.query<{ host: string; port: number }>(
      'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and isactive order by nodeid',
    );
    return rows.map(({ host, port }) => ({ ...coordinator, host, port }));
  });

interface Cluster {
  readonly coordinator: Connection;
  readonly workers: readonly Connection[];
}

/** The cluster that the environment names; else what is missing, in a sentence. */
export async function clusterOf({ CITUS_URL, CITUS_WORKERS }: NodeJS.ProcessEnv): Promise<Cluster | string> {
  if (!CITUS_URL)
    return 'npm run test:citus needs CITUS_URL, the address of the coordinator of a Citus cluster as a user who may create databases and extensions there (postgres://postgres@host:5432/postgres), and CITUS_WORKERS, those of its other nodes with commas between, unless its database knows them.';
  const coordinator = connectionOf(CITUS_URL);
  const workers = CITUS_WORKERS ? CITUS_WORKERS.split(',').map(connectionOf) : await workersOf(coordinator);
  if (workers.length === 0) return 'The database of CITUS_URL knows no other nodes: name them in CITUS_WORKERS.';
  return { coordinator, workers };
}

/** Nobody uses it any more, so that it can be copied: also Citus itself, which has a connection to each database. */
export async function closeTemplate(coordinator: Connection, name: string): Promise<void> {
  await onNodes(coordinator, `alter database ${name} with allow_connections false`);
  await onNodes(coordinator, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

const dropTemplates = async (coordinator: Connection): Promise<void> => {
  for (const name of [TEMPLATE, SEEDED]) await onNodes(coordinator, `drop database if exists ${name} with (force)`);
};

/** Makes the template on the nodes, which `FLORIN_TEST_NODES` names by now. */
export async function startCitus({ coordinator, workers }: Cluster): Promise<TestServer> {
  const template = { ...coordinator, database: TEMPLATE };
  await dropTemplates(coordinator);
  await onNodes(coordinator, `create database ${TEMPLATE}`);
  for (const { host, port } of [...workers, coordinator])
    await over({ ...template, host, port }, (client) => client.query('create extension citus'));
  await over(template, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
    for (const { host, port } of workers) await client.query('select citus_add_node($1, $2)', [host, port]);
    await client.query(`alter database ${TEMPLATE} set citus.shard_count to ${SHARDS}`);
  });
  await migrate(template, silent);
  await distribute(template, { dry: false });
  await closeTemplate(coordinator, TEMPLATE);
  return { connection: coordinator, stop: () => dropTemplates(coordinator) };
}
