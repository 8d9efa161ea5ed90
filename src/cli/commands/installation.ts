// keys, order, audit, invariants, due: looking into the running installation, and its keys.
import { at, type CommandSpec } from '../command.ts';

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
    summary: 'prove what must always be true; exit code 1 when something is not',
    run: (call) => call('GET', '/invariants'),
    table: ['checks', 'id', 'ok', 'violations'],
    fails: ({ ok }) => (ok === true ? null : ''),
  },
  {
    usage: 'due list',
    summary: 'list work that is due and fails, the longest first',
    run: (call) => call('GET', '/due?per_page=1000'),
    table: ['failing', 'about', 'id', 'kind', 'tries', 'since', 'next_try_at', 'code'],
  },
];
