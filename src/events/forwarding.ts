// Asks a tenant's server about a payment: one signed HTTPS POST, answered in time or not at all (Standard Webhooks signatures).
// Rule: one attempt, by the door that all such calls take (egress); whatever goes wrong is a cause, never an exception.
import type { Clock, Log } from '../base/index.ts';
import type { Answer, Egress } from './egress/index.ts';
import { secretKey, signatureHeaders } from './egress/index.ts';

export interface ForwardingRequest {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ForwardingAnswer {
  /** null: no answer that can be used. */
  readonly decision: 'APPROVE' | 'DECLINE' | null;
  /** What kept it from being heard (egress), or what was wrong with it. */
  readonly cause: string;
}

export interface ForwardingOptions {
  /** The real one, never a sandbox's: who checks the signature refuses a message whose time isn't the present. */
  readonly clock: Clock;
  readonly log: Log;
  readonly egress: Pick<Egress, 'post'>;
  /** For the whole exchange: name, connection, request and answer. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 1500;
/** So many failures in a row open the circuit; then one request a while tries whether it is over. */
const FAILURES = 5;
const OPEN_MS = 30_000;

/** `{"decision": "APPROVE" | "DECLINE"}` with status 200; anything else says nothing. */
function readAnswer(answer: Answer): ForwardingAnswer {
  if (answer.cause !== null) return { decision: null, cause: answer.cause };
  if (answer.status !== 200) return { decision: null, cause: `status ${answer.status}` };
  if (answer.truncated) return { decision: null, cause: 'too long an answer' };
  try {
    const { decision } = JSON.parse(answer.body.toString()) as { readonly decision?: unknown };
    if (decision === 'APPROVE' || decision === 'DECLINE') return { decision, cause: 'answered' };
  } catch {
    // Not JSON: malformed like any other answer without a decision.
  }
  return { decision: null, cause: 'malformed answer' };
}

interface Circuit {
  failures: number;
  /** Monotonic; before it nothing is sent. */
  closedAtMs: number;
}

export function createForwarding(
  options: ForwardingOptions,
): (request: ForwardingRequest) => Promise<ForwardingAnswer> {
  const { clock, log, egress, timeoutMs = TIMEOUT_MS } = options;
  const circuits = new Map<string, Circuit>();

  async function send({ url, secret, id, body }: ForwardingRequest): Promise<ForwardingAnswer> {
    const key = secretKey(secret);
    if (!key) return { decision: null, cause: 'no usable secret' };
    const text = JSON.stringify(body);
    const signature = signatureHeaders({ id, at: clock.now(), body: text, keys: [key], scheme: 'hmac' });
    const headers = { 'content-type': 'application/json', 'florin-delivery': id, ...signature };
    return readAnswer(await egress.post(url, { headers, body: text, timeoutMs }));
  }

  return async (asked) => {
    const circuit = circuits.get(asked.url) ?? { failures: 0, closedAtMs: 0 };
    circuits.set(asked.url, circuit);
    if (clock.elapsed() < circuit.closedAtMs) return { decision: null, cause: 'circuit open' };
    // While one request tries whether the server is back, the others don't wait for it.
    if (circuit.failures >= FAILURES) circuit.closedAtMs = clock.elapsed() + OPEN_MS;
    const answer = await send(asked);
    if (answer.decision) {
      circuit.failures = 0;
      circuit.closedAtMs = 0;
      return answer;
    }
    circuit.failures++;
    if (circuit.failures >= FAILURES) circuit.closedAtMs = clock.elapsed() + OPEN_MS;
    log.warn({ id: asked.id, cause: answer.cause, failures: circuit.failures }, 'forwarding was not answered');
    return answer;
  };
}
