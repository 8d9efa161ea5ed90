// Customers of the issuing API, logged in: a session that has ended is begun anew, and what it refused is asked again.
import { type Asked, type Asker, isAnswer, type Question } from './asking.ts';

/** The neighbour is another tenant's consumer. */
export type Who = 'consumer' | 'corporate' | 'neighbour';

export interface Sessions {
  ask(who: Who, question: Question): Promise<Asked>;
}

const HOLDERS: Readonly<Record<Who, { readonly secret: string; readonly email: string }>> = {
  consumer: { secret: 'sandbox-secret', email: 'consumer@sandbox.test' },
  corporate: { secret: 'sandbox-secret', email: 'corporate@sandbox.test' },
  neighbour: { secret: 'sandbox-two-secret', email: 'consumer@sandbox-two.test' },
};

const secretOf = (who: Who) => ({ 'x-secret': HOLDERS[who].secret });

/** Another tenant's holder: what is `who`'s isn't there for him. */
export const strangerTo = (who: Who): Who => (who === 'neighbour' ? 'consumer' : 'neighbour');

export function createSessions(asker: Asker): Sessions {
  const tokens = new Map<Who, string>();
  const logins = new Map<Who, Promise<void>>();

  async function login(who: Who): Promise<void> {
    const body = { email: HOLDERS[who].email, password: { value: 'Sandbox-12345' } };
    const answer = await asker.read({
      who,
      method: 'POST',
      path: '/issuing/auth/login',
      body,
      headers: secretOf(who),
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
        const headers = { ...secretOf(who), 'authorization-key': token, ...question.headers };
        const asked = await asker.ask({ ...question, headers });
        if (!isAnswer(asked) || asked.status !== 403 || tries === 3) return asked;
        if (tokens.get(who) === token) tokens.delete(who);
      }
    },
  };
}
