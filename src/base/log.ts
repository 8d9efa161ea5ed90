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

export function createLog(level: string): Log {
  return pino({
    level,
    base: null,
    redact: { paths: [...HIDDEN, ...HIDDEN.map((name) => `*.${name}`)], censor: '[hidden]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
