// The listener's certificate: read at the start, and again whenever its files change. Rule: a new one is taken only when it is whole and
// fits its key; until then the old one stays, and that is said loudly.
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import type { Clock, Log } from '../base/index.ts';
import { StartError } from '../store/index.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** How often the files are looked at. */
const LOOK_MS = 1000;

/** Throws when a file can't be read or the two don't belong together. */
function contextOf({ certFile, keyFile }: TlsFiles): SecureContextOptions {
  const context = { cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' } as const;
  createSecureContext(context);
  return context;
}

/** Throws a StartError with one sentence. */
export function tlsContext(files: TlsFiles): SecureContextOptions {
  try {
    return contextOf(files);
  } catch (error) {
    const { code = 'unreadable' } = error as { code?: string };
    throw new StartError(
      `TLS_CERT_FILE and TLS_KEY_FILE must name a certificate in PEM with its chain, and its key (${code}).`,
    );
  }
}

const versionOf = ({ certFile, keyFile }: TlsFiles): string =>
  [certFile, keyFile]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((found) => (found ? `${found.ino}/${found.mtimeMs}/${found.size}` : 'missing'))
    .join(' ');

/** Until the signal. */
export async function watchTls(
  server: Server,
  files: TlsFiles,
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
      server.setSecureContext(contextOf(files));
      log.info('the certificate changed and is in use');
    } catch (error) {
      log.error({ err: error }, 'the certificate changed and cannot be used; going on with the one of before');
    }
  }
}
