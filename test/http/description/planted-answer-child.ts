// A test file whose server answers what the description doesn't know: started by answers.test.ts, to see that the run turns red.
import { test } from 'node:test';
import { watchAnswers } from '../../support/answers.ts';
import { testApp } from '../../support/app.ts';

test('asks, and looks at nothing', async () => {
  const florin = await testApp(
    {},
    {
      watch(server, apis) {
        server.app.addHook('onSend', (_request, _reply, payload, next) =>
          next(null, String(payload).replace('"PONG!"', '"PONG!","colour":"CANARY"')),
        );
        watchAnswers(server, apis);
      },
    },
  );
  await florin.merchant('GET', '/gateway/ping');
});
