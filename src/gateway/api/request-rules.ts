// What a schema can't say about a request for an order: rules between fields, and rules of the project.
// Rule: pure, and any field may be missing or of any type here, since these are told together with what the schema found.
import { exponentOf, isUsableCurrency, Pan, parseAmount } from '../../base/index.ts';
import { fieldKinds, listParts, type Violation } from '../../http/index.ts';
import { cardNames, lookupBin } from '../../network/index.ts';
import { checkExternal, type ExternalResult } from '../../threeds/index.ts';
import type { Project } from '../projects/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The object that stands there, empty when something else does. */
const inside = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const missing = (...path: string[]): Violation => ({
  path,
  message: 'Required',
  attribute: 'required',
  details: ['This field is required'],
});

export const wrongAmount = (currency: string): Violation => ({
  path: ['amount'],
  message: 'Invalid amount',
  attribute: 'amount',
  details: [exponentOf(currency) === 0 ? 'a whole amount in this currency' : 'at most 12 digits in minor units'],
});

/** Of create, authorize, rebill and credit: the amount by its currency, the terminal and the addresses by the project. */
export function wrongInOrder(
  project: Project,
  { amount, currency = project.accounting_currency, options }: Fields,
): Violation[] {
  const wrong: Violation[] = [];
  const usable = typeof currency === 'string' && isUsableCurrency(currency);
  if (usable && typeof amount === 'string' && parseAmount(amount, currency) === null) wrong.push(wrongAmount(currency));
  const { terminal, ...others } = inside(options);
  if (typeof terminal === 'string' && terminal !== '' && !project.terminals.some(({ id }) => id === terminal)) {
    wrong.push({
      path: ['options', 'terminal'],
      message: 'Unknown terminal',
      attribute: 'exists',
      details: ['a terminal of the project'],
    });
  }
  const origins = project.settings.return_origins;
  for (const name of ['return_url', 'secure3d20_return_url']) {
    const url = others[name];
    if (typeof url !== 'string' || origins.length === 0 || !URL.canParse(url) || origins.includes(new URL(url).origin))
      continue;
    wrong.push({
      path: ['options', name],
      message: 'Address is not allowed',
      attribute: 'origin',
      details: ['an origin that the project lists'],
    });
  }
  return wrong;
}

/** The template that a request names; its project's templates tell whether there is one. */
export function templateIn({ options }: Fields): string | null {
  const { template } = inside(options);
  return typeof template === 'string' && template !== '' ? template : null;
}

export const unknownTemplate: Violation = {
  path: ['options', 'template'],
  message: 'Unknown template',
  attribute: 'exists',
  details: ['a template of the project'],
};

const isOn = (flag: unknown): boolean => flag === true || flag === '1' || flag === 'true';

/** Of create, on top of what all have: nothing to pay only where each payer enters an amount. */
export function wrongInCreate(project: Project, body: Fields): Violation[] {
  const { amount, options } = body;
  const zero = typeof amount === 'string' && /^0(\.0{1,2})?$/.test(amount) && !isOn(inside(options).static_link);
  const { says } = fieldKinds.amount;
  return [
    ...(zero ? [{ path: ['amount'], message: 'Wrong format', attribute: 'format', details: [says] }] : []),
    ...wrongInOrder(project, body),
  ];
}

export const wrongCard = ({ pan }: Fields): Violation[] =>
  typeof pan !== 'string' || Pan.parse(pan)
    ? []
    : [
        {
          path: ['pan'],
          message: 'Invalid card number',
          attribute: 'luhn',
          details: ['13 to 19 digits with a right check digit'],
        },
      ];

/** A payment that the cardholder agreed to before: an order of ours, or a trace id from elsewhere. */
function namesAgreement({ recurring_details }: Fields): boolean {
  const { parent_order_id, trace_id } = inside(recurring_details);
  return [parent_order_id, trace_id].some((value) => value !== undefined && value !== '');
}

/** The card is there, but maybe nobody to ask: who starts a payment that is authorized. */
export const isMerchantInitiated = (body: Fields): boolean =>
  isOn(inside(body.options).exemption_mit) ||
  (namesAgreement(body) && inside(body.recurring_details).indicator !== 'C');

/** The results of an authentication elsewhere; null when none is named. Empty texts count as absent. */
export function externalOf({ secure3d }: Fields): ExternalResult | null {
  const { xid, cavv, eci, ds_trans_id, dsrp } = inside(secure3d);
  const given = Object.entries({ xid, cavv, eci, ds_trans_id, dsrp }).filter(
    ([, value]) => typeof value === 'string' && value !== '',
  );
  if (given.length === 0) return null;
  // Some count in one digit.
  return {
    ...Object.fromEntries(given),
    ...(typeof eci === 'string' && eci !== '' ? { eci: eci.padStart(2, '0') } : {}),
  };
}

/** Of authorize, on top of what all have. */
export function wrongInAuthorize(project: Project, body: Fields): Violation[] {
  const wrong = [...wrongInOrder(project, body), ...wrongCard(body)];
  const card = inside(body.card);
  if (body.card !== undefined) {
    const { cvv_required, holder_required } = project.settings;
    if (cvv_required && !isMerchantInitiated(body) && card.cvv === undefined) wrong.push(missing('card', 'cvv'));
    if (holder_required && card.holder === undefined) wrong.push(missing('card', 'holder'));
  }
  const external = externalOf(body);
  if (!external) return wrong;
  if (isOn(inside(body.options).force3d)) {
    wrong.push({
      path: ['options', 'force3d'],
      message: 'Not together with secure3d',
      attribute: 'exclusive',
      details: ['either force3d or results of an earlier authentication'],
    });
  }
  const pan = typeof body.pan === 'string' ? Pan.parse(body.pan) : null;
  for (const { field, attribute, message } of checkExternal(external, pan ? lookupBin(pan).brand : '')) {
    // Which brand it has to fit is unknown while the card number is wrong.
    if (pan || attribute !== 'brand') wrong.push({ path: ['secure3d', field], message, attribute, details: [message] });
  }
  return wrong;
}

/** Of the list of orders: names of cards that no range has. */
export function wrongInOrders(query: Fields): Violation[] {
  const { types, subtypes } = cardNames();
  return Object.entries({ 'card.type': types, 'card.subtype': subtypes }).flatMap(([name, known]): Violation[] => {
    const { [name]: given } = query;
    return typeof given !== 'string' || listParts(given).every((part) => known.has(part))
      ? []
      : [
          {
            path: [name],
            message: 'Not allowed',
            attribute: 'list',
            details: [`one of: ${[...known].sort().join(', ')}`],
          },
        ];
  });
}
