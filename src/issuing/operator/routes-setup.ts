// /operator: programmes, profiles, card ranges and the installation's settings for issuing.
import {
  Choice,
  Digits,
  Failure,
  Flag,
  Integer,
  listOf,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
} from '../../http/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import {
  BRANDS,
  installationGet,
  installationPut,
  type ProfileRow,
  profileRows,
  profileUpsert,
  programmeRows,
  programmeUpsert,
  rangeInsert,
  rangesList,
} from '../tenants/index.ts';
import { cardRange, installation, profile, programme } from './answer-schemas.ts';
import type { Change } from './changes.ts';
import { rangesShown } from './ranges.ts';
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

export function setupEndpoints(
  { db, permutation, clock, ids }: Pick<IssuingDeps, 'db' | 'permutation' | 'clock' | 'ids'>,
  change: Change,
): OperatorEndpoint[] {
  const { outward } = permutation;
  const tenantOf = (name: string) => tenantNamed(db, name);
  const profileJson = ({ id, programme_id, name, kind, active, settings }: Omit<ProfileRow, 'version'>): object => ({
    id: outward(id),
    programmeId: outward(programme_id),
    name,
    kind,
    active,
    settings,
  });

  return [
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/programmes',
      operation: 'programmeCreate',
      summary: 'Makes a programme',
      tag: TAG,
      right: null,
      params: TenantPath,
      body: Shape({ name: Name, settings: Optional(settingsGiven('programme')) }),
      answers: { 201: { description: 'The programme', schema: programme }, ...unknown, ...wrong },
      async handler(input) {
        const { name, settings = {} } = input.body;
        refuseSettings('programme', settings);
        const tenant = await tenantOf(input.params.tenant);
        const row = {
          tenant_id: tenant.id,
          id: ids.next(),
          name,
          settings: settingsAfter({}, settings),
          created_at: clock.now(),
        };
        await change(input, tenant.id, 'programme.create', `${tenant.name}/${name}`, (inside) =>
          programmeUpsert(inside, row),
        );
        return { status: 201, body: { id: outward(row.id), name, settings: row.settings } };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant/programmes',
      operation: 'programmeList',
      summary: 'Lists programmes',
      tag: TAG,
      right: null,
      params: TenantPath,
      answers: { 200: { description: 'Programmes', schema: listOf('programmes', programme) }, ...unknown },
      async handler({ params }) {
        const { id: tenantId } = await tenantOf(params.tenant);
        const programmes = (await programmeRows(db))
          .filter((row) => row.tenant_id === tenantId)
          .map(({ id, name, settings }) => ({ id: outward(id), name, settings }));
        return { status: 200, body: { programmes } };
      },
    }),
    operatorEndpoint({
      method: 'PATCH',
      path: '/tenants/:tenant/programmes/:id',
      operation: 'programmePatch',
      summary: 'Changes a programme',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({ name: Optional(Name), settings: Optional(settingsGiven('programme')) }),
      answers: { 200: { description: 'The programme', schema: programme }, ...unknown, ...wrong },
      async handler(input) {
        const { name, settings = {} } = input.body;
        refuseSettings('programme', settings);
        const { id: tenantId } = await tenantOf(input.params.tenant);
        const id = permutation.inward(input.params.id);
        const after = await change(input, tenantId, 'programme.patch', input.params.id, async (inside) => {
          const row = (await programmeRows(inside)).find((one) => one.tenant_id === tenantId && one.id === id);
          if (!row) throw notFound('No such programme');
          const changed = { ...row, name: name ?? row.name, settings: settingsAfter(row.settings, settings) };
          await programmeUpsert(inside, changed);
          return changed;
        });
        return { status: 200, body: { id: outward(after.id), name: after.name, settings: after.settings } };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/profiles',
      operation: 'profileCreate',
      summary: 'Makes a profile of cards or accounts',
      tag: TAG,
      right: null,
      params: TenantPath,
      body: Shape({
        programmeId: Digits({ max: 20 }),
        name: Name,
        kind: Optional(Choice(['card', 'account'])),
        settings: Optional(settingsGiven('profile')),
      }),
      answers: { 201: { description: 'The profile', schema: profile }, ...unknown, ...wrong },
      async handler(input) {
        const { name, kind = 'card', settings = {} } = input.body;
        refuseSettings('profile', settings);
        const { id: tenantId } = await tenantOf(input.params.tenant);
        const programmeId = permutation.inward(input.body.programmeId);
        const row = await change(
          input,
          tenantId,
          'profile.create',
          `${input.params.tenant}/${name}`,
          async (inside) => {
            const programme = (await programmeRows(inside)).find(
              (one) => one.tenant_id === tenantId && one.id === programmeId,
            );
            if (!programme) throw notFound('No such programme');
            const made = {
              tenant_id: tenantId,
              id: ids.next(),
              programme_id: programme.id,
              name,
              kind,
              active: true,
              settings: settingsAfter({}, settings),
              created_at: clock.now(),
            };
            await profileUpsert(inside, made);
            return made;
          },
        );
        return { status: 201, body: profileJson(row) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant/profiles',
      operation: 'profileList',
      summary: 'Lists profiles',
      tag: TAG,
      right: null,
      params: TenantPath,
      answers: { 200: { description: 'Profiles', schema: listOf('profiles', profile) }, ...unknown },
      async handler({ params }) {
        const { id: tenantId } = await tenantOf(params.tenant);
        const profiles = (await profileRows(db)).filter((row) => row.tenant_id === tenantId).map(profileJson);
        return { status: 200, body: { profiles } };
      },
    }),
    operatorEndpoint({
      method: 'PATCH',
      path: '/tenants/:tenant/profiles/:id',
      operation: 'profilePatch',
      summary: 'Changes a profile, or switches it off and on',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({ name: Optional(Name), active: Optional(Flag()), settings: Optional(settingsGiven('profile')) }),
      answers: { 200: { description: 'The profile', schema: profile }, ...unknown, ...wrong },
      async handler(input) {
        const { name, active, settings = {} } = input.body;
        refuseSettings('profile', settings);
        const { id: tenantId } = await tenantOf(input.params.tenant);
        const id = permutation.inward(input.params.id);
        const after = await change(input, tenantId, 'profile.patch', input.params.id, async (inside) => {
          const row = (await profileRows(inside)).find((one) => one.tenant_id === tenantId && one.id === id);
          if (!row) throw notFound('No such profile');
          const changed = {
            ...row,
            name: name ?? row.name,
            active: active ?? row.active,
            settings: settingsAfter(row.settings, settings),
          };
          await profileUpsert(inside, changed);
          return changed;
        });
        return { status: 200, body: profileJson(after) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/card-ranges',
      operation: 'cardRangeList',
      summary: 'Lists the ranges that card numbers are given out of',
      tag: TAG,
      right: null,
      answers: { 200: { description: 'Ranges', schema: listOf('ranges', cardRange) } },
      handler: async () => ({ status: 200, body: { ranges: await rangesShown(db) } }),
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/card-ranges',
      operation: 'cardRangeCreate',
      summary: 'Adds a range; its numbers are the prefix, digits of its own, a Luhn digit',
      tag: TAG,
      right: null,
      body: Shape({
        name: Name,
        brand: Choice(BRANDS),
        prefix: Digits({ min: 6, max: 15 }),
        numberLength: Optional(Integer(13, 19)),
        size: Optional(Integer(1, 999_999_999_999)),
      }),
      answers: {
        201: { description: 'The range', schema: cardRange },
        409: { description: 'Name or numbers overlap' },
        ...wrong,
      },
      async handler(input) {
        const { name, brand, prefix, numberLength = 16, size } = input.body;
        const most = 10n ** BigInt(Math.max(0, numberLength - prefix.length - 1));
        const row = {
          name,
          brand,
          prefix,
          number_length: numberLength,
          size: size === undefined ? most : BigInt(size),
          used: 0n,
        };
        if (numberLength <= prefix.length + 1 || row.size > most)
          throw new Failure('validation', {
            errors: [{ message: 'Out of range', uri: '#/size', attribute: 'range', details: [`at most ${most}`] }],
          });
        await change(input, null, 'card_range.create', name, async (inside) => {
          const overlaps = (await rangesList(inside)).some(
            (other) => other.prefix.startsWith(prefix) || prefix.startsWith(other.prefix),
          );
          if (overlaps || !(await rangeInsert(inside, row)))
            throw new Failure('conflict', { message: 'The name is taken, or the numbers overlap with another range' });
        });
        return { status: 201, body: { ...row, size: Number(row.size), used: 0 } };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/issuing-settings',
      operation: 'issuingSettingsGet',
      summary: "Shows the installation's settings for issuing",
      tag: TAG,
      right: null,
      answers: { 200: { description: 'Settings', schema: installation } },
      handler: async () => ({ status: 200, body: { settings: await installationGet(db) } }),
    }),
    operatorEndpoint({
      method: 'PATCH',
      path: '/issuing-settings',
      operation: 'issuingSettingsPatch',
      summary: "Changes the installation's settings for issuing",
      tag: TAG,
      right: null,
      body: Shape({ settings: settingsGiven('installation') }),
      answers: { 200: { description: 'Settings', schema: installation }, ...wrong },
      async handler(input) {
        refuseSettings('installation', input.body.settings);
        const settings = await change(input, null, 'issuing_settings.patch', 'installation', async (inside) => {
          const after = settingsAfter(await installationGet(inside), input.body.settings);
          await installationPut(inside, after);
          return after;
        });
        return { status: 200, body: { settings } };
      },
    }),
  ];
}
