// access: who is asking: login, sessions, step-up, one-time codes and the messages that carry them. Owns user_sessions and messages.
export type { Session } from './model.ts';
