// keys, order, audit, invariants, due: looking into the running installation, and its keys.
import { at, type CommandSpec, type Json } from '../command.ts';
import { readable } from '../print.ts';

export const installationCommands: readonly CommandSpec[] = [
  { usage: 'keys rotate', summary: 'make a new key of the vault', run: (call) => call('POST', '/keys/rotate') },
  {
    usage: 'order trace <id>',
    summary: 'show the whole way of an order',
    run: (call, [id]) => call('GET', at`/orders/${id}/trace`),
  },
  {
    usage: 'audit',
    summary: 'list what operators did, the latest first',
    run: (call) => call('GET', '/audit'),
    table: ['audit', 'id', 'at', 'actor', 'origin', 'action', 'target', 'result'],
  },
  {
    usage: 'invariants',
    summary: 'prove what must always be true, of all that has changed; exit code 1 when something is not',
    options: [['--full', 'of the whole history, in one go: a minute and more for a million orders']],
    run: (call, _names, { full }) => call('GET', full ? '/invariants?full=true' : '/invariants'),
    show: (answer) => `${readable(answer, ['checks', 'id', 'ok', 'violations'])}\n${readable(answer.covered as Json)}`,
    fails: ({ ok }) => (ok === true ? null : ''),
  },
  {
    usage: 'due list',
    summary: 'list work that is due and fails, the longest first',
    run: (call) => call('GET', '/due?per_page=1000'),
    table: ['failing', 'about', 'id', 'kind', 'tries', 'since', 'next_try_at', 'code'],
  },
];
