// The commands of operations that are stuck: what waits, and settling it as the acquirer told.
import { at, type CommandSpec, given } from '../command.ts';

export const operationCommands: readonly CommandSpec[] = [
  {
    usage: 'operations stuck',
    summary: 'list operations that the acquirer was asked for in vain',
    run: (call) => call('GET', '/operations/stuck'),
    table: [
      'operations',
      'id',
      'order_id',
      'project',
      'type',
      'amount',
      'currency',
      'since',
      'tries',
      'why',
      'next_try',
      'answer.problem',
    ],
  },
  {
    usage: 'operations resolve <id>',
    summary: 'settle a stuck operation as the acquirer told by telephone',
    required: [
      ['--outcome <word>', 'approved, declined or never_arrived'],
      ['--reason <text>', 'who at the acquirer said so, and when'],
    ],
    options: [
      ['--response-code <code>', 'ISO 8583 response code, if it was told'],
      ['--auth-code <code>', 'authorization code of an approval, if it was told'],
    ],
    run: (call, [id], { outcome, reason, responseCode, authCode }) =>
      call(
        'POST',
        at`/operations/${id}/resolve`,
        given({ outcome, reason, response_code: responseCode, auth_code: authCode }),
      ),
  },
];
