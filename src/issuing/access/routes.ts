// /auth: login, logout, step-up; and in the sandbox the messages that were sent.
import Type from 'typebox';
import {
  type AnyEndpoint,
  Choice,
  endpointOf,
  Instant,
  Integer,
  Optional as OptionalField,
  Shape,
  Text,
} from '../../http/index.ts';
import { object, shape, text } from '../fields/index.ts';
import { conflict, type IssuingDeps, rejection, shownId, shownText } from '../requests/index.ts';
import type { Tenant } from '../tenants/index.ts';
import type { createLogin } from './login.ts';
import type { Session } from './model.ts';
import { messagesTo } from './queries.ts';
import { logout } from './sessions.ts';
import { sendCode, verifyCode } from './step-up.ts';

const ofTenant = endpointOf<Tenant>();
const ofSession = endpointOf<Session>();

const session = Shape(
  {
    token: Type.String({ pattern: '^[\\w-]+$', description: 'For Authorization-key.' }),
    tokenType: Choice(['ACCESS']),
    identity: Shape({ id: shownId, type: Choice(['consumer', 'corporate']) }),
    credentials: Shape({ id: shownId, type: Choice(['ROOT', 'USER']) }),
  },
  { title: 'Session' },
);

export const loginEndpoints = (deps: IssuingDeps, login: ReturnType<typeof createLogin>): AnyEndpoint<Tenant>[] => [
  ofTenant({
    method: 'POST',
    path: '/auth/login',
    operation: 'login',
    summary: 'Log in with e-mail and password',
    tag: 'Authentication',
    right: null,
    body: shape({
      email: text({ required: true, max: 255, blank: 'HAS_TEXT' }),
      password: object(
        { value: text({ required: true, max: 255, blank: 'HAS_TEXT', exact: true }) },
        { required: true },
      ),
    }),
    answers: {
      200: { description: 'A session', schema: session },
      410: { description: 'USER_DEACTIVATED' },
      423: { description: 'LOGIN_LOCKED: for 30 minutes after 5 wrong passwords' },
    },
    async handler({ principal, body }) {
      const { token, user, identityType } = await login(principal, body.email, body.password.value);
      const { outward } = deps.permutation;
      return {
        status: 200,
        body: {
          token,
          tokenType: 'ACCESS',
          identity: { id: outward(user.identity_id), type: identityType },
          credentials: { id: outward(user.id), type: user.kind === 'root' ? 'ROOT' : 'USER' },
        },
      };
    },
  }),
];

/** What an idle session may still do. */
export const stepUpEndpoints = (deps: IssuingDeps): AnyEndpoint<Session>[] => [
  ofSession({
    method: 'POST',
    path: '/auth/logout',
    operation: 'logout',
    summary: 'End the session',
    tag: 'Authentication',
    right: null,
    answers: { 204: { description: 'Ended' } },
    async handler({ principal }) {
      await logout(deps, principal);
      return { status: 204, body: null };
    },
  }),
  ofSession({
    method: 'POST',
    path: '/auth/stepup/send-otp',
    operation: 'stepUpSend',
    summary: 'Send a one-time code that steps the session up',
    tag: 'Authentication',
    right: null,
    body: shape({ channel: text({ max: 50, blank: 'REGEX', description: 'SMS' }) }),
    answers: {
      204: { description: 'Sent' },
      ...conflict('CHANNEL_NOT_SUPPORTED', 'CHANNEL_NOT_REGISTERED', 'RETRY_IN_15SEC', 'CHALLENGE_LIMIT_EXCEEDED'),
    },
    async handler({ principal, body }) {
      await sendCode(deps, principal, body.channel ?? 'SMS');
      return { status: 204, body: null };
    },
  }),
  ofSession({
    method: 'POST',
    path: '/auth/stepup/verify-otp',
    operation: 'stepUpVerify',
    summary: 'Step the session up with the code; the same token goes on',
    tag: 'Authentication',
    right: null,
    body: shape({
      verificationCode: text({ required: true, max: 6, blank: 'REGEX', pattern: /^\d{6}$/, exact: true }),
    }),
    answers: {
      204: { description: 'Stepped up' },
      ...conflict(
        'VERIFICATION_CODE_INVALID',
        'VERIFICATION_CODE_EXPIRED',
        'STATE_INVALID',
        'ALREADY_VERIFIED',
        'CHALLENGE_LIMIT_EXCEEDED',
      ),
    },
    async handler({ principal, body }) {
      const rejected = await verifyCode(deps, principal, body.verificationCode);
      return rejected ? rejection(rejected) : { status: 204, body: null };
    },
  }),
];

const ofOperator = endpointOf<unknown>();
const sentMessages = Shape({
  messages: Type.Array(
    Shape(
      { id: shownId, channel: Choice(['SMS', 'EMAIL']), to: shownText, text: shownText, sentAt: Instant() },
      { title: 'SentMessage' },
    ),
  ),
});

/** GET /simulator/messages. */
export const messageEndpoints = (deps: IssuingDeps): AnyEndpoint<unknown>[] => [
  ofOperator({
    method: 'GET',
    path: '/messages',
    operation: 'listMessages',
    summary: 'SMS and mails that would have been sent, the newest first',
    right: null,
    query: Shape({ to: OptionalField(Text({ max: 255 })), limit: OptionalField(Integer(1, 100)) }),
    answers: { 200: { description: 'Messages', schema: sentMessages } },
    async handler({ query }) {
      const found = await messagesTo(deps.db, query.to ?? null, query.limit ?? 50);
      const messages = found.map(({ id, channel, recipient, text: said, created_at }) => ({
        id: deps.permutation.outward(id),
        channel,
        to: recipient,
        text: said,
        sentAt: created_at.toISOString(),
      }));
      return { status: 200, body: { messages } };
    },
  }),
];
