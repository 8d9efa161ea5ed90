// By what the gateway refuses a request, as one closed table: kind → failure_type and text. Its contract has no codes for them.
// Rule: a refusal is thrown and leaves nothing behind. What is kept of a no, with its order's row, is a rejection (rejections.ts).
import { Refusal, type RefusalKind } from '../../base/index.ts';
import type { FailureType } from './model.ts';

export const refusals = {
  bad_request: ['rejected', 'Malformed request'],
  unauthenticated: ['rejected', 'Login or password is wrong'],
  forbidden: ['rejected', 'Not allowed for this login'],
  // One text for what isn't there, what never was and what is somebody else's.
  not_found: ['rejected', 'Not found'],
  method_not_allowed: ['rejected', 'Method not allowed'],
  not_acceptable: ['rejected', 'Only application/json can be answered'],
  timeout: ['rejected', 'The request took too long to arrive'],
  conflict: ['rejected', 'A request with the same idempotency key is being processed'],
  gone: ['rejected', 'No longer available'],
  too_large: ['rejected', 'Request body is too large'],
  unsupported_media_type: ['rejected', 'Content type must be application/json'],
  validation: ['validation', 'Validation failed'],
  locked: ['rejected', 'Locked'],
  rate_limited: ['rejected', 'Too many requests'],
  headers_too_large: ['rejected', 'Request header is too large'],
  unavailable: ['error', 'Temporary failure'],
  loop: ['rejected', 'This server has sent the request itself'],
} as const satisfies Readonly<Record<RefusalKind, readonly [type: FailureType, message: string]>>;

export const refuse = (kind: RefusalKind): Refusal => new Refusal(kind, kind, refusals[kind][1]);
