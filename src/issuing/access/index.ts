// access: who is asking: login, sessions, step-up, one-time codes and the messages that carry them. Owns user_sessions and messages.
// Rule: of a token only its keyed hash is kept.
export { createLogin } from './login.ts';
export { messageFor, messageWrite, oneTimeCode, purgeMessages } from './messages.ts';
export type { Session } from './model.ts';
export { sessionsEnd } from './queries.ts';
export { loginEndpoints, messageEndpoints, stepUpEndpoints } from './routes.ts';
export {
  eventsAuthentication,
  secretAuthentication,
  sessionAuthentication,
  type Throttle,
} from './routes-authentication.ts';
export { logout, purgeSessions, sessionCreate, sessionOf } from './sessions.ts';
export { sendCode, verifyCode } from './step-up.ts';
