// The command line's entry: serve, migrate and distribute here, everything else talks to a running server (cli).
import { type App, startApp } from './app.ts';
import { createLog, systemClock } from './base/index.ts';
import { runCli } from './cli/index.ts';
import { type Config, listenerUrl, loadConfig } from './config.ts';
import { boundHeap, isMember, joinParent, startTogether } from './processes/index.ts';
import { databaseIsGone, distribute, migrate, type Placement, StartError } from './store/index.ts';
import { VaultError } from './vault/index.ts';

type Served = Pick<App, 'url' | 'clientUrl' | 'warnings' | 'stop'>;

/** What a newcomer needs to see: where everything is, who may enter, and one payment to try. */
function greeting(config: Config, { url, clientUrl }: Served): string {
  const lines = [
    '',
    `  Florin is ready (${config.mode} mode).`,
    '',
    `  Payment gateway API   ${url}/gateway`,
    `  Card issuing API      ${url}/issuing`,
    `  API reference         ${url}/docs`,
    `  Health, metrics       ${url}/readyz  ${url}/metrics`,
    ...(clientUrl === null ? [] : [`  With a certificate    ${clientUrl}`]),
  ];
  if (config.mode === 'sandbox') {
    lines.push(
      `  Operator, simulator   ${url}/operator  ${url}/simulator   Authorization: Bearer ${config.operatorSecret}`,
      '',
      '  Gateway projects      sandbox / sandbox-secret   sandbox-two / sandbox-two-secret',
      '  Issuing tenants       x-secret sandbox-secret, sandbox-two-secret; user consumer@sandbox.test / Sandbox-12345',
      '',
      '  Make a payment:',
      '',
      `  curl -u sandbox:sandbox-secret -H 'Content-Type: application/json' ${url}/gateway/orders/authorize \\`,
      `    -d '{"amount":12.50,"currency":"EUR","pan":"4111111111111111","card":{"cvv":"123","holder":"Ada Example","expiration_month":12,"expiration_year":2030},"location":{"ip":"192.0.2.1"},"options":{"auto_charge":1}}'`,
      '',
      '  Log in as a cardholder:',
      '',
      `  curl -H 'x-secret: sandbox-secret' -H 'Content-Type: application/json' ${url}/issuing/auth/login \\`,
      `    -d '{"email":"consumer@sandbox.test","password":{"value":"Sandbox-12345"}}'`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** The process ends with what it serves; once, however often it is told. */
function stopper({ stop }: Pick<App, 'stop'>): () => void {
  let stopping = false;
  return () => {
    if (stopping) return;
    stopping = true;
    stop().then(
      (clean) => process.exit(clean ? 0 : 1),
      () => process.exit(1),
    );
  };
}

/** One of several: its parent speaks to people, and ends it. */
async function serveAsMember(config: Config): Promise<void> {
  // At a terminal the parent hears of it, too.
  process.on('SIGINT', () => undefined);
  const member = await joinParent(systemClock);
  const app = await startApp(config, { member });
  const stop = stopper(app);
  process.on('SIGTERM', stop);
  member.onStop(stop);
  const { url, clientUrl, warnings, process: lease } = app;
  member.serves({ url, clientUrl, warnings, lease: lease.toString() });
}

async function serve(): Promise<void> {
  boundHeap();
  const config = loadConfig();
  if (isMember()) return serveAsMember(config);
  const app: Served = await (config.processes > 1
    ? startTogether({ ...config, log: createLog(config.logLevel) })
    : startApp(config));
  const stop = stopper(app);
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.stdout.write(`${greeting(config, app)}\n`);
  if (config.mode === 'live') for (const warning of app.warnings) process.stderr.write(`WARNING: ${warning}\n`);
}

async function migrateOnly(): Promise<void> {
  const config = loadConfig();
  if (!config.databaseUrl)
    throw new StartError('florin migrate needs DATABASE_URL; the embedded database migrates at start.');
  await migrate({ connectionString: config.databaseUrl }, createLog(config.logLevel));
}

async function distributeOnly({ dryRun }: { readonly dryRun: boolean }): Promise<void> {
  const config = loadConfig();
  if (!config.databaseUrl)
    throw new StartError('florin distribute needs DATABASE_URL: the embedded database is one node, and stays one.');
  const placements = await distribute({ connectionString: config.databaseUrl }, { dry: dryRun });
  process.stdout.write(`${placements.map((placement) => placedLine(placement, dryRun)).join('\n')}\n`);
}

const placedLine = ({ table, as, by, done }: Placement, dry: boolean): string => {
  const place = { distributed: `by ${by}`, reference: 'a copy on every node', local: 'at the coordinator' }[as];
  const news = done ? '' : dry ? ' (to be done)' : ' (done)';
  return `${table.padEnd(28)} ${place}${news}`;
};

const isExpected = (error: unknown): error is Error => error instanceof StartError || error instanceof VaultError;

/** One clear sentence for what an operator can mend; the whole error for what nobody expected. */
function fail(error: unknown): void {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE')
    process.stderr.write(`The port is in use: stop the other program, or set PORT to a free one.\n`);
  else if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    process.stderr.write(`Florin can't listen there (${code}): check HOST and PORT.\n`);
  else if (databaseIsGone(error))
    process.stderr.write(
      `The database can't be reached, or went away while Florin was starting (${code ?? (error as Error).message}): start again when it is there.\n`,
    );
  else if (isExpected(error)) process.stderr.write(`${error.message}\n`);
  else
    process.stderr.write(
      `Florin could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  process.exit(1);
}

const args = process.argv.slice(2);
runCli(args.length === 0 ? ['serve'] : args, {
  serve,
  migrate: migrateOnly,
  distribute: distributeOnly,
  connection: () => {
    const config = loadConfig();
    return { url: config.publicUrl || listenerUrl(config, config.port), secret: config.operatorSecret };
  },
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
}).then((code) => {
  process.exitCode = code;
}, fail);
