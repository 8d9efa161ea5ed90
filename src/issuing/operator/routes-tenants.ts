// /operator/tenants: tenants and their API secrets.
import { addMs } from '../../base/index.ts';
import type { TellSetup } from '../../events/index.ts';
import {
  Certificates,
  Choice,
  Duration,
  Failure,
  Flag,
  listOf,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
} from '../../http/index.ts';
import { sessionsEnd } from '../access/index.ts';
import { numbersReturn } from '../lending/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import {
  SECRET_KINDS,
  type SecretRow,
  secretBind,
  secretCreate,
  secretEnd,
  secretsOf,
  type Tools,
  tenantCreate,
  tenantRows,
  tenantUpsert,
} from '../tenants/index.ts';
import { newSecret, secret, tenant } from './answer-schemas.ts';
import type { Change } from './changes.ts';
import {
  Name,
  notFound,
  refuseSettings,
  settingsGiven,
  TAG,
  TenantPath,
  tenantNamed,
  unknown,
  WithId,
  wrong,
} from './schemas.ts';
import { settingsAfter } from './settings.ts';

export function tenantEndpoints(
  deps: Pick<IssuingDeps, 'db' | 'permutation' | 'clock' | 'ids' | 'committer'>,
  { tools, tellSetup }: { readonly tools: Tools; readonly tellSetup: TellSetup },
  change: Change,
): OperatorEndpoint[] {
  const { db, permutation, clock, ids } = deps;
  const { outward } = permutation;

  const tenantOf = (name: string) => tenantNamed(db, name);
  const tenantJson = ({ id, name, active, settings, created_at }: Awaited<ReturnType<typeof tenantOf>>) => ({
    id: outward(id),
    name,
    active,
    // The signing secret of forwarding is told to nobody.
    settings: settings.forwarding ? { ...settings, forwarding: { url: settings.forwarding.url } } : settings,
    created_at,
  });

  const secretJson = ({ secret_hash: _hash, tenant_id: _tenant, id, ...row }: SecretRow): object => ({
    id: outward(id),
    ...row,
  });

  return [
    operatorEndpoint({
      method: 'POST',
      path: '/tenants',
      operation: 'tenantCreate',
      summary: 'Makes a tenant',
      tag: TAG,
      right: null,
      body: Shape({ name: Name, settings: Optional(settingsGiven('tenant')) }),
      answers: {
        201: { description: 'The tenant', schema: tenant },
        409: { description: 'The name is taken' },
        ...wrong,
      },
      async handler(input) {
        const { name, settings = {} } = input.body;
        refuseSettings('tenant', settings);
        await change(input, null, 'tenant.create', name, async (inside) => {
          if ((await tenantRows(inside)).some((tenant) => tenant.name === name))
            throw new Failure('conflict', { message: 'The name is taken' });
          await tenantCreate(inside, tools, { id: ids.next(), name, settings: settingsAfter({}, settings) });
          await tellSetup(inside, { tenant: name }, null, tenantJson(await tenantNamed(inside, name)));
        });
        return { status: 201, body: tenantJson(await tenantOf(name)) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants',
      operation: 'tenantList',
      summary: 'Lists tenants',
      tag: TAG,
      right: null,
      answers: { 200: { description: 'Tenants', schema: listOf('tenants', tenant) } },
      handler: async () => ({ status: 200, body: { tenants: (await tenantRows(db)).map(tenantJson) } }),
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant',
      operation: 'tenantGet',
      summary: 'Shows a tenant',
      tag: TAG,
      right: null,
      params: TenantPath,
      answers: { 200: { description: 'The tenant', schema: tenant }, ...unknown },
      handler: async ({ params }) => ({ status: 200, body: tenantJson(await tenantOf(params.tenant)) }),
    }),
    operatorEndpoint({
      method: 'PATCH',
      path: '/tenants/:tenant',
      operation: 'tenantPatch',
      summary: "Changes a tenant's settings, or closes it, which ends all sessions, and opens it",
      tag: TAG,
      right: null,
      params: TenantPath,
      body: Shape({ active: Optional(Flag()), settings: Optional(settingsGiven('tenant')) }),
      answers: { 200: { description: 'The tenant', schema: tenant }, ...unknown, ...wrong },
      async handler(input) {
        const { active, settings = {} } = input.body;
        refuseSettings('tenant', settings);
        const owner = async (): Promise<bigint> => (await tenantOf(input.params.tenant)).id;
        await change(input, owner, 'tenant.patch', input.params.tenant, async (inside) => {
          const row = await tenantNamed(inside, input.params.tenant);
          const changed = { ...row, active: active ?? row.active, settings: settingsAfter(row.settings, settings) };
          await tenantUpsert(inside, changed);
          const after = tenantJson(await tenantNamed(inside, row.name));
          await tellSetup(inside, { tenant: row.name }, tenantJson(row), after);
          if (!changed.active) await sessionsEnd(inside, { tenantId: row.id }, clock.now());
        });
        if (active === false) await numbersReturn(deps, await owner());
        return { status: 200, body: tenantJson(await tenantOf(input.params.tenant)) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant/secrets',
      operation: 'tenantSecretList',
      summary: "Lists a tenant's API secrets, without the secrets",
      tag: TAG,
      right: null,
      params: TenantPath,
      answers: { 200: { description: 'Secrets', schema: listOf('secrets', secret) }, ...unknown },
      async handler({ params }) {
        const { id } = await tenantOf(params.tenant);
        return { status: 200, body: { secrets: (await secretsOf(db, id)).map(secretJson) } };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/secrets',
      operation: 'tenantSecretCreate',
      summary: 'Makes an API secret and shows it, once; earlier ones stay valid',
      tag: TAG,
      right: null,
      params: TenantPath,
      body: Shape({
        label: Name,
        kind: Optional(
          Choice(SECRET_KINDS, {
            description: 'api unless told. events: reads events and has endpoints, and does nothing else.',
          }),
        ),
        certificates: Optional(Certificates()),
      }),
      answers: { 201: { description: 'The secret', schema: newSecret }, ...unknown, ...wrong },
      async handler(input) {
        const { id: tenantId, name } = await tenantOf(input.params.tenant);
        const { label, kind = 'api', certificates } = input.body;
        const made = await change(input, tenantId, 'tenant.secret.create', name, (inside) =>
          secretCreate(inside, tools, tenantId, { label, kind, certificates: [...new Set(certificates)] }),
        );
        return { status: 201, body: { id: outward(made.id), label, secret: made.secret } };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/secrets/:id/rotate',
      operation: 'tenantSecretRotate',
      summary: 'Makes a new API secret, bound to the same certificates; the old one stays valid for the overlap',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({ overlap: Optional(Duration()) }),
      answers: { 201: { description: 'The new secret', schema: newSecret }, ...unknown, ...wrong },
      async handler(input) {
        const { id: tenantId, name } = await tenantOf(input.params.tenant);
        const id = permutation.inward(input.params.id);
        const made = await change(
          input,
          tenantId,
          'tenant.secret.rotate',
          `${name}/${input.params.id}`,
          async (inside) => {
            const now = clock.now();
            const old = (await secretsOf(inside, tenantId)).find((row) => row.id === id);
            const until = addMs(now, input.body.overlap ?? 86_400_000);
            if (!old || !(await secretEnd(inside, tenantId, old.id, until, now)))
              throw notFound('No such secret that is valid');
            // The label says which program holds the secret, and that one goes on with the new one and its certificate.
            return secretCreate(inside, tools, tenantId, old);
          },
        );
        return { status: 201, body: { id: outward(made.id), secret: made.secret } };
      },
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/tenants/:tenant/secrets/:id/certificates',
      operation: 'tenantSecretBind',
      summary:
        'Binds an API secret to client certificates: it works on the client port with one of them, and nowhere else',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({ certificates: Certificates() }),
      answers: { 200: { description: 'The secret', schema: secret }, ...unknown, ...wrong },
      async handler(input) {
        const { id: tenantId, name } = await tenantOf(input.params.tenant);
        const id = permutation.inward(input.params.id);
        const certificates = [...new Set(input.body.certificates)];
        const target = `${name}/${input.params.id}`;
        const bound = await change(input, tenantId, 'tenant.secret.certificates', target, async (inside) => {
          const key = { tenant_id: tenantId, id: id ?? 0n };
          const row = await secretBind(inside, key, certificates, clock.now());
          if (!row) throw notFound('No such secret that is valid');
          return row;
        });
        return { status: 200, body: secretJson(bound) };
      },
    }),
    operatorEndpoint({
      method: 'DELETE',
      path: '/tenants/:tenant/secrets/:id',
      operation: 'tenantSecretRevoke',
      summary: 'Revokes an API secret at once',
      tag: TAG,
      right: null,
      params: WithId,
      answers: { 204: { description: 'Revoked' }, ...unknown },
      async handler(input) {
        const { id: tenantId, name } = await tenantOf(input.params.tenant);
        const id = permutation.inward(input.params.id);
        await change(input, tenantId, 'tenant.secret.revoke', `${name}/${input.params.id}`, async (inside) => {
          const now = clock.now();
          if (id === null || !(await secretEnd(inside, tenantId, id, now, now)))
            throw notFound('No such secret that is valid');
        });
        return { status: 204, body: null };
      },
    }),
  ];
}
