// credential: what opens the gateway for a project's programs. Rule: a secret is printed by what makes it, never again.
import { at, type CommandSpec, given, list } from '../command.ts';
import { CERTIFICATES, certificatesOf, fingerprintsOf } from '../files.ts';

export const credentialCommands: readonly CommandSpec[] = [
  {
    usage: 'credential create <project>',
    summary: 'make a credential and show its secret, once',
    required: [['--label <text>', 'which program holds it']],
    options: [
      ['--rights <names>', 'of read, create, capture, refund, payout', 'read,create,capture,refund'],
      CERTIFICATES,
    ],
    run: async (call, [project], { label, rights, certificates }) =>
      call(
        'POST',
        at`/projects/${project}/credentials`,
        given({ label, rights: list(rights), certificates: await certificatesOf(certificates) }),
      ),
  },
  {
    usage: 'credential list <project>',
    summary: 'list credentials',
    run: (call, [project]) => call('GET', at`/projects/${project}/credentials`),
    table: ['credentials', 'id', 'label', 'rights', 'state', 'created_at', 'expires_at', 'certificates'],
  },
  {
    usage: 'credential bind <project> <id> <certificate...>',
    summary: 'let a credential work on the client port with these certificates only (PEM files or fingerprints)',
    run: async (call, [project, id], _options, rest) =>
      call('PUT', at`/projects/${project}/credentials/${id}/certificates`, {
        certificates: await fingerprintsOf(rest),
      }),
  },
  {
    usage: 'credential unbind <project> <id>',
    summary: 'let a credential work without a certificate again, on both ports',
    run: (call, [project, id]) =>
      call('PUT', at`/projects/${project}/credentials/${id}/certificates`, { certificates: [] }),
  },
  {
    usage: 'credential rotate <project> <id>',
    summary: 'make a new secret; the old one stays valid for the overlap',
    options: [['--overlap <duration>', '30s, 15m, 2h, 1d', '1d']],
    run: (call, [project, id], { overlap }) =>
      call('POST', at`/projects/${project}/credentials/${id}/rotate`, { overlap }),
  },
  {
    usage: 'credential revoke <project> <id>',
    summary: 'revoke a credential at once',
    run: (call, [project, id]) => call('DELETE', at`/projects/${project}/credentials/${id}`),
  },
];
