// Settings: environment before florin.config.json before defaults. The only reader of process.env.
// Rule: a setting that is unknown or wrong stops the start with one sentence that names it.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './store/index.ts';

export interface Config {
  readonly mode: 'sandbox' | 'live';
  readonly port: number;
  readonly host: string;
  /** Without trailing slash. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** null: the embedded Postgres. */
  readonly databaseUrl: string | null;
  readonly logLevel: string;
  readonly workers: boolean;
  readonly operatorSecret: string;
  readonly trustedProxies: readonly string[];
  /** null: off. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
}

export const SANDBOX_OPERATOR = 'sandbox-operator';

type Values = Readonly<Record<string, string>>;

const NAMES = [
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'DATA_DIR',
  'DATABASE_URL',
  'FLORIN_MODE',
  'LOG_LEVEL',
  'WORKERS',
  'OPERATOR_SECRET',
  'TRUSTED_PROXIES',
  'RATE_LIMIT',
] as const;
type Name = (typeof NAMES)[number];

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The settings of an environment and a configuration file's content. Throws StartError. */
export function readConfig(env: Readonly<Record<string, string | undefined>>, file: Values): Config {
  const known: ReadonlySet<string> = new Set(NAMES);
  const foreign = [
    ...Object.keys(file).filter((name) => !known.has(name)),
    ...Object.keys(env).filter(
      (name) => name.startsWith('FLORIN_') && !known.has(name) && !name.startsWith('FLORIN_TEST_'),
    ),
  ];
  if (foreign[0] !== undefined)
    throw new StartError(`Unknown setting ${foreign[0]}: the settings are ${NAMES.join(', ')}.`);
  const get = (name: Name, fallback: string): string => env[name] ?? file[name] ?? fallback;
  const wrong = (name: Name, says: string): StartError => new StartError(`The setting ${name} must be ${says}.`);

  const mode = get('FLORIN_MODE', 'sandbox');
  if (mode !== 'sandbox' && mode !== 'live') throw wrong('FLORIN_MODE', 'sandbox or live');
  const port = Number(get('PORT', '8080'));
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw wrong('PORT', 'a port number, 0 to 65535');
  const host = get('HOST', '127.0.0.1');
  const publicUrl = get('PUBLIC_URL', '').replace(/\/+$/, '');
  if (publicUrl !== '' && !/^https?:\/\/[^\s/?#]+[^\s?#]*$/.test(publicUrl))
    throw wrong('PUBLIC_URL', 'an http or https address without query');
  const logLevel = get('LOG_LEVEL', 'info');
  if (!LEVELS.includes(logLevel)) throw wrong('LOG_LEVEL', `one of ${LEVELS.join(', ')}`);
  const workers = get('WORKERS', '1');
  if (!/^(0|1|on|off|true|false)$/.test(workers)) throw wrong('WORKERS', 'on or off');
  const databaseUrl = get('DATABASE_URL', '');
  if (databaseUrl !== '' && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw wrong('DATABASE_URL', 'a postgres:// address');
  const operatorSecret = get('OPERATOR_SECRET', mode === 'sandbox' ? SANDBOX_OPERATOR : '');
  if (mode === 'live' && (operatorSecret.length < 24 || operatorSecret === SANDBOX_OPERATOR))
    throw wrong('OPERATOR_SECRET', 'a secret of your own with at least 24 characters in live mode');
  const rate = get('RATE_LIMIT', mode === 'live' ? '100/200' : 'off');
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(rate);
  if (rate !== 'off' && !match) throw wrong('RATE_LIMIT', 'requests a second and burst (100/200), or off');
  const proxies = get('TRUSTED_PROXIES', '');
  return Object.freeze({
    mode,
    port,
    host,
    publicUrl,
    dataDir: path.resolve(get('DATA_DIR', './data')),
    databaseUrl: databaseUrl === '' ? null : databaseUrl,
    logLevel,
    workers: /^(1|on|true)$/.test(workers),
    operatorSecret,
    trustedProxies: proxies === '' ? [] : proxies.split(',').map((part) => part.trim()),
    rateLimit: match ? { perSecond: Number(match[1]), burst: Number(match[2]) } : null,
  });
}

/** The settings of this process and of florin.config.json in its folder. */
export function loadConfig(): Config {
  const file = path.resolve('florin.config.json');
  let content: Values = {};
  if (existsSync(file)) {
    try {
      content = Object.fromEntries(
        Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object).map(([name, value]) => [name, String(value)]),
      );
    } catch {
      throw new StartError('The file florin.config.json is not valid JSON.');
    }
  }
  return readConfig(process.env, content);
}
