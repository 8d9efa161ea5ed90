// Settings: environment before florin.config.json before defaults. The only reader of process.env.
// Rule: a setting that is unknown or wrong stops the start with one sentence that names it.
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { variety } from './base/index.ts';
import { type Allow, readAllow } from './events/index.ts';
import { StartError } from './store/index.ts';

export interface Config {
  readonly mode: 'sandbox' | 'live';
  readonly port: number;
  readonly host: string;
  /** Without trailing slash. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** null: in the data directory. */
  readonly keyFile: string | null;
  /** null: the embedded Postgres. */
  readonly databaseUrl: string | null;
  /** null: the listener is plain. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** null: nobody is asked for a certificate. */
  readonly tlsClients: (NonNullable<Config['tls']> & { readonly port: number; readonly caFile: string }) | null;
  readonly logLevel: string;
  readonly workers: boolean;
  /** Server processes at one address. */
  readonly processes: number;
  readonly operatorSecret: string;
  readonly trustedProxies: readonly string[];
  /** What this server calls at addresses that somebody else named. */
  readonly webhooks: {
    readonly allow: Allow;
    /** Certificates (PEM); null: none beside the public ones. */
    readonly ca: string | null;
    /** null: straight. */
    readonly proxy: string | null;
  };
  /** How long events are kept. */
  readonly eventsDays: number;
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
  'KEY_FILE',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'TLS_CLIENT_PORT',
  'TLS_CLIENT_CA_FILE',
  'FLORIN_MODE',
  'LOG_LEVEL',
  'WORKERS',
  'PROCESSES',
  'OPERATOR_SECRET',
  'TRUSTED_PROXIES',
  'RATE_LIMIT',
  'WEBHOOK_ALLOW',
  'WEBHOOK_CA_FILE',
  'WEBHOOK_PROXY',
  'EVENTS_DAYS',
] as const;
type Name = (typeof NAMES)[number];

const wrong = (name: Name, says: string): StartError => new StartError(`The setting ${name} must be ${says}.`);

/** What the operator's secret of a live server holds at least, in characters that can't be told from those before them. */
const LEAST_VARIETY = 10;

