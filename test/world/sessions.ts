// Customers of the issuing API, logged in: a session that has ended is begun anew, and what it refused is asked again.
import { type Asked, type Asker, isAnswer, type Question } from './asking.ts';

export type Who = 'consumer' | 'corporate';

export interface Sessions {
  ask(who: Who, question: Question): Promise<Asked>;
}

const SECRET = { 'x-secret': 'sandbox-secret' };

export function createSessions(asker: Asker): Sessions {
  const tokens = new Map<Who, string>();
  const logins = new Map<Who, Promise<void>>();

  async function login(who: Who): Promise<void> {
    const body = { email: `${who}@sandbox.test`, password: { value: 'Sandbox-12345' } };
    const answer = await asker.read({
      who,
      method: 'POST',
      path: '/issuing/auth/login',
      body,
      headers: SECRET,
      says: 'log in',
    });
    if (answer?.status === 200) tokens.set(who, answer.body.token as string);
  }
  /** One login at a time for all that wait for it. */
  function loggedIn(who: Who): Promise<void> {
    let waiting = logins.get(who);
    if (!waiting) logins.set(who, (waiting = login(who).finally(() => logins.delete(who))));
    return waiting;
  }

  return {
    async ask(who, question) {
      for (let tries = 0; ; tries++) {
        if (!tokens.has(who)) await loggedIn(who);
        const token = tokens.get(who) ?? '';
        const headers = { ...SECRET, 'authorization-key': token, ...question.headers };
        const asked = await asker.ask({ ...question, headers });
        if (!isAnswer(asked) || asked.status !== 403 || tries === 3) return asked;
        if (tokens.get(who) === token) tokens.delete(who);
      }
    },
  };
}
