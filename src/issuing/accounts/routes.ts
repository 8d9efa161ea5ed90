// /managed-accounts.
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Once } from '../../store/index.ts';
import { dateOf, type FailureCode, refuse } from '../fields/index.ts';
import type { Identity } from '../people/index.ts';
import { answered, conflict, done, type IssuingDeps } from '../requests/index.ts';
import type { Tenant } from '../tenants/index.ts';
import { accountsPage, managedAccount, statementPage } from './answer-schemas.ts';
import { type AccountMove, type AttachedCards, changeAccount } from './change.ts';
import { createAccount } from './create.ts';
import { accountsList, EVERY_ACCOUNT, type StatementFilter, statementList } from './list-queries.ts';
import type { ManagedAccount } from './model.ts';
import { accountView, entryView, statementCsv } from './present.ts';
import { accountGet, fundsOf } from './queries.ts';
import { AccountBody, AccountPath, AccountsQuery, StatementQuery } from './schemas.ts';

interface Asking {
  readonly tenant: Tenant;
  readonly identity: Identity;
}

const endpoint = endpointOf<Asking>();
const TAG = 'Managed accounts';

const unknown = { 404: { description: 'No such account of this identity' } } as const;

export interface StatementInput {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly fromTimestamp?: number | undefined;
  readonly toTimestamp?: number | undefined;
  readonly orderByTimestamp?: 'ASC' | 'DESC' | undefined;
  readonly format?: 'json' | 'csv' | undefined;
}

/** A page of an instrument's statement as JSON or CSV (`csv`: by Accept). `cardId`: only what is about this debit card. */
export async function statementAnswer(
  { db, permutation }: IssuingDeps,
  {
    tenantId,
    instrumentId,
    currency,
    cardId,
  }: {
    readonly tenantId: bigint;
    readonly instrumentId: bigint;
    readonly currency: string;
    readonly cardId: string | null;
  },
  query: StatementInput,
  csv: boolean,
) {
  const filter: StatementFilter = {
    cardId,
    from: dateOf(query.fromTimestamp),
    to: dateOf(query.toTimestamp),
    order: query.orderByTimestamp === 'ASC' ? 'asc' : 'desc',
    offset: query.offset ?? 0,
    limit: query.limit ?? 100,
  };
  const { entries, count } = await statementList(db, tenantId, instrumentId, filter);
  if (query.format === undefined ? csv : query.format === 'csv') {
    return {
      status: 200,
      body: statementCsv(permutation, currency, entries),
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="statement.csv"',
      },
    };
  }
  const entry = entries.map((row) => entryView(permutation, currency, row));
  return { status: 200, body: { entry, count, responseCount: entry.length } };
}

async function viewsOf(
  deps: Pick<IssuingDeps, 'db' | 'permutation'>,
  tenantId: bigint,
  accounts: readonly ManagedAccount[],
): Promise<object[]> {
  const funds = await fundsOf(
    deps.db,
    tenantId,
    accounts.map(({ id }) => id),
  );
  return accounts.flatMap((account) => {
    const own = funds.get(account.id);
    return own ? [accountView(deps.permutation, account, own)] : [];
  });
}

/** A page of an identity's accounts, the newest first. */
export async function accountsOf(
  deps: Pick<IssuingDeps, 'db' | 'permutation'>,
  { tenant, identity }: Asking,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly accounts: readonly object[]; readonly count: number }> {
  const filter = { identityId: identity.id, ...EVERY_ACCOUNT };
  const { accounts, count } = await accountsList(deps.db, tenant.id, filter, page);
  return { accounts: await viewsOf(deps, tenant.id, accounts), count };
}

