// The listener's certificate, and that of the authorities whose clients the client port lets in: read at the start, and again whenever
// their files change. Rule: new ones are taken only when they are whole and fit; until then the old ones stay, and that is said loudly.
import { constants, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Clock, Log } from '../../base/index.ts';
import { StartError } from '../../store/index.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface ClientTlsFiles extends TlsFiles {
  /** Who has signed the clients' certificates. */
  readonly caFile: string;
}

/** How often the files are looked at. */
const LOOK_MS = 1000;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a file; throws when there is none, or one that can't be read. */
function authorities(file: string): string[] {
  const found = readFileSync(file, 'utf8').match(CERTIFICATE) ?? [];
  if (found.length === 0) throw Object.assign(new Error('no certificate in it'), { code: 'no certificate in it' });
  for (const pem of found) void new X509Certificate(pem);
  return found;
}

/** Throws when a file can't be read or the two don't belong together. */
export function contextOf({ certFile, keyFile }: TlsFiles): SecureContextOptions {
  const context = { cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' } as const;
  createSecureContext(context);
  return context;
}

/** Every connection shows its certificate: a session that is taken up again would be let in by what held before. */
export const clientContextOf = (files: ClientTlsFiles): SecureContextOptions => ({
  ...contextOf(files),
  ca: authorities(files.caFile),
  allowPartialTrustChain: true,
  secureOptions: constants.SSL_OP_NO_TICKET,
});

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? 'unreadable';

/** Throws a StartError with one sentence. */
export function tlsContext(files: TlsFiles): SecureContextOptions {
  try {
    return contextOf(files);
  } catch (error) {
    throw new StartError(
      `TLS_CERT_FILE and TLS_KEY_FILE must name a certificate in PEM with its chain, and its key (${codeOf(error)}).`,
    );
  }
}

/** Throws a StartError with one sentence. */
export function clientTlsContext(files: ClientTlsFiles): SecureContextOptions {
  try {
    return clientContextOf(files);
  } catch (error) {
    throw new StartError(
      `TLS_CLIENT_CA_FILE must name certificates in PEM: those that the clients' are signed with (${codeOf(error)}).`,
    );
  }
}

const versionOf = (files: readonly string[]): string =>
  files
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((found) => (found ? `${found.ino}/${found.mtimeMs}/${found.size}` : 'missing'))
    .join(' ');

/** Until the signal. `take` throws when what the files hold now can't be used; it is asked again when they change again. */
export async function watchTls(
  files: readonly string[],
  take: () => void,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  let version = versionOf(files);
  while (!signal.aborted) {
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const found = versionOf(files);
      if (found === version) continue;
      version = found;
      take();
      log.info('the certificate changed and is in use');
    } catch (error) {
      log.error({ err: error }, 'the certificate changed and cannot be used; going on with the one of before');
    }
  }
}
