// `florin apply`: makes the installation what a file says: what is missing is made, what differs is changed, what the file doesn't name
// stays, nothing is ever deleted. Rule: a file that was applied changes nothing the second time, and each change that was made is told,
// whatever comes after it; a secret that was made is told there and nowhere else.
import { plainFingerprint } from '../../base/index.ts';
import { at, CliError, type CommandSpec, given, type Json, rowsOf } from '../command.ts';
import { textOf } from '../files.ts';
import { allIdentities } from '../tenant-parts.ts';
import {
  type Change,
  changeText,
  differing,
  doing,
  equal,
  equalBare,
  equalTold,
  found,
  listed,
  oneOf,
  patch,
  type Run,
  refuseOthers,
} from './changes.ts';
import {
  type FileIdentity,
  type FileProfile,
  type FileProject,
  type FileRange,
  type FileSecret,
  type FileTenant,
  type FileUser,
  readSetup,
} from './file.ts';
import { applyWebhooks } from './webhooks.ts';

/** Terminals and rules are replaced whole: what the file doesn't say of one stays as it is. */
async function putParts(
  run: Run,
  place: string,
  owner: { readonly login: string; readonly there: Json | null },
  part: { readonly list: 'terminals' | 'rules'; readonly fields: readonly string[] },
  wanted: readonly (Json & { readonly id: string })[],
): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await listed(run, owner.there, at`/projects/${owner.login}/${part.list}`, part.list);
  for (const [i, { id, ...fields }] of wanted.entries()) {
    const there = rows.find((row) => row.id === id) ?? null;
    const names = Object.keys(differing(there ?? {}, fields));
    if (there && names.length === 0) continue;
    const kept = Object.fromEntries(part.fields.flatMap((name) => (there ? [[name, there[name]]] : [])));
    const what = `${part.list.slice(0, -1)} ${owner.login}/${id}`;
    await doing(
      run,
      `${place}.${part.list}[${i}]`,
      there ? { action: 'change', what, fields: names } : { action: 'make', what },
      (call) => call('PUT', at`/projects/${owner.login}/${part.list}/${id}`, given({ ...kept, ...fields })),
    );
  }
}

const TERMINAL = 'descriptor,currencies,link,merchant_id,mcc,secure3d,multicapture,cvv_must_match,position'.split(',');
const RULE = 'class,expression,action,dry_run,active,name,position'.split(',');

/** Decimals as the text that they are kept as. */
const decimals = (plan: Json): Json =>
  JSON.parse(
    JSON.stringify(plan, (name, value: unknown) =>
      typeof value === 'number' && name !== 'days' ? String(value) : value,
    ),
  ) as Json;

async function applyProject(run: Run, place: string, project: FileProject): Promise<void> {
  const { login, name, accounting_currency, active, settings = {}, terminals = [], rules = [] } = project;
  const path = at`/projects/${login}`;
  const what = `project ${login}`;
  const there = await found(run, path);
  if (there) refuseOthers(run, place, there, { accounting_currency });
  const made = there
    ? null
    : await doing(run, place, { action: 'make', what }, (call) =>
        call('POST', '/projects', { login, name, accounting_currency }),
      );
  await patch(run, place, { what, path, there: there ?? made ?? { name, active: true } }, { name, active });

  const standard = await run.call('GET', '/project-settings');
  const now = there || !run.dryRun ? await run.call('GET', `${path}/settings`) : standard;
  const wanted = Object.fromEntries(
    Object.entries(settings).filter(([key, v]) => !equal(now[key], v ?? standard[key])),
  );
  if (Object.keys(wanted).length > 0) {
    const fields = Object.keys(wanted).map((key) => `settings.${key}`);
    await doing(run, `${place}.settings`, { action: 'change', what, fields }, (call) =>
      call('PATCH', `${path}/settings`, wanted),
    );
  }
  await putParts(run, place, { login, there }, { list: 'terminals', fields: TERMINAL }, terminals);
  if (project.pricing) {
    const plan = decimals(project.pricing);
    const priced = there || !run.dryRun ? await run.call('GET', `${path}/pricing`) : {};
    if (!equal(priced, plan))
      await doing(run, `${place}.pricing`, { action: 'change', what, fields: ['pricing'] }, (call) =>
        call('PUT', `${path}/pricing`, plan),
      );
  }
  await putParts(run, place, { login, there }, { list: 'rules', fields: RULE }, rules);
  const wantedCredentials = project.credentials ?? [];
  const credentials =
    wantedCredentials.length > 0 ? await listed(run, there, `${path}/credentials`, 'credentials') : [];
  for (const [i, { rights, ...secret }] of wantedCredentials.entries()) {
    const known = credentials.find(
      (one) => one.label === secret.label && one.state === 'valid' && one.expires_at === null,
    );
    const kept = { what: `credential ${login}/${secret.label}`, path: `${path}/credentials`, known };
    await putSecret(run, `${place}.credentials[${i}]`, kept, { ...secret, rights });
  }
  await applyWebhooks(run, place, { name: login, path, there }, project.webhooks);
}

