// What an inbox shows, as schemas.
import Type from 'typebox';
import { Choice, Instant, Nullable, Shape } from '../http/index.ts';

const text = Type.String();
const flag = Type.Optional(Type.Boolean());
const answer = Shape(
  {
    status: Type.Optional(Type.Integer()),
    delay_ms: Type.Optional(Type.Integer()),
    hang: flag,
    reset: flag,
    redirect: Type.Optional(text),
    huge: flag,
  },
  { title: 'InboxAnswer' },
);
export const scriptSchema = Shape({ next: Type.Array(answer), default: answer }, { title: 'InboxScript' });
const message = Shape(
  {
    id: Type.String({ description: 'Grows with each message of all inboxes.' }),
    at: Instant(),
    headers: Type.Unsafe({ type: 'object', additionalProperties: { type: 'string' } }),
    body: Type.String({
      description: 'As it came; card numbers are masked unless it is valid: what is sent from here holds none.',
    }),
    body_encoding: Choice(['utf8', 'base64']),
    bytes: Type.Integer({ description: 'Of the body.' }),
    valid: Type.Boolean({ description: "It is signed by an endpoint's key, within five minutes." }),
    problem: Nullable(Choice(['unknown_endpoint', 'missing', 'too_old', 'too_new', 'wrong'])),
    webhook_id: Nullable(text),
    answer,
  },
  { title: 'InboxMessage' },
);
export const inboxSchema = Shape(
  { name: text, script: scriptSchema, messages: Type.Array(message) },
  { title: 'Inbox' },
);
