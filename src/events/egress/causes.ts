// Why nothing was heard: the closed table of words. Rule: whatever goes wrong outside is one of these, and never an exception to the caller.

export const CAUSES = {
  unreadable_url: 'The address cannot be read',
  plain_http: 'The address is not https',
  user_info: 'The address carries a name or a password',
  port: 'The port is neither 443 nor above 1023',
  own_host: 'The address is one of this server',
  not_public: 'The address is not public',
  bad_header: 'A header field cannot be sent',
  dns: 'The name was not found',
  connect: 'No connection could be made',
  connect_timeout: 'No connection was made in time',
  proxy: 'The proxy made no connection',
  tls: 'The certificate or the encryption was refused',
  reset: 'The connection was closed without an answer',
  malformed: 'What came back is no HTTP answer',
  timeout: 'No answer came in time',
  stopped: 'The attempt was stopped',
} as const;

export type Cause = keyof typeof CAUSES;

/** Those that an address has by itself, before anything is sent: for whoever wants to save it. */
export type Refusal = Extract<
  Cause,
  'unreadable_url' | 'plain_http' | 'user_info' | 'port' | 'own_host' | 'not_public' | 'dns'
>;

/** Within this room only: what a step fails with. */
export class Unanswered extends Error {
  override name = 'Unanswered';
  readonly why: Cause;

  constructor(why: Cause, options?: ErrorOptions) {
    super(CAUSES[why], options);
    this.why = why;
  }
}

/** All signals in this room are ended with an Unanswered. */
export const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Unanswered('stopped');
