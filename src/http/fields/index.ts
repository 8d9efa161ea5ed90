// fields: what may stand in a body, a query or a form, and how it is read: fields, the schemas they make, and the readers of hostile text.
// No tables of its own.
// Rule: nothing that no field names gets through, and amounts are read from their source text.
export {
  Amount,
  Certificates,
  Choice,
  CountryCode,
  Currency,
  DateTime,
  Day,
  Digits,
  Duration,
  Email,
  type FieldKindName,
  type FieldOptions,
  Flag,
  FlatMap,
  fieldKinds,
  Integer,
  IpAddress,
  type LengthOptions,
  List,
  ListOf,
  listParts,
  listText,
  MinorUnits,
  Month,
  Optional,
  Shape,
  Text,
  Token,
  WebAddress,
  Year,
} from './fields.ts';
export { formBodies } from './form.ts';
export { isCleanText, readJson, readPlainJson, type Tolerance } from './json.ts';
export { pointerNames, pointerOf } from './pointer.ts';
export { cardDataIn, mergeQuery, type Pair, queryObject, queryPairs } from './query.ts';
export { type CompiledSchema, compileSchema, fieldErrors, type JsonSchema, type Violation } from './schema.ts';
export { Id, Instant, Matching, Nullable, ShownCertificates } from './shown.ts';
