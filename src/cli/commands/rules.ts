// rules: which payments of a project are refused, or have to be authenticated.
import { at, type CommandSpec } from '../command.ts';

export const ruleCommands: readonly CommandSpec[] = [
  {
    usage: 'rules put <project> <id>',
    summary: 'make a fraud rule or replace it whole',
    required: [
      ['--class <name>', 'what the merchant is told'],
      ['--expression <cel>', 'condition over the payment and its counters'],
      ['--action <name>', 'refuse or force3d'],
    ],
    options: [
      ['--dry-run', 'record what it would do, and do nothing'],
      ['--inactive', 'keep it, but switched off'],
      ['--name <text>', 'for people; the id when left out'],
      ['--position <number>', 'rules are asked in this order, then by id'],
    ],
    run: (call, [project, id], { class: of, expression, action, dryRun = false, inactive = false, name, position }) =>
      call('PUT', at`/projects/${project}/rules/${id}`, {
        class: of,
        expression,
        ...(name === undefined ? {} : { name }),
        ...(position === undefined ? {} : { position: Number(position) }),
        action,
        dry_run: dryRun,
        active: !inactive,
      }),
  },
  {
    usage: 'rules list <project>',
    summary: 'list fraud rules',
    run: (call, [project]) => call('GET', at`/projects/${project}/rules`),
    table: ['rules', 'id', 'class', 'action', 'dry_run', 'active', 'expression'],
  },
  {
    usage: 'rules remove <project> <id>',
    summary: 'remove a fraud rule',
    run: (call, [project, id]) => call('DELETE', at`/projects/${project}/rules/${id}`),
  },
];
