// All of it, in the form of one API.
import type { AnyEndpoint } from '../../http/index.ts';
import { deliveryEndpoints } from './delivery-endpoints.ts';
import { eventEndpoints } from './event-endpoints.ts';
import type { EventsGround, Form } from './form.ts';
import { replayEndpoints } from './replay-endpoints.ts';
import { streamEndpoints } from './stream-endpoint.ts';
import { testEndpoint } from './test-endpoint.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

export const everyEndpoint = <Principal>(ground: EventsGround, form: Form<Principal>): AnyEndpoint<Principal>[] => [
  ...eventEndpoints(ground, form),
  ...streamEndpoints(ground, form),
  ...webhookEndpoints(ground, form),
  ...deliveryEndpoints(ground, form),
  ...replayEndpoints(ground, form),
  testEndpoint(ground, form),
];
