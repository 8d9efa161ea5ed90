// A payment link: an order that somebody at a desk makes, to be sent as an address or shown as a picture. The same order as create makes.
// Rule: an address is told once, by what makes it; nothing here can be asked for it again.
import { assert, type Problem, parseAmount } from '../../base/index.ts';
import type { Draft } from '../intake/index.ts';
import { type GatewayDeps, type RejectionCode, rejections, terminalFor } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { templateGet } from '../templates/index.ts';
import { createOrder } from './create.ts';

export interface LinkFields {
  /** Decimal text; absent or zero: each payer enters an amount, which needs `static_link`. */
  readonly amount?: string;
  readonly currency: string;
  readonly description?: string;
  readonly merchant_order_id?: string;
  readonly language?: string;
  /** One of the project's. */
  readonly template?: string;
  readonly return_url?: string;
  /** One address, an order for each payer. */
  readonly static_link?: boolean;
  /** Milliseconds. */
  readonly expiration_timeout?: number;
}

export type LinkResult =
  | { readonly order_id: string; readonly url: string }
  /** Nothing was made. */
  | { readonly problems: readonly Problem[] };

const problem = (name: keyof LinkFields, says: string): Problem => ({
  path: [name],
  message: 'Not allowed',
  details: [says],
});

/** The field that a rejection of create is about. */
const FIELD_OF: Partial<Record<RejectionCode, keyof LinkFields>> = {
  currency_not_accepted: 'currency',
  static_links_disabled: 'static_link',
  merchant_order_id_used: 'merchant_order_id',
  amount_zero: 'amount',
};

function draftFrom(fields: LinkFields, amount: bigint): Draft {
  const { currency, merchant_order_id = null, description = null, expiration_timeout: waits } = fields;
  const { language, template, return_url, static_link } = fields;
  return {
    amount,
    currency,
    merchantOrderId: merchant_order_id,
    segment: '',
    description,
    client: null,
    location: null,
    customFields: null,
    extraFields: null,
    options: {
      ...(language === undefined ? {} : { language }),
      ...(template === undefined ? {} : { template }),
      ...(return_url === undefined ? {} : { return_url }),
      ...(static_link === undefined ? {} : { static_link }),
      ...(waits === undefined ? {} : { expiration_timeout: `${waits}ms` }),
    },
  };
}

async function problemsOf(deps: Pick<GatewayDeps, 'db'>, project: Project, fields: LinkFields): Promise<Problem[]> {
  const { amount = '0', currency, static_link = false, return_url, template } = fields;
  const { static_links, return_origins } = project.settings;
  const problems: Problem[] = [];
  const minor = parseAmount(amount, currency);
  if (minor === null) problems.push(problem('amount', 'an amount that the currency can have'));
  if (minor === 0n && !static_link) problems.push(problem('amount', 'greater than zero, or static_link'));
  if (!terminalFor(project, undefined, currency))
    problems.push(problem('currency', rejections.currency_not_accepted[1]));
  if (static_link && !static_links) problems.push(problem('static_link', rejections.static_links_disabled[1]));
  if (return_url !== undefined && return_origins.length > 0 && !return_origins.includes(new URL(return_url).origin))
    problems.push(problem('return_url', 'an origin that the project lists'));
  if (template !== undefined && !(await templateGet(deps.db, project.login, template)))
    problems.push(problem('template', 'a template of the project'));
  return problems;
}

/** Makes an order and its address. Every field that is wrong for the project is told at once. */
export async function createLink(deps: GatewayDeps, project: Project, fields: LinkFields): Promise<LinkResult> {
  const problems = await problemsOf(deps, project, fields);
  if (problems.length > 0) return { problems };
  const amount = parseAmount(fields.amount ?? '0', fields.currency);
  assert(amount !== null, 'an amount that was checked');
  const created = await createOrder(deps, { project, draft: draftFrom(fields, amount), once: null });
  if ('existing' in created) return { problems: [problem('merchant_order_id', 'the id of no other order')] };
  const { answer, rejected } = created;
  if (rejected) return { problems: [problem(FIELD_OF[rejected] ?? 'currency', rejections[rejected][1])] };
  assert(answer.location, 'a new order has an address');
  const { orders } = JSON.parse(answer.body) as { orders: [{ id: string }] };
  return { order_id: orders[0].id, url: answer.location };
}
