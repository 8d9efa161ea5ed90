// What a log tells of an error: its name, words, code and place; nothing that a driver hangs on it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/base/index.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown> {
  let line = '';
  write(createLog('info', { write: (text: string) => void (line += text) }));
  return JSON.parse(line) as Record<string, unknown>;
}

test('an error is its type, message, code, stack and cause, and no row or connection', () => {
  const cause = Object.assign(new Error('connection lost'), { code: '57P01', client: { password: 'hunter2' } });
  const error = Object.assign(new TypeError('it failed', { cause }), {
    detail: 'Key (holder)=(Ada Example) already exists.',
    parameters: ['4111111111111111'],
    status: 7,
  });
  const { err } = logged((log) => log.error({ err: error }, 'failed')) as {
    err: { type: string; message: string; stack: string; cause: { code: string } };
  };
  assert.deepEqual(Object.keys(err).sort(), ['cause', 'message', 'stack', 'type']);
  assert.deepEqual([err.type, err.message, err.cause.code], ['TypeError', 'it failed', '57P01']);
  assert.match(err.stack, /log\.test\.ts/);
  assert.doesNotMatch(JSON.stringify(err), /hunter2|Ada Example|4111/);
});

test('what is no error tells nothing of itself', () => {
  const { err } = logged((log) => log.error({ err: { token: 'secret-value' } }, 'failed'));
  assert.deepEqual(err, { type: 'object', message: 'not an error' });
});

test('names that always hide', () => {
  const line = logged((log) => log.info({ pan: '4111111111111111', order: { cvv: '123', id: 5 } }, 'x'));
  assert.deepEqual([line.pan, line.order], ['[hidden]', { cvv: '[hidden]', id: 5 }]);
});
