// programme, profile: what a tenant's cards and accounts are like.
import { at, type CommandSpec } from '../command.ts';
import { changeOf, idOf } from '../tenant-parts.ts';

export const programmeCommands: readonly CommandSpec[] = [
  {
    usage: 'programme create <tenant> <name> [name=value...]',
    summary: 'make a programme, with settings',
    run: (call, [tenant, name], _options, rest) =>
      call('POST', at`/tenants/${tenant}/programmes`, { name, ...changeOf(rest, []) }),
  },
  {
    usage: 'programme list <tenant>',
    summary: 'list programmes',
    run: (call, [tenant]) => call('GET', at`/tenants/${tenant}/programmes`),
    table: ['programmes', 'id', 'name', 'settings'],
  },
  {
    usage: 'programme set <tenant> <programme> <name=value...>',
    summary: 'change name or settings (null: back to the default)',
    async run(call, [tenant, programme = ''], _options, rest) {
      const id = await idOf(call, tenant, 'programmes', programme);
      return call('PATCH', at`/tenants/${tenant}/programmes/${id}`, changeOf(rest, ['name']));
    },
  },
  {
    usage: 'profile create <tenant> <name> [name=value...]',
    summary: 'make a profile of cards or accounts, with settings',
    required: [['--programme <name>', 'programme, by name or id']],
    options: [['--kind <name>', 'card or account', 'card']],
    async run(call, [tenant, name], { programme, kind }, rest) {
      const programmeId = await idOf(call, tenant, 'programmes', `${programme}`);
      return call('POST', at`/tenants/${tenant}/profiles`, { programmeId, name, kind, ...changeOf(rest, []) });
    },
  },
  {
    usage: 'profile list <tenant>',
    summary: 'list profiles',
    run: (call, [tenant]) => call('GET', at`/tenants/${tenant}/profiles`),
    table: ['profiles', 'id', 'programmeId', 'name', 'kind', 'active', 'settings'],
  },
  {
    usage: 'profile set <tenant> <profile> <name=value...>',
    summary: 'change name, active or settings (null: back to the default)',
    async run(call, [tenant, profile = ''], _options, rest) {
      const id = await idOf(call, tenant, 'profiles', profile);
      return call('PATCH', at`/tenants/${tenant}/profiles/${id}`, changeOf(rest, ['name', 'active']));
    },
  },
];
