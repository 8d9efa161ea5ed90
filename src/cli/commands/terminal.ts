// terminal: how a project's payments reach the acquirer.
import { at, type CommandSpec, given, list } from '../command.ts';

export const terminalCommands: readonly CommandSpec[] = [
  {
    usage: 'terminal put <project> <id>',
    summary: 'make a terminal or replace it whole',
    required: [
      ['--descriptor <text>', "what the cardholder's statement shows"],
      ['--currencies <codes>', 'accepted currencies, separated by commas'],
      ['--link <name>', 'acquirer link'],
      ['--merchant-id <id>', 'merchant number at the acquirer'],
      ['--mcc <code>', 'merchant category code'],
    ],
    options: [
      ['--secure3d <when>', 'when_needed or always', 'when_needed'],
      ['--multicapture', 'more than one charge an order'],
      ['--cvv-must-match', 'decline a wrong CVV'],
      ['--position <rank>', 'rank in the order of preference'],
    ],
    run: (
      call,
      [project, id],
      { currencies, merchantId, cvvMustMatch, position, descriptor, link, mcc, secure3d, multicapture },
    ) =>
      call(
        'PUT',
        at`/projects/${project}/terminals/${id}`,
        given({
          descriptor,
          currencies: list(currencies),
          link,
          merchant_id: merchantId,
          mcc,
          secure3d,
          multicapture,
          cvv_must_match: cvvMustMatch,
          position,
        }),
      ),
  },
  {
    usage: 'terminal list <project>',
    summary: 'list terminals in the order of preference',
    run: (call, [project]) => call('GET', at`/projects/${project}/terminals`),
    table: [
      'terminals',
      'id',
      'descriptor',
      'currencies',
      'link',
      'merchant_id',
      'mcc',
      'secure3d',
      'multicapture',
      'cvv_must_match',
    ],
  },
  {
    usage: 'terminal remove <project> <id>',
    summary: 'take a terminal out of use',
    run: (call, [project, id]) => call('DELETE', at`/projects/${project}/terminals/${id}`),
  },
];
