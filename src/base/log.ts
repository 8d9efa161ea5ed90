// Structured logs. Rule: no request body, query string, header or card data is ever handed to a logger;
// the censor below is a second wall, not the first.
import pino from 'pino';

export type Log = pino.Logger;

const HIDDEN = [
  'pan',
  'cvv',
  'cvc',
  'holder',
  'expiry',
  'cavv',
  'form3d',
  'form3d_html',
  'MD',
  'PaReq',
  'PaRes',
  'cres',
  'creq',
  'password',
  'secret',
  'token',
  'authorization',
  'body',
  'query',
  'headers',
];

interface ErrorText {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorText;
}

/** What a log tells of an error. Errors of drivers carry rows, parameters and connections besides: none of that. */
function described(error: unknown): ErrorText {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error' };
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(cause instanceof Error ? { cause: described(cause) } : {}),
  };
}

export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    serializers: { err: described },
    redact: { paths: [...HIDDEN, ...HIDDEN.map((name) => `*.${name}`)], censor: '[hidden]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return destination ? pino(options, destination) : pino(options);
}
