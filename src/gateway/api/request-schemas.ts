// The bodies and queries of the contract's order endpoints as schemas; what is checked is what is documented.
import Type from 'typebox';
import {
  Amount,
  Choice,
  CountryCode,
  Currency,
  DateTime,
  Digits,
  Duration,
  Flag,
  FlatMap,
  IpAddress,
  List,
  ListOf,
  Month,
  Optional,
  paging,
  Shape,
  Text,
  Token,
  WebAddress,
  Year,
} from '../../http/index.ts';
import { OPERATION_TYPES, ORDER_EXPANDS, ORDER_STATUSES, SHOWN_STATUSES } from '../orders/index.ts';

const client = Shape({
  address: Optional(Text()),
  city: Optional(Text()),
  country: Optional(CountryCode({ empty: true })),
  email: Optional(Text()),
  name: Optional(Text()),
  phone: Optional(Token()),
  state: Optional(Text()),
  zip: Optional(Token()),
  login: Optional(Text()),
});

const location = {
  ip: IpAddress(),
  country: Optional(CountryCode({ empty: true })),
  city: Optional(Text()),
  region: Optional(Text()),
};

const customFields = FlatMap(Token(), { max: 10, names: '^[A-Za-z0-9_.-]{1,64}$' });
const extraFields = Shape({
  merchant: Optional(Text({ max: 25 })),
  city: Optional(Text({ max: 13 })),
  country: Optional(CountryCode({ empty: true })),
});

const pageOptions = {
  expiration_timeout: Optional(Duration()),
  force3d: Optional(Flag()),
  auto_charge: Optional(Flag()),
  language: Optional(Text({ max: 35 })),
  return_url: Optional(WebAddress()),
  template: Optional(Token({ max: 64 })),
  mobile: Optional(Flag()),
  terminal: Optional(Token({ max: 64 })),
  wallet_a_pay_enabled: Optional(Flag()),
  wallet_b_pay_enabled: Optional(Flag()),
  apple_pay_enabled: Optional(Flag()),
  google_pay_enabled: Optional(Flag()),
  secure3d20_return_url: Optional(WebAddress()),
  exemption_mit: Optional(Flag()),
  static_link: Optional(Flag()),
  recurring: Optional(Flag()),
};

const common = {
  amount: Amount(),
  currency: Optional(Currency()),
  merchant_order_id: Optional(Token()),
  segment: Optional(Token()),
  description: Optional(Text({ max: 1000 })),
  client: Optional(client),
  custom_fields: Optional(customFields),
  extra_fields: Optional(extraFields),
};

export const createBody = Shape(
  {
    ...common,
    amount: Amount({
      zero: true,
      description: 'Greater than zero; zero only with static_link: then each payer enters an amount.',
    }),
    location: Optional(Shape({ ...location, ip: Optional(IpAddress()) })),
    options: Optional(Shape(pageOptions)),
  },
  { title: 'CreateOrder' },
);

const value = Token({ max: 255 });
const browser = Shape({
  browser_accept_header: Optional(Token({ max: 2048 })),
  browser_color_depth: Optional(value),
  browser_ip: Optional(value),
  browser_language: Optional(value),
  browser_screen_height: Optional(value),
  browser_screen_width: Optional(value),
  browser_timezone: Optional(value),
  browser_user_agent: Optional(Token({ max: 2048 })),
  browser_java_enabled: Optional(Flag()),
  window_height: Optional(value),
  window_width: Optional(value),
});

const secure3d = Shape({
  xid: Optional(Text()),
  cavv: Optional(Text()),
  eci: Optional(Token({ max: 2 })),
  // Empty is none; whether it is a UUID is judged with the rest of the result (request-rules.ts).
  ds_trans_id: Optional(Text({ max: 64 })),
  dsrp: Optional(Text()),
  browser_details: Optional(browser),
});

const recurringDetails = Shape({
  parent_order_id: Optional(Digits({ max: 19 })),
  trace_id: Optional(Text({ max: 64 })),
  indicator: Optional(Choice(['R', 'I', 'U', 'C'] as const)),
});

const expiration = { expiration_month: Month(), expiration_year: Year() };

export const authorizeBody = Shape(
  {
    ...common,
    amount: Amount({ zero: true }),
    pan: Token({ min: 12, max: 30 }),
    card: Shape({
      cvv: Optional(Digits({ min: 3, max: 4 })),
      holder: Optional(Text({ min: 2, max: 40 })),
      ...expiration,
    }),
    location: Shape(location),
    options: Optional(Shape(pageOptions)),
    secure3d: Optional(secure3d),
    recurring_details: Optional(recurringDetails),
  },
  { title: 'Authorize' },
);

export const rebillBody = Shape(
  {
    ...common,
    cvv: Optional(Digits({ min: 3, max: 4 })),
    card: Optional(Shape({ cvv: Optional(Digits({ min: 3, max: 4 })) })),
    location: Shape(location),
    options: Optional(Shape(pageOptions)),
  },
  { title: 'Rebill' },
);

export const creditBody = Shape(
  {
    ...common,
    location: Shape(location),
    options: Optional(Shape(pageOptions)),
  },
  { title: 'Credit' },
);

export const creditCardBody = Shape(
  {
    ...common,
    pan: Token({ min: 12, max: 30 }),
    card: Optional(
      Shape({
        cvv: Optional(Digits({ min: 3, max: 4 })),
        holder: Optional(Text({ min: 2, max: 40 })),
        expiration_month: Optional(Month()),
        expiration_year: Optional(Year()),
      }),
    ),
    location: Optional(Shape({ ...location, ip: Optional(IpAddress()) })),
    options: Optional(Shape(pageOptions)),
  },
  { title: 'CreditToCard' },
);

export const amountBody = Shape({ amount: Optional(Amount()) }, { title: 'OptionalAmount' });
export const completeBody = Shape(
  { PaRes: Text({ max: 8192 }), MD: Optional(Text({ max: 512 })) },
  { title: 'Complete' },
);

const orderExpands = [...ORDER_EXPANDS, 'cashflow'] as const;

export const ordersQuery = Shape({
  expand: Optional(List(orderExpands)),
  status: Optional(List(ORDER_STATUSES)),
  created_from: Optional(DateTime()),
  created_to: Optional(DateTime()),
  merchant_order_id: Optional(List()),
  'card.type': Optional(List()),
  'card.subtype': Optional(List()),
  'location.ip': Optional(ListOf('ip')),
  'client.name': Optional(Text()),
  'client.email': Optional(Text()),
  'issuer.country': Optional(ListOf('country')),
  'issuer.bin': Optional(List()),
  'issuer.title': Optional(Text()),
  ...paging,
});

export const orderParams = Type.Object({ id: Type.String({ description: 'Order id, digits' }) });

export const orderQuery = Shape({ expand: Optional(List(orderExpands)) });

/** Of the list of operations, and named for that of rates too. The expands of orders mean nothing here. */
export const operationFilters = {
  expand: Optional(List(['cashflow', 'extra', ...ORDER_EXPANDS] as const)),
  status: Optional(List(SHOWN_STATUSES)),
  type: Optional(List(OPERATION_TYPES)),
  created_from: Optional(DateTime()),
  created_to: Optional(DateTime()),
};

export const operationsQuery = Shape({ ...operationFilters, ...paging });
