// Delivery to the endpoints of all owners, as their APIs know them: what signs for them, and who is told how they do.
import { type Clock, systemClock } from '../../base/index.ts';
import { type Egress, endpointKey, type Keyed, type SigningKey, signatureHeaders } from '../egress/index.ts';
import {
  type Endpoint,
  type EndpointsDesk,
  type EndpointsInMemory,
  endpointTell,
  signing,
} from '../endpoints/index.ts';
import type { Numbering } from '../log/index.ts';
import { createDelivery, type Delivery, type DeliveryOptions } from './delivery.ts';
import { messageOf, type Naming, postBy, type Try } from './out.ts';
import type { Posted, Receiver, Standings } from './receiver.ts';

/** Whose endpoints these are, as their API shows them; null: he is gone. */
export type DeskOf = (owner: bigint) => Promise<EndpointsDesk | null>;
/** Of each kind of owner that this server knows. */
export type Desks = ReadonlyMap<Endpoint['owner_type'], DeskOf>;

export interface EndpointDelivery
  extends Pick<
    DeliveryOptions,
    'database' | 'ids' | 'random' | 'log' | 'permutation' | 'lease' | 'agent' | 'figures' | 'slots'
  > {
  /** Business time. */
  readonly clock: Clock;
  readonly keyed: Keyed;
  readonly egress: Pick<Egress, 'post'>;
  readonly endpoints: EndpointsInMemory;
  readonly numbering: Pick<Numbering, 'onNumbered'>;
  readonly desks: Desks;
}

export function deliverToEndpoints(options: EndpointDelivery): Delivery {
  const { clock, egress, endpoints, numbering, desks } = options;
  const known = new Map<string, Endpoint>();
  const receiverOf = receivers(options);
  const delivery = createDelivery({
    ...options,
    clock: systemClock,
    business: clock,
    post: postBy(egress, systemClock),
    standings: standingsBy(desks, (owner, id) => known.get(`${owner}/${id}`)),
    async receivers() {
      const all = await endpoints.all();
      known.clear();
      for (const endpoint of all) known.set(`${endpoint.owner_id}/${endpoint.id}`, endpoint);
      return all.filter(({ owner_type }) => desks.has(owner_type)).map(receiverOf);
    },
  });
  numbering.onNumbered((owner) => delivery.wake(owner));
  return delivery;
}

/** One message to an endpoint, whether it is enabled or not: what it comes to is the caller's. */
export type SendOnce = (endpoint: Endpoint, tried: Try) => Promise<Posted>;

export function sendingOnce({
  keyed,
  clock,
  egress,
  ...naming
}: Pick<EndpointDelivery, 'clock' | 'egress' | 'keyed'> & Naming): SendOnce {
  const post = postBy(egress, systemClock);
  // Its end is that of the time that a try has, or of the door.
  const { signal } = new AbortController();
  return (endpoint, tried) => {
    const { id, url, payload } = endpoint;
    const sign = signerOf({ keyed, clock }, endpoint);
    return post({ ...messageOf(naming, { id, url, payload, sign }, tried), signal });
  };
}

/** Signs with the keys of an endpoint that sign at that moment. */
function signerOf({ keyed, clock }: Pick<EndpointDelivery, 'clock' | 'keyed'>, endpoint: Endpoint): Receiver['sign'] {
  const { owner_id: owner, id, signature: scheme } = endpoint;
  const keys = new Map<number, SigningKey>();
  const keyOf = (generation: number): SigningKey => {
    const key = keys.get(generation) ?? endpointKey(keyed, owner, id, generation);
    keys.set(generation, key);
    return key;
  };
  return (event, at, body) =>
    signatureHeaders({
      id: event,
      at,
      body,
      scheme,
      keys: signing(endpoint, clock.now()).map(({ generation }) => keyOf(generation)),
    });
}

/** The same receiver for the same endpoint, so that one that was changed is seen to be another. */
function receivers({
  keyed,
  clock,
  endpoints,
}: Pick<EndpointDelivery, 'clock' | 'endpoints' | 'keyed'>): (endpoint: Endpoint) => Receiver {
  const made = new WeakMap<Endpoint, Receiver>();
  return (endpoint) => {
    const before = made.get(endpoint);
    if (before) return before;
    const { owner_id: owner, id, url, payload, concurrency, ordered } = endpoint;
    const receiver: Receiver = {
      owner,
      id,
      url,
      payload,
      concurrency,
      ordered,
      wants: (type) => endpoints.wants(endpoint, { type, subject_id: 0n }),
      sign: signerOf({ keyed, clock }, endpoint),
    };
    made.set(endpoint, receiver);
    return receiver;
  };
}

function standingsBy(desks: Desks, endpointOf: (owner: bigint, id: bigint) => Endpoint | undefined): Standings {
  const tell = async (owner: bigint, id: bigint, found: Parameters<typeof endpointTell>[2]): Promise<void> => {
    const endpoint = endpointOf(owner, id);
    const desk = endpoint && (await desks.get(endpoint.owner_type)?.(owner));
    if (desk) await endpointTell(desk, id, found);
  };
  return {
    failing: (owner, id) => tell(owner, id, { type: 'webhook.failing' }),
    recovered: (owner, id) => tell(owner, id, { type: 'webhook.recovered' }),
    givenUp: (owner, id) => tell(owner, id, { type: 'webhook.delivery_given_up' }),
    disable: (owner, id, reason) => tell(owner, id, { type: 'webhook.disabled', reason }),
  };
}