/** Makes what opens a project or a tenant, or binds it to other certificates when the file names them. */
async function putSecret(
  run: Run,
  place: string,
  { what, path, known }: { readonly what: string; readonly path: string; readonly known: Json | undefined },
  { certificates, ...wanted }: FileSecret & { readonly rights?: readonly string[] },
): Promise<void> {
  const bound = certificates && [...new Set(certificates.map(plainFingerprint))];
  if (!known) {
    const change: Change = { action: 'make', what };
    await doing(run, place, change, (call) => call('POST', path, given({ ...wanted, certificates: bound })));
    return;
  }
  if (bound === undefined || equal(sorted(known.certificates), sorted(bound))) return;
  await doing(run, place, { action: 'change', what, fields: ['certificates'] }, (call) =>
    call('PUT', path + at`/${String(known.id)}/certificates`, { certificates: bound }),
  );
}

const sorted = (texts: unknown): string[] => [...((texts ?? []) as readonly string[])].sort((a, b) => (a < b ? -1 : 1));

async function applyRange(run: Run, place: string, range: FileRange, there: readonly Json[]): Promise<void> {
  const { name, brand, prefix, numberLength, size } = range;
  const known = there.find((row) => row.name === name);
  if (known) {
    refuseOthers(run, place, { ...known, numberLength: known.number_length }, { brand, prefix, numberLength, size });
    return;
  }
  await doing(run, place, { action: 'make', what: `card range ${name}` }, (call) =>
    call('POST', '/card-ranges', given({ name, brand, prefix, numberLength, size })),
  );
}

/** Ids by name; null: a dry run would make it. */
type Names = Map<string, string | null>;

function programmeOf(run: Run, place: string, names: Names, name: string): string | null {
  const id = names.get(name);
  if (id === undefined) throw run.file.fault(`${place}.programme`, 'the tenant has no programme of this name');
  return id;
}

async function applyTenant(run: Run, place: string, tenant: FileTenant): Promise<void> {
  const { name, active, settings = {}, secrets = [], programmes = [], profiles = [], identities = [] } = tenant;
  const path = at`/tenants/${name}`;
  const what = `tenant ${name}`;
  const there = await found(run, path);
  const made = there
    ? null
    : await doing(run, place, { action: 'make', what }, (call) => call('POST', '/tenants', { name, settings }));
  await patch(
    run,
    place,
    { what, path, there: there ?? made ?? { active: true, settings } },
    { active, settings },
    equalTold,
  );

  const known = secrets.length > 0 ? await listed(run, there, `${path}/secrets`, 'secrets') : [];
  for (const [i, of] of secrets.entries()) {
    const wanted = typeof of === 'string' ? { label: of } : of;
    const there = known.find((one) => one.label === wanted.label && one.expires_at === null && one.revoked_at === null);
    const kept = { what: `secret ${name}/${wanted.label}`, path: `${path}/secrets`, known: there };
    await putSecret(run, `${place}.secrets[${i}]`, kept, wanted);
  }
  // Before what they may be told of.
  await applyWebhooks(run, place, { name, path, there }, tenant.webhooks);

  const names: Names = new Map();
  const rows = await listed(run, there, `${path}/programmes`, 'programmes');
  for (const row of rows) names.set(String(row.name), String(row.id));
  for (const [i, programme] of programmes.entries()) {
    const of = `${place}.programmes[${i}]`;
    const row = oneOf(
      run,
      of,
      rows.filter((one) => one.name === programme.name),
    );
    const label = `programme ${name}/${programme.name}`;
    if (row)
      await patch(
        run,
        of,
        { what: label, path: path + at`/programmes/${String(row.id)}`, there: row },
        { settings: programme.settings },
      );
    else {
      const done = await doing(run, of, { action: 'make', what: label }, (call) =>
        call('POST', `${path}/programmes`, { ...programme }),
      );
      names.set(programme.name, done && String(done.id));
    }
  }
  await applyProfiles(run, place, { name, path, there, names }, profiles);
  await applyIdentities(run, place, { name, path, there, names }, identities);
}

interface Owner {
  readonly name: string;
  readonly path: string;
  /** null: it is made by this run. */
  readonly there: Json | null;
  readonly names: Names;
}

async function applyProfiles(run: Run, place: string, owner: Owner, wanted: readonly FileProfile[]): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await listed(run, owner.there, `${owner.path}/profiles`, 'profiles');
  for (const [i, { programme, active, settings, ...profile }] of wanted.entries()) {
    const of = `${place}.profiles[${i}]`;
    const programmeId = programmeOf(run, of, owner.names, programme);
    const known = oneOf(
      run,
      of,
      rows.filter((row) => row.name === profile.name),
    );
    const what = `profile ${owner.name}/${profile.name}`;
    if (known && known.programmeId !== programmeId) throw run.file.fault(`${of}.programme`, "can't be changed");
    if (known) refuseOthers(run, of, known, given({ kind: profile.kind }));
    const row =
      known ??
      (await doing(run, of, { action: 'make', what }, (call) =>
        call('POST', `${owner.path}/profiles`, given({ programmeId, ...profile, settings })),
      ));
    const there = row ?? { active: true, settings };
    await patch(run, of, { what, path: owner.path + at`/profiles/${String(row?.id)}`, there }, { active, settings });
  }
}

