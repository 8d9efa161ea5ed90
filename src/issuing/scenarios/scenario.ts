// A request that provokes a documented error, ready to send, and what it answers.
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
    /** errorCode of 403 and 409, code of the rest; absent where the body has none. */
    readonly errorCode?: string;
    /** Of a 400: the one wrong field. */
    readonly invalidField?: { readonly params: readonly string[]; readonly fieldName: string; readonly error: string };
  };
}

export interface Caller {
  readonly secret: string;
  readonly token: string | null;
}

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
  [method, path, body = null]: readonly [method: string, path: string, body?: object | string | null],
  expect: Scenario['expect'],
): Scenario {
  return {
    id: `issuing.${name}`,
    api: 'issuing',
    summary,
    request: { method, path: `/issuing${path}`, headers: headersOf(caller, body !== null), body },
    expect,
  };
}
