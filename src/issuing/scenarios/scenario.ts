// A request that provokes a documented error, ready to send, and what it answers.
import { type FailureCode, failures, statusOf } from '../fields/index.ts';

export interface Scenario {
  /** `issuing.cards.request.PROFILE_NOT_FOUND` */
  readonly id: string;
  readonly api: 'issuing' | 'gateway';
  readonly summary: string;
  readonly request: {
    readonly method: string;
    /** From the server's root. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** null: no body. Text: sent as it is, as it is no JSON. */
    readonly body: object | string | null;
  };
  readonly expect: {
    readonly status: number;
    /** Of the body of a 403 or 409. */
    readonly errorCode?: string;
    /** Of every other body but a 400's. */
    readonly code?: string;
    /** Of a 400: the one wrong field of `syntaxErrors.invalidFields`; absent: the list is empty. */
    readonly invalidField?: { readonly params: readonly string[]; readonly fieldName: string; readonly error: string };
  };
}

export interface Caller {
  readonly secret: string;
  readonly token: string | null;
}

/** Headers on top of the caller's own. */
type Headers = Readonly<Record<string, string>>;

export type Request = readonly [method: string, path: string, body?: object | string | null, headers?: Headers];

export const headersOf = ({ secret, token }: Caller, hasBody: boolean): Record<string, string> => ({
  'x-secret': secret,
  ...(token === null ? {} : { 'authorization-key': token }),
  ...(hasBody ? { 'content-type': 'application/json' } : {}),
});

/** A scenario of an issuing endpoint; `path` is below /issuing. */
export function scenario(
  name: string,
  summary: string,
  caller: Caller,
  [method, path, body = null, headers = {}]: Request,
  expect: Scenario['expect'],
): Scenario {
  return {
    id: `issuing.${name}`,
    api: 'issuing',
    summary,
    request: { method, path: `/issuing${path}`, headers: { ...headersOf(caller, body !== null), ...headers }, body },
    expect,
  };
}

/** What a no answers: `errorCode` for 403 and 409, `code` for the rest. */
export function refusal(code: FailureCode): Scenario['expect'] {
  const status = statusOf(code);
  return status === 403 || status === 409 ? { status, errorCode: code } : { status, code };
}

/** A request that is refused with this code. */
export const refused = (code: FailureCode, name: string, caller: Caller, request: Request): Scenario =>
  scenario(`${name}.${code}`, failures[code][1], caller, request, refusal(code));

/** The one wrong field of a 400. */
export const invalid = (params: readonly string[], fieldName: string, error: string): Scenario['expect'] => ({
  status: 400,
  invalidField: { params, fieldName, error },
});