async function applyIdentities(run: Run, place: string, owner: Owner, wanted: readonly FileIdentity[]): Promise<void> {
  if (wanted.length === 0) return;
  const rows = owner.there || !run.dryRun ? rowsOf(await allIdentities(run.call, owner.name), 'identities') : [];
  for (const [i, { programme, type, users = [], active, ...identity }] of wanted.entries()) {
    const of = `${place}.identities[${i}]`;
    const programmeId = programmeOf(run, of, owner.names, programme);
    const known = oneOf(
      run,
      of,
      rows.filter((row) => row.name === identity.name && row.programmeId === programmeId),
    );
    const what = `identity ${owner.name}/${identity.name}`;
    if (known) refuseOthers(run, of, known, { type });
    const row =
      known ??
      (await doing(run, of, { action: 'make', what }, (call) =>
        call('POST', `${owner.path}/identities`, given({ programmeId, type, ...identity })),
      ));
    const path = owner.path + at`/identities/${String(row?.id)}`;
    await patch(
      run,
      of,
      { what, path, there: row ?? { ...identity, active: true } },
      { ...identity, active },
      equalBare,
    );
    const there = known || row ? rowsOf(users.length > 0 ? await run.call('GET', `${path}/users`) : {}, 'users') : [];
    for (const [j, user] of users.entries()) await applyUser(run, `${of}.users[${j}]`, owner, path, there, user);
  }
}

async function applyUser(
  run: Run,
  place: string,
  { name, path }: Owner,
  identityPath: string,
  rows: readonly Json[],
  { factors = [], kind, password, active, ...user }: FileUser,
): Promise<void> {
  const email = user.email.toLowerCase();
  const what = `user ${name}/${email}`;
  const known = rows.find((row) => row.email === email) ?? null;
  if (known) refuseOthers(run, place, known, given({ kind }));
  const row =
    known ??
    (await doing(run, place, { action: 'make', what }, (call) =>
      call('POST', `${identityPath}/users`, given({ ...user, kind, password })),
    ));
  const own = path + at`/users/${String(row?.id)}`;
  const there = row ?? { ...user, email, active: true };
  await patch(run, place, { what, path: own, there }, { ...user, email, active });
  const enrolled = (row?.factors ?? []) as readonly string[];
  for (const [i, factor] of factors.entries()) {
    if (enrolled.includes(factor)) continue;
    await doing(run, `${place}.factors[${i}]`, { action: 'change', what, fields: [`factor ${factor}`] }, (call) =>
      call('PUT', `${own}/factors/${factor}`, { active: true }),
    );
  }
}

async function applySetup(run: Run): Promise<void> {
  const { issuing, cardRanges = [], projects = [], tenants = [] } = run.file.setup;
  if (issuing) {
    const there = await run.call('GET', '/issuing-settings');
    await patch(run, 'issuing', { what: 'issuing', path: '/issuing-settings', there }, issuing);
  }
  const ranges = cardRanges.length > 0 ? rowsOf(await run.call('GET', '/card-ranges'), 'ranges') : [];
  for (const [i, range] of cardRanges.entries()) await applyRange(run, `cardRanges[${i}]`, range, ranges);
  for (const [i, project] of projects.entries()) await applyProject(run, `projects[${i}]`, project);
  for (const [i, tenant] of tenants.entries()) await applyTenant(run, `tenants[${i}]`, tenant);
}

export const applyCommand: CommandSpec = {
  usage: 'apply <file>',
  summary: 'make the installation what a JSON file says; makes and changes, never deletes',
  options: [['--dry-run', 'print what would change, and change nothing']],
  async run(call, [file = ''], { dryRun = false }) {
    const run: Run = { call, dryRun: dryRun === true, file: readSetup(file, await textOf(file)), changes: [] };
    try {
      await applySetup(run);
    } catch (error) {
      // What was done before is told first: a secret among it is told to nobody else.
      if (!(error instanceof CliError) || run.changes.length === 0) throw error;
      return { dryRun: run.dryRun, changes: run.changes, failure: error.message };
    }
    return { dryRun: run.dryRun, changes: run.changes };
  },
  show({ changes, dryRun, failure }) {
    const told = (changes as readonly Change[]).map((change) => changeText(change, dryRun === true));
    return told.length === 0 && failure === undefined ? 'Nothing to change.\n' : told.join('');
  },
  fails: ({ failure }) => (typeof failure === 'string' ? failure : null),
};