/** More than a machine has cores brings nothing, and each has its own connections. */
const MOST_PROCESSES = 64;

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

  const mode = get('FLORIN_MODE', 'sandbox');
  if (mode !== 'sandbox' && mode !== 'live') throw wrong('FLORIN_MODE', 'sandbox or live');
  const port = portFrom('PORT', get('PORT', '8080'));
  const host = get('HOST', '127.0.0.1');
  const publicUrl = get('PUBLIC_URL', '').replace(/\/+$/, '');
  if (publicUrl !== '' && !/^https?:\/\/[^\s/?#]+[^\s?#]*$/.test(publicUrl))
    throw wrong('PUBLIC_URL', 'an http or https address without query');
  const logLevel = get('LOG_LEVEL', 'info');
  if (!LEVELS.includes(logLevel)) throw wrong('LOG_LEVEL', `one of ${LEVELS.join(', ')}`);
  const workers = get('WORKERS', '1');
  if (!/^(0|1|on|off|true|false)$/.test(workers)) throw wrong('WORKERS', 'on or off');
  const processes = get('PROCESSES', '1');
  if (!/^[1-9]\d?$/.test(processes) || Number(processes) > MOST_PROCESSES)
    throw wrong('PROCESSES', `a whole number, 1 to ${MOST_PROCESSES}: so many server processes share the address`);
  const databaseUrl = get('DATABASE_URL', '');
  if (databaseUrl !== '' && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw wrong('DATABASE_URL', 'a postgres:// address');
  const operatorSecret = get('OPERATOR_SECRET', mode === 'sandbox' ? SANDBOX_OPERATOR : '');
  const asked = secretAsked(operatorSecret, mode);
  if (asked !== null) throw wrong('OPERATOR_SECRET', asked);
  const rate = get('RATE_LIMIT', mode === 'live' ? '100/200' : 'off');
  const match = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(rate);
  if (rate !== 'off' && !match) throw wrong('RATE_LIMIT', 'requests a second and burst (100/200), or off');
  const proxies = get('TRUSTED_PROXIES', '');
  const trustedProxies = proxies === '' ? [] : proxies.split(',').map((part) => part.trim());
  if (!trustedProxies.every(isNetwork))
    throw wrong('TRUSTED_PROXIES', 'addresses or networks (10.0.0.0/8), with commas between');
  const { tls, tlsClients } = tlsFrom(get, port);
  if (mode === 'live') refuseOpenDoors(publicUrl, tls !== null, trustedProxies);
  const keyFile = get('KEY_FILE', '');
  return Object.freeze({
    mode,
    port,
    host,
    publicUrl,
    dataDir: path.resolve(get('DATA_DIR', './data')),
    keyFile: keyFile === '' ? null : path.resolve(keyFile),
    databaseUrl: databaseUrl === '' ? null : databaseUrl,
    logLevel,
    workers: /^(1|on|true)$/.test(workers),
    processes: Number(processes),
    operatorSecret,
    tls,
    tlsClients,
    trustedProxies,
    webhooks: webhooksFrom(get, mode),
    eventsDays: daysFrom(get('EVENTS_DAYS', '30')),
    rateLimit: match ? { perSecond: Number(match[1]), burst: Number(match[2]) } : null,
  });
}

function portFrom(name: Name, text: string): number {
  const port = Number(text);
  if (text.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw wrong(name, 'a port number, 0 to 65535');
  return port;
}

/** Less than a receiver needs to come back from a holiday is nothing to promise; more belongs in an archive. */
const LEAST_DAYS = 7;
const MOST_DAYS = 400;

function daysFrom(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < LEAST_DAYS || days > MOST_DAYS)
    throw wrong('EVENTS_DAYS', `a whole number of days, ${LEAST_DAYS} to ${MOST_DAYS}: so long events are kept`);
  return days;
}

/** In a sandbox receivers are programs beside it, without certificates. */
const ALLOWED: Readonly<Record<Config['mode'], string>> = { sandbox: 'private,http', live: '' };

function webhooksFrom(get: (name: Name, fallback: string) => string, mode: Config['mode']): Config['webhooks'] {
  const allow = readAllow(get('WEBHOOK_ALLOW', ALLOWED[mode]));
  if (!allow)
    throw wrong(
      'WEBHOOK_ALLOW',
      'addresses, networks (10.0.0.0/8) and host names, with http:// before those that have no TLS, and the words private and http, with commas between',
    );
  const file = get('WEBHOOK_CA_FILE', '');
  const proxy = get('WEBHOOK_PROXY', '');
  const url = URL.parse(proxy);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && !/[?#]/.test(proxy);
  if (proxy !== '' && !isOrigin) throw wrong('WEBHOOK_PROXY', 'the http or https address of a proxy, without path');
  return { allow, ca: file === '' ? null : certificatesIn(path.resolve(file)), proxy: proxy === '' ? null : proxy };
}

function certificatesIn(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (blocks.map((block) => new X509Certificate(block)).length > 0) return blocks.join('\n');
  } catch {
    // Said below: there is no such file, or a certificate in it can't be read.
  }
  throw wrong('WEBHOOK_CA_FILE', 'a file with certificates (PEM) that can be read');
}

/** The certificate of the listener; and the port, and the authorities, of clients that show one of their own. */
function tlsFrom(get: (name: Name, fallback: string) => string, port: number): Pick<Config, 'tls' | 'tlsClients'> {
  const [certFile, keyFile] = [get('TLS_CERT_FILE', ''), get('TLS_KEY_FILE', '')];
  if ((certFile === '') !== (keyFile === ''))
    throw wrong(certFile === '' ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE', 'set, too: a certificate and its key go together');
  const tls = certFile === '' ? null : { certFile: path.resolve(certFile), keyFile: path.resolve(keyFile) };

  const [clientPort, caFile] = [get('TLS_CLIENT_PORT', ''), get('TLS_CLIENT_CA_FILE', '')];
  if (clientPort === '' && caFile === '') return { tls, tlsClients: null };
  if (clientPort === '' || caFile === '')
    throw wrong(
      clientPort === '' ? 'TLS_CLIENT_PORT' : 'TLS_CLIENT_CA_FILE',
      "set, too: clients' certificates need a port of their own and the certificates that they are signed with",
    );
  if (!tls) throw wrong('TLS_CERT_FILE', 'set, too, with TLS_KEY_FILE: TLS_CLIENT_PORT speaks TLS');
  const own = portFrom('TLS_CLIENT_PORT', clientPort);
  if (own === port && own !== 0)
    throw wrong('TLS_CLIENT_PORT', 'another port than PORT: there nobody is asked for a certificate');
  return { tls, tlsClients: { ...tls, port: own, caFile: path.resolve(caFile) } };
}

/** Where it listens, as a URL. */
export const listenerUrl = ({ tls, host }: Pick<Config, 'tls' | 'host'>, port: number): string =>
  `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** What the operator's secret has to be and isn't; null: it is fine. */
function secretAsked(secret: string, mode: Config['mode']): string | null {
  if (secret.trim() === '')
    return mode === 'live'
      ? 'set in live mode: a secret of your own with at least 24 characters'
      : 'a secret, not an empty one: leave it out for the default of the sandbox';
  if (!/^[\w.~+/-]+=*$/.test(secret)) return 'of letters, digits and - . _ ~ + / without spaces, as a bearer token is';
  if (new Set(secret).size === 1) return 'more than one character repeated';
  if (mode === 'sandbox') return null;
  if (secret.length < 24 || /sandbox-(operator|secret|two-secret|12345)/i.test(secret))
    return 'a secret of your own with at least 24 characters in live mode';
  return variety(secret) < LEAST_VARIETY ? 'harder to guess in live mode, as "openssl rand -hex 24" prints one' : null;
}

/** Live, cards and secrets cross the network only under TLS: ours, or that of a proxy we were told of. */
function refuseOpenDoors(publicUrl: string, tls: boolean, trustedProxies: readonly string[]): void {
  if (!publicUrl.startsWith('https:') && !(tls && publicUrl === ''))
    throw new StartError('Live mode needs PUBLIC_URL, the https address under which payers and merchants reach it.');
  if (!tls && trustedProxies.length === 0)
    throw new StartError(
      'Live mode refuses to listen without TLS: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXIES to the addresses of the proxy that speaks TLS for it.',
    );
}

/** An address, or one with the length of its prefix. */
function isNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return (
    most !== undefined && rest.length === 0 && (length === undefined || (/^\d{1,3}$/.test(length) && +length <= most))
  );
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
