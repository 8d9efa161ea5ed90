// What is answered about events and endpoints, as schemas, and endpoints as each API shows them.
// Rule: closed, but for what an event tells of: that is what a GET of it answers, and stands in its own place.
import Type, { type TProperties, type TSchema } from 'typebox';
import { Choice, Id, Matching, Nullable, Optional, Shape } from '../../http/index.ts';
import { endpointKey, type Keyed, publicKeyText } from '../egress/index.ts';
import { DISABLED_REASONS, type Endpoint, MOST_CONCURRENCY, PAYLOADS, SIGNATURES } from '../endpoints/index.ts';
import type { OwnerType } from '../log/index.ts';
import { standingShape } from './standing.ts';
import type { Style } from './style.ts';

export type { Style } from './style.ts';

const text = Type.String();
const any = { type: 'object', additionalProperties: true };

export function endpointShape(style: Style, more: TProperties = {}): TSchema {
  const { name, created, updated, time, title, nulls } = style;
  const reason = Choice(DISABLED_REASONS, { description: 'Why it is not enabled.' });
  const key = Shape(
    {
      generation: Type.Integer({ minimum: 1 }),
      until: Optional(time),
      [name('public_key')]: Optional(Matching('^whpk_', { description: 'Of Ed25519, where it signs so.' })),
    },
    { title: title('WebhookKey'), description: 'A key that signs; until: it is replaced.' },
  );
  return Shape(
    {
      id: Id(),
      url: text,
      description: text,
      events: Type.Array(text, { description: 'As given: types, `order.*`, `*`.' }),
      enabled: Type.Boolean(),
      [name('disabled_reason')]: nulls ? Nullable(reason) : Optional(reason),
      payload: Choice(PAYLOADS),
      signature: Choice(SIGNATURES),
      version: Matching('^\\d{4}-\\d{2}-\\d{2}$', { description: 'Of its events: that of the day when it was made.' }),
      concurrency: Type.Integer({ minimum: 1, maximum: MOST_CONCURRENCY }),
      ordered: Type.Boolean(),
      keys: Type.Array(key),
      [created]: time,
      [updated]: time,
      standing: Optional(standingShape(style)),
      ...more,
    },
    { title: title(more.secret ? 'NewWebhook' : 'Webhook') },
  );
}

export const SECRET: TProperties = {
  secret: Optional(
    Type.String({ description: '`whsec_…`: told by the request that made the key, and not by a repeat of it.' }),
  ),
};

/** An event is the same for every receiver, whichever API it is read by. */
export const eventShape = (owner: OwnerType): TSchema =>
  Shape(
    {
      id: Id(),
      type: Matching('^[a-z_]+\\.[a-z_]+$'),
      timestamp: text,
      version: text,
      mode: Choice(['sandbox', 'live']),
      owner: Shape({ type: Choice(['project', 'tenant', 'operator']), id: text }),
      resource: Shape({ type: text, id: text, sequence: Type.Integer({ minimum: 1 }) }),
      cause: Shape({ by: text }),
      data: Shape({
        object: Type.Unsafe({ ...any, description: 'What a GET of the resource answered at that moment.' }),
        previous: Type.Unsafe({ ...any, description: 'Old values of what changed.' }),
        operation: Optional(Type.Unsafe({ ...any, description: 'What was done to an order.' })),
        truncated: Optional(Type.Boolean()),
      }),
    },
    { title: `${owner[0]?.toUpperCase()}${owner.slice(1)}Event` },
  );

/** An endpoint in an API's words. */
export const endpointShown =
  (
    { name, created, updated, nulls }: Style,
    { keyed, outward, time }: { readonly keyed: Keyed; outward(id: bigint): string; time(at: Date): unknown },
  ) =>
  (endpoint: Endpoint): object => {
    const { owner_id, id, signature, disabled_reason, keys } = endpoint;
    const publicOf = (generation: number): object =>
      signature === 'hmac' ? {} : { [name('public_key')]: publicKeyText(endpointKey(keyed, owner_id, id, generation)) };
    return {
      id: outward(id),
      url: endpoint.url,
      description: endpoint.description,
      events: endpoint.types,
      enabled: endpoint.enabled,
      ...(disabled_reason === null && !nulls ? {} : { [name('disabled_reason')]: disabled_reason }),
      payload: endpoint.payload,
      signature,
      version: endpoint.version,
      concurrency: endpoint.concurrency,
      ordered: endpoint.ordered,
      keys: keys.map(({ generation, until }) => ({
        generation,
        ...(until === undefined ? {} : { until: time(new Date(until)) }),
        ...publicOf(generation),
      })),
      [created]: time(endpoint.created_at),
      [updated]: time(endpoint.updated_at),
    };
  };
