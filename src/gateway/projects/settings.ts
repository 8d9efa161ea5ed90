// A merchant's account as the rest of the gateway sees it: the project, its settings and terminals. Everything here is set by the operator.
import type { PricingPlan } from '../../ledger/index.ts';

export interface ProjectSettings {
  /** IANA zone of every date-time on the wire. */
  readonly time_zone: string;
  readonly cvv_required: boolean;
  readonly holder_required: boolean;
  /** Charge by itself this long after the authorization (`30m`, `1d`); null: the merchant charges. */
  readonly capture_delay: string | null;
  /** Show `trace_id` on operations. */
  readonly trace_id: boolean;
  readonly unique_merchant_order_id: boolean;
  /** An unknown filter name is 422 instead of being ignored. */
  readonly strict_filters: boolean;
  /** Turn a soft decline (A1) into 201 with a form. */
  readonly step_up_automatically: boolean;
  /** Allow POST /orders/credit. */
  readonly unlinked_credit: boolean;
  /** Most of one payout, in the accounting currency; null: 10,000.00 in a sandbox, nothing in live mode. */
  readonly payout_limit: string | number | null;
  /** Most that is paid out to a card in a day; null: as above. */
  readonly payout_limit_card_day: string | number | null;
  /** Most that is paid out in a day; null: 100,000.00 in a sandbox, nothing in live mode. */
  readonly payout_limit_project_day: string | number | null;
  /** Card attempts on the payment page, 1 to 10. */
  readonly page_attempts: number;
  /** 3-D Secure answer U: refuse, refuse only when 3-D Secure was forced, or authorize without liability shift. */
  readonly unable_to_authenticate: 'reject' | 'reject_when_forced' | 'authorize';
  readonly static_links: boolean;
  /** Both wallets on every payment page; the orders' own wallet flags act only while this is off. */
  readonly wallets: boolean;
  /** Addresses (CIDR) that may use the API; empty: any. */
  readonly allowed_addresses: readonly string[];
  /** Origins that return_url and secure3d20_return_url may name; empty: any https origin (any origin in sandbox mode). */
  readonly return_origins: readonly string[];
  /** Origins that may show the payment page in a frame; empty: nobody. */
  readonly frame_origins: readonly string[];
  /** Count tries by card, address, link and more, and refuse patterns of card testing; in a sandbox only a crowd of failed cards. */
  readonly card_testing: boolean;
  /** Evaluate and record fraud rules, but refuse nothing. */
  readonly risk_dry_run: boolean;
  /** Requests a second and burst of one credential; null: the installation's. */
  readonly rate_limit: { readonly per_second: number; readonly burst: number } | null;
}

export const defaultSettings: ProjectSettings = {
  time_zone: 'UTC',
  cvv_required: true,
  holder_required: true,
  capture_delay: null,
  trace_id: false,
  unique_merchant_order_id: false,
  strict_filters: false,
  step_up_automatically: false,
  unlinked_credit: false,
  payout_limit: null,
  payout_limit_card_day: null,
  payout_limit_project_day: null,
  page_attempts: 3,
  unable_to_authenticate: 'reject_when_forced',
  static_links: false,
  wallets: false,
  allowed_addresses: [],
  return_origins: [],
  frame_origins: [],
  card_testing: true,
  risk_dry_run: false,
  rate_limit: null,
};

export interface Terminal {
  readonly id: string;
  /** DE 43: what the cardholder's statement shows. */
  readonly descriptor: string;
  readonly currencies: readonly string[];
  /** The acquirer link that carries its payments: `simulator`, … */
  readonly link: string;
  /** DE 42, 15 characters at most. */
  readonly merchant_id: string;
  /** DE 18, ISO 18245. */
  readonly mcc: string;
  readonly secure3d: 'when_needed' | 'always';
  readonly multicapture: boolean;
  /** A wrong CVV is an issuer's 82 instead of an approval with a note. */
  readonly cvv_must_match: boolean;
}

export interface Project {
  readonly id: bigint;
  readonly login: string;
  readonly name: string;
  readonly accounting_currency: string;
  readonly active: boolean;
  readonly settings: ProjectSettings;
  readonly pricing: PricingPlan;
  /** In order of preference: the first that takes the currency serves an order that names none. */
  readonly terminals: readonly Terminal[];
}

/** What a credential may do (function level authorization): each contract operation asks for one. */
export type Right = 'read' | 'create' | 'capture' | 'refund' | 'payout' | 'webhooks';

export interface Credential {
  readonly id: bigint;
  readonly project: Project;
  readonly rights: readonly Right[];
}
