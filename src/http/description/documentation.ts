// The API reference for people (/docs) and for programs (/openapi.json). Rule: the page loads nothing from elsewhere.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { Server } from '../listener/index.ts';
import { type ApiInfo, openapiOf } from './openapi.ts';
import type { AnyApi } from './openapi-answers.ts';
import type { Json } from './openapi-components.ts';
import { referenceTheme } from './reference-theme.ts';

/** The page's script sets styles on elements that it makes; no script runs but those that are served beside it. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the description of the given APIs at /openapi.json and the reference at /docs. It is made when somebody asks for it first. */
export function documentation(server: Server, apis: readonly AnyApi[], info: ApiInfo): void {
  const document: Json = {};
  let text = '';
  const described = (): string => {
    if (text === '') text = JSON.stringify(Object.assign(document, openapiOf(apis, info)));
    return text;
  };
  server.app.get('/openapi.json', (_request, reply) =>
    reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': "default-src 'none'",
      })
      .send(described()),
  );
  server.app.register(async (scope) => {
    scope.addHook('onRequest', (_request, _reply, next) => {
      described();
      next();
    });
    await scope.register(swagger, { mode: 'static', specification: { document: document as never } });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: PAGE_POLICY,
      theme: referenceTheme(info.title),
      uiConfig: {
        layout: 'BaseLayout',
        docExpansion: 'list',
        deepLinking: true,
        validatorUrl: null,
        tryItOutEnabled: false,
        persistAuthorization: false,
      } as never,
    });
  });
}