export function accountEndpoints(deps: IssuingDeps, attachedCards: AttachedCards): AnyEndpoint<Asking>[] {
  const { db, permutation } = deps;

  async function ofIdentity({ tenant, identity }: Asking, text: string): Promise<ManagedAccount> {
    const id = permutation.inward(text);
    const account = id === null ? null : await accountGet(db, tenant.id, id);
    if (account?.identity_id !== identity.id) throw refuse('RESOURCE_NOT_FOUND');
    return account;
  }

  const changing = (move: AccountMove, summary: string, ...codes: readonly FailureCode[]) =>
    endpoint({
      method: 'POST',
      path: `/managed-accounts/${move}/:id`,
      operation: `${move}ManagedAccount`,
      summary,
      tag: TAG,
      right: null,
      params: AccountPath,
      answers: { ...done, ...unknown, ...conflict(...codes) },
      async handler({ principal, params, once }: { principal: Asking; params: { id: string }; once: Once | null }) {
        const id = permutation.inward(params.id);
        if (id === null) throw refuse('RESOURCE_NOT_FOUND');
        const asker = { tenantId: principal.tenant.id, identityId: principal.identity.id };
        return answered(await changeAccount(deps, asker, id, move, attachedCards, once));
      },
    });

  return [
    endpoint({
      method: 'POST',
      path: '/managed-accounts',
      operation: 'createManagedAccount',
      summary: 'Open a managed account',
      tag: TAG,
      right: null,
      body: AccountBody,
      example: { profileId: '1011', friendlyName: 'Travel', currency: 'EUR' },
      answers: {
        200: { description: 'The account', schema: managedAccount },
        ...conflict(
          'PROFILE_NOT_FOUND',
          'PROFILE_INACTIVE',
          'PAYMENT_MODEL_CONSTRAINTS_VIOLATED',
          'CURRENCY_NOT_SUPPORTED_BY_PROFILE',
          'OWNER_IDENTITY_NOT_VERIFIED',
        ),
      },
      handler: async ({ principal, body, once }) => answered(await createAccount(deps, principal, body, once)),
    }),
    endpoint({
      method: 'GET',
      path: '/managed-accounts',
      operation: 'listManagedAccounts',
      cost: ({ offset = 0, limit = 100 }) => offset + limit,
      summary: 'List the managed accounts of the identity, the newest first',
      tag: TAG,
      right: null,
      query: AccountsQuery,
      answers: { 200: { description: 'A page of accounts', schema: accountsPage } },
      async handler({ principal: { tenant, identity }, query }) {
        const profileId = query.profileId === undefined ? null : (permutation.inward(query.profileId) ?? -1n);
        const { accounts, count } = await accountsList(
          db,
          tenant.id,
          {
            identityId: identity.id,
            profileId,
            state: query.state ?? null,
            currency: query.currency ?? null,
            tag: query.tag ?? null,
            friendlyName: query.friendlyName ?? null,
            createdFrom: dateOf(query.createdFrom),
            createdTo: dateOf(query.createdTo),
          },
          { offset: query.offset ?? 0, limit: query.limit ?? 100 },
        );
        const shown = await viewsOf(deps, tenant.id, accounts);
        return { status: 200, body: { accounts: shown, count, responseCount: shown.length } };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/managed-accounts/:id',
      operation: 'readManagedAccount',
      summary: 'Show a managed account with its balances',
      tag: TAG,
      right: null,
      params: AccountPath,
      answers: { 200: { description: 'The account', schema: managedAccount }, ...unknown },
      async handler({ principal, params }) {
        const account = await ofIdentity(principal, params.id);
        const funds = (await fundsOf(db, account.tenant_id, [account.id])).get(account.id);
        if (!funds) throw refuse('RESOURCE_NOT_FOUND');
        return { status: 200, body: accountView(permutation, account, funds) };
      },
    }),
    changing('block', 'Block a managed account', 'INSTRUMENT_ALREADY_BLOCKED', 'INSTRUMENT_DESTROYED'),
    changing('unblock', 'Unblock a managed account', 'INSTRUMENT_NOT_BLOCKED', 'INSTRUMENT_DESTROYED'),
    changing('remove', 'Close a managed account', 'BALANCE_NOT_ZERO', 'INSTRUMENTS_ATTACHED', 'INSTRUMENT_DESTROYED'),
    endpoint({
      method: 'GET',
      path: '/managed-accounts/statement/:id',
      operation: 'readManagedAccountStatement',
      cost: ({ offset = 0, limit = 100 }) => offset + limit,
      summary: 'Statement with running balances, as JSON or CSV',
      tag: TAG,
      right: null,
      params: AccountPath,
      query: StatementQuery,
      orCsv: true,
      answers: { 200: { description: 'A page of entries', schema: statementPage }, ...unknown },
      async handler({ principal, params, query, csv }) {
        const { tenant_id, id, currency } = await ofIdentity(principal, params.id);
        return statementAnswer(deps, { tenantId: tenant_id, instrumentId: id, currency, cardId: null }, query, csv);
      },
    }),
  ];
}
