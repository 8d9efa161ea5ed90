// What each setting may be. Rule: a setting exists when it stands in this table; the type makes the table complete.
import { isIP } from 'node:net';
import { type Problem, parseDuration } from '../../base/index.ts';
import { flag, integer, listOf, oneOf, problemsOf, type ValueRule } from './errors.ts';
import type { ProjectSettings } from './settings.ts';

/** The shortest life of an authorization: what is captured later finds nothing to capture. */
const LONGEST_CAPTURE_DELAY_MS = 5 * 86_400_000;

/** Which decimals the accounting currency has is not known here: an amount that it can't have allows nothing. */
const amount: ValueRule = {
  says: 'an amount in the accounting currency, up to 9999999999.99, or null',
  accepts: (value) =>
    (typeof value === 'string' || typeof value === 'number') && /^(0|[1-9]\d{0,9})(\.\d{1,2})?$/.test(String(value)),
};

export const settingRules: Readonly<Record<keyof ProjectSettings, ValueRule>> = {
  time_zone: { says: 'an IANA time zone (UTC, Europe/Berlin)', accepts: isTimeZone },
  cvv_required: flag,
  holder_required: flag,
  capture_delay: {
    says: 'a duration with a unit (30s, 15m, 2h, 1d) of at most 5 days, or null',
    accepts: isCaptureDelay,
  },
  trace_id: flag,
  unique_merchant_order_id: flag,
  strict_filters: flag,
  step_up_automatically: flag,
  unlinked_credit: flag,
  payout_limit: amount,
  payout_limit_card_day: amount,
  payout_limit_project_day: amount,
  page_attempts: integer(1, 10),
  unable_to_authenticate: oneOf('reject', 'reject_when_forced', 'authorize'),
  static_links: flag,
  wallets: flag,
  allowed_addresses: listOf(
    { says: 'an IP address or a range (192.0.2.0/24, 2001:db8::/32)', accepts: isAddressRange },
    0,
    100,
  ),
  return_origins: listOf({ says: 'an http or https origin (https://shop.example)', accepts: isOrigin }, 0, 100),
  frame_origins: listOf({ says: 'an http or https origin (https://shop.example)', accepts: isOrigin }, 0, 20),
  card_testing: flag,
  risk_dry_run: flag,
  rate_limit: {
    says: '{per_second, burst}: whole numbers, 1 to 10000 and 1 to 100000, burst not below per_second; or null',
    accepts: isRateLimit,
  },
};

/** What is wrong with settings as given. null is always right: it stands for the default. */
export const settingProblems = (given: Readonly<Record<string, unknown>>): Problem[] =>
  problemsOf(
    settingRules,
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined])),
  );

/** A name of the time zone database; offsets (`+02:00`) know no summer time and are refused. */
function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

function isCaptureDelay(value: unknown): boolean {
  const ms = typeof value === 'string' ? parseDuration(value) : null;
  return ms !== null && ms <= LONGEST_CAPTURE_DELAY_MS;
}

const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

function isAddressRange(value: unknown): boolean {
  const match = typeof value === 'string' ? /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(value) : null;
  const bits = match ? BITS[isIP(match[1] as string)] : undefined;
  return bits !== undefined && Number(match?.[2] ?? 0) <= bits;
}

function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;
}

function isRateLimit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { per_second, burst } = value as Record<string, unknown>;
  return (
    integer(1, 10_000).accepts(per_second) &&
    integer(1, 100_000).accepts(burst) &&
    (burst as number) >= (per_second as number)
  );
}
