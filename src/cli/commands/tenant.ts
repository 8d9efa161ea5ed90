// tenant, tenant-secret: who issues cards here, and what opens the issuing API for their programs.
import { at, type CommandSpec, given, type Json } from '../command.ts';
import { CERTIFICATES, certificatesOf, fingerprintsOf } from '../files.ts';
import { changeOf } from '../tenant-parts.ts';

export const tenantCommands: readonly CommandSpec[] = [
  {
    usage: 'tenant create <name> [name=value...]',
    summary: 'make a tenant, with settings',
    run: (call, [name], _options, rest) => call('POST', '/tenants', { name, ...changeOf(rest, []) }),
  },
  {
    usage: 'tenant list',
    summary: 'list tenants',
    run: (call) => call('GET', '/tenants'),
    table: ['tenants', 'id', 'name', 'active', 'created_at', 'settings'],
  },
  {
    usage: 'tenant show <name>',
    summary: 'show a tenant with its secrets, programmes and profiles',
    async run(call, [name]) {
      const [tenant, ...parts] = await Promise.all([
        call('GET', at`/tenants/${name}`),
        call('GET', at`/tenants/${name}/secrets`),
        call('GET', at`/tenants/${name}/programmes`),
        call('GET', at`/tenants/${name}/profiles`),
      ]);
      return Object.assign({}, tenant, ...parts) as Json;
    },
  },
  {
    usage: 'tenant set <name> <name=value...>',
    summary: 'change active or settings (null: back to the default)',
    run: (call, [name], _options, rest) => call('PATCH', at`/tenants/${name}`, changeOf(rest, ['active'])),
  },
  {
    usage: 'tenant-secret create <tenant>',
    summary: 'make an API secret and show it, once',
    required: [['--label <text>', 'which program holds it']],
    options: [CERTIFICATES],
    run: async (call, [tenant], { label, certificates }) =>
      call('POST', at`/tenants/${tenant}/secrets`, given({ label, certificates: await certificatesOf(certificates) })),
  },
  {
    usage: 'tenant-secret list <tenant>',
    summary: 'list API secrets, without the secrets',
    run: (call, [tenant]) => call('GET', at`/tenants/${tenant}/secrets`),
    table: ['secrets', 'id', 'label', 'created_at', 'expires_at', 'certificates'],
  },
  {
    usage: 'tenant-secret bind <tenant> <id> <certificate...>',
    summary: 'let an API secret work on the client port with these certificates only (PEM files or fingerprints)',
    run: async (call, [tenant, id], _options, rest) =>
      call('PUT', at`/tenants/${tenant}/secrets/${id}/certificates`, { certificates: await fingerprintsOf(rest) }),
  },
  {
    usage: 'tenant-secret unbind <tenant> <id>',
    summary: 'let an API secret work without a certificate again, on both ports',
    run: (call, [tenant, id]) => call('PUT', at`/tenants/${tenant}/secrets/${id}/certificates`, { certificates: [] }),
  },
  {
    usage: 'tenant-secret rotate <tenant> <id>',
    summary: 'make a new API secret; the old one stays valid for the overlap',
    options: [['--overlap <duration>', '30s, 15m, 2h, 1d', '1d']],
    run: (call, [tenant, id], { overlap }) => call('POST', at`/tenants/${tenant}/secrets/${id}/rotate`, { overlap }),
  },
  {
    usage: 'tenant-secret revoke <tenant> <id>',
    summary: 'revoke an API secret at once',
    run: (call, [tenant, id]) => call('DELETE', at`/tenants/${tenant}/secrets/${id}`),
  },
];
