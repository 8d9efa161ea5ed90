// /simulator/inbox/:name: anybody posts, for it is the far side of a wire; who looks and scripts has the operator's secret.
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Clock } from '../base/index.ts';
import {
  Failure,
  Flag,
  Integer,
  invalid,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  readBody,
  type Server,
  Shape,
  WebAddress,
} from '../http/index.ts';
import { contradiction, type Inbox, NO_SCRIPT, type ScriptedAnswer } from './inbox.ts';
import { inboxAnswers, MOST_WAIT_MS } from './inbox-answers.ts';
import { inboxSchema, scriptSchema } from './inbox-schemas.ts';

const BODY_LIMIT = 256 * 1024;
/** One word, so that it stands in a path as it is. */
const NAME = /^[\w-]{1,64}$/;

/** Receives, whoever sends and whatever it is. */
export function receiveAt(server: Server, path: string, { inbox, time }: { inbox: Inbox; time: Clock }): void {
  const { busy, give } = inboxAnswers(server, time);
  server.app.post(`${path}:name`, async (request: FastifyRequest<{ Params: { name: string } }>, reply) => {
    const { name } = request.params;
    if (!NAME.test(name)) throw new Failure('not_found');
    const body = await readBody(request.raw, BODY_LIMIT);
    return give(request, reply, await inbox.receive(name, { headers: request.raw.headers, body }, busy));
  });
}

const answerFields = {
  status: Optional(Integer(200, 599)),
  delay_ms: Optional(Integer(0, MOST_WAIT_MS)),
  hang: Optional(Flag()),
  reset: Optional(Flag()),
  redirect: Optional(WebAddress()),
  huge: Optional(Flag()),
};

const named = (name: string): string => {
  if (!NAME.test(name)) throw new Failure('not_found');
  return name;
};

/** Throws 422 where an answer says two things. */
function consistent(answer: ScriptedAnswer, uri: string): ScriptedAnswer {
  const wrong = contradiction(answer);
  if (wrong === null) return answer;
  const details = ['one of hang, reset, redirect and huge; a redirect has a status 3xx; hang and reset have none'];
  throw invalid({
    message: 'Contradicts the rest of the answer',
    uri: `${uri}/${wrong}`,
    attribute: 'answer',
    details,
  });
}

export function inboxEndpoints(inbox: Inbox): OperatorEndpoint[] {
  const params = Type.Object({ name: Type.String() });
  return [
    operatorEndpoint({
      method: 'GET',
      path: '/inbox/:name',
      operation: 'readInbox',
      summary: 'What arrived at an inbox, the newest first',
      description:
        'An endpoint is led here by the address `/simulator/inbox/{name}` of this server; any name will do. Each message shows whether its signature is right. A hundred messages are kept of each, 2 MiB at most; a thousand and 16 MiB in all.',
      right: null,
      params,
      answers: { 200: { description: 'The inbox', schema: inboxSchema } },
      handler: async ({ params: { name } }) => ({
        status: 200,
        body: { name: named(name), ...(await inbox.show(name)) },
      }),
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/inbox/:name/script',
      operation: 'setInboxScript',
      summary: 'How an inbox answers',
      description:
        '`next` is used up from its beginning, one answer a message; then `default` is the answer, 200 where there is none. `delay_ms` waits before the answer; `hang` gives none and cuts after a minute, `reset` cuts at once, `redirect` leads to an address, `huge` sends 16 MiB. A process makes 64 wait at once: further ones are answered 503, and the script stays.',
      right: null,
      params,
      body: Shape({
        next: Optional(Type.Array(Shape(answerFields), { maxItems: 100 })),
        default: Optional(Shape(answerFields)),
      }),
      answers: {
        200: { description: 'The script in force', schema: scriptSchema },
        409: { description: 'A hundred other inboxes have a script' },
      },
      async handler({ params: { name }, body }) {
        const script = {
          next: (body.next ?? []).map((answer, i) => consistent(answer, `#/next/${i}`)),
          default: consistent(body.default ?? NO_SCRIPT.default, '#/default'),
        };
        if (!(await inbox.setScript(named(name), script)))
          throw new Failure('conflict', { message: 'A hundred other inboxes have a script' });
        return { status: 200, body: script };
      },
    }),
    operatorEndpoint({
      method: 'DELETE',
      path: '/inbox/:name',
      operation: 'emptyInbox',
      summary: 'Empty an inbox and take its script back',
      right: null,
      params,
      answers: { 204: { description: 'Empty' } },
      async handler({ params: { name } }) {
        await inbox.empty(named(name));
        return { status: 204, body: null };
      },
    }),
  ];
}
