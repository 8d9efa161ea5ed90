// Schemas at work: each is compiled once, when the first value is checked, into a check that reports every wrong field and a step that
// makes typed values of the right ones. Rule: one error a field, in the order of the schema, and never the value itself.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { assert } from '../../base/index.ts';
import type { FieldError } from '../failure.ts';
import { type FieldKindName, fieldKinds, listParts } from './fields.ts';
import { meantName } from './meant.ts';
import { pointerNames, pointerOf } from './pointer.ts';

/** A JSON schema as plain data (draft 2020-12, the part that requests use). */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly 'x-kind'?: FieldKindName;
  readonly [keyword: string]: unknown;
}

/** What the reader of a request needs to know about a place in it. */
export interface Node {
  readonly properties: ReadonlyMap<string, Node> | null;
  /** Values under names that are the client's own. */
  readonly others: Node | null;
  /** Some of its members are required. */
  readonly demands: boolean;
  readonly items: Node | null;
  /** Position among its siblings. */
  readonly order: number;
  /** A JSON number is taken as its source text. */
  readonly number: boolean;
  /** A null is kept, to be judged by the schema; elsewhere it counts as absent. */
  readonly nullable: boolean;
}

/** A wrong field before it is shown: `path` in the client's own names. */
export interface Violation {
  readonly path: readonly string[];
  readonly message: string;
  readonly attribute?: string;
  readonly details?: readonly string[];
}

export interface CompiledSchema {
  readonly schema: JsonSchema;
  readonly root: Node;
  check(value: unknown): readonly Violation[];
  /** Replaces the values in place by what handlers get. Only after a check without violations. */
  clean(value: object): void;
}

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  messages: false,
  strict: true,
  allowUnionTypes: true,
  logger: false,
});
ajv.addKeyword('x-kind');
ajv.addKeyword({
  keyword: 'x-range',
  type: 'string',
  validate: ([min, max]: [number, number], text: string) => inRange(Number(text), min, max),
});
ajv.addKeyword({
  keyword: 'x-list',
  type: 'string',
  validate: (values: string[], text: string) => isListOf(text, (part) => values.length === 0 || values.includes(part)),
});
ajv.addKeyword({
  keyword: 'x-each',
  type: 'string',
  validate: (kind: FieldKindName, text: string) => isListOf(text, (part) => isOfKind(kind, part)),
});
for (const [name, kind] of Object.entries(fieldKinds))
  if ('test' in kind) ajv.addFormat(name, { type: 'string', validate: kind.test });

/** What isn't a number at all is the format's concern. */
const inRange = (value: number, min: number, max: number): boolean =>
  Number.isNaN(value) || (value >= min && value <= max);
const isListOf = (text: string, isRight: (part: string) => boolean): boolean => {
  const parts = listParts(text);
  return parts.length <= 200 && parts.every(isRight);
};
function isOfKind(kind: FieldKindName, text: string): boolean {
  const { test } = fieldKinds[kind] as { test?: RegExp | ((text: string) => boolean) };
  return test === undefined || (typeof test === 'function' ? test(text) : test.test(text));
}

const compiled = new WeakMap<object, CompiledSchema>();

/** A schema at work, once however often it is asked for. Its check costs milliseconds to make, so a start doesn't make them all. */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const known = compiled.get(schema);
  if (known) return known;
  let validate: ValidateFunction | null = null;
  const root = nodeOf(schema, 0);
  const cleaner = cleanerOf(schema);
  const result: CompiledSchema = {
    schema,
    root,
    check(value) {
      validate ??= ajv.compile(schema);
      return validate(value) ? NONE : (validate.errors ?? []).flatMap(violationOf);
    },
    clean: (value) => cleaner?.(value),
  };
  compiled.set(schema, result);
  return result;
}

const NONE: readonly Violation[] = [];

function nodeOf(schema: JsonSchema, order: number): Node {
  const kind = schema['x-kind'];
  const { properties, items, additionalProperties: others } = schema;
  return {
    properties: properties
      ? new Map(Object.entries(properties).map(([name, child], i) => [name, nodeOf(child, i)]))
      : null,
    others: typeof others === 'object' ? nodeOf(others, 0) : null,
    demands: (schema.required ?? []).length > 0,
    items: items ? nodeOf(items, 0) : null,
    order,
    number: kind !== undefined && 'number' in fieldKinds[kind],
    nullable:
      schema.type === 'null' ||
      (Array.isArray(schema.type) && schema.type.includes('null')) ||
      (kind !== undefined && 'notNull' in fieldKinds[kind]),
  };
}

type Clean = (value: never) => unknown;

/** Cleans an object's properties in place, deepest first; null when nothing in it changes. */
function cleanerOf(schema: JsonSchema): ((value: object) => void) | null {
  const steps: [name: string, clean: Clean][] = [];
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const clean = cleanOf(child);
    if (clean) steps.push([name, clean]);
  }
  if (steps.length === 0) return null;
  return (value) => {
    const record = value as Record<string, unknown>;
    for (const [name, clean] of steps) {
      const given = record[name];
      if (given !== undefined && given !== null) record[name] = clean(given as never);
    }
  };
}

function cleanOf(schema: JsonSchema): Clean | null {
  const kind = schema['x-kind'];
  if (kind) return 'clean' in fieldKinds[kind] ? (fieldKinds[kind] as { clean: Clean }).clean : null;
  if (schema.items) {
    const clean = cleanOf(schema.items);
    return clean && ((values: unknown[]) => values.map((value) => clean(value as never)));
  }
  const cleaner = cleanerOf(schema);
  if (!cleaner) return null;
  return (value: object) => {
    cleaner(value);
    return value;
  };
}

type Describe = (
  params: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
) => readonly [message: string, ...details: string[]];

const wrongFormat: Describe = (_, schema) => {
  const kind = schema['x-kind'];
  return [
    'Wrong format',
    kind
      ? fieldKinds[kind].says
      : typeof schema.description === 'string'
        ? schema.description
        : 'the form that the description gives',
  ];
};

/** ajv's keyword → what the client is told. */
const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  type: ({ type }, schema) => ['Wrong type', `must be of type ${typesOf(type, schema).join(' or ')}`],
  format: wrongFormat,
  pattern: wrongFormat,
  minLength: ({ limit }) => ['Wrong length', `at least ${String(limit)} characters`],
  maxLength: ({ limit }) => ['Wrong length', `at most ${String(limit)} characters`],
  minItems: ({ limit }) => ['Wrong size', `at least ${String(limit)} items`],
  maxItems: ({ limit }) => ['Wrong size', `at most ${String(limit)} items`],
  minProperties: ({ limit }) => ['Wrong size', `at least ${String(limit)} values`],
  maxProperties: ({ limit }) => ['Wrong size', `at most ${String(limit)} values`],
  minimum: ({ limit }) => ['Out of range', `at least ${String(limit)}`],
  maximum: ({ limit }) => ['Out of range', `at most ${String(limit)}`],
  'x-range': (_, schema) => ['Out of range', `${(schema['x-range'] as number[]).join(' to ')}`],
  'x-list': (_, schema) => ['Not allowed', oneOf(schema['x-list'] as string[])],
  'x-each': (_, schema) => ['Not allowed', `each ${fieldKinds[schema['x-each'] as FieldKindName].says}, at most 200`],
  enum: (_, schema) => {
    const kind = schema['x-kind'];
    return kind ? ['Wrong format', fieldKinds[kind].says] : ['Not allowed', oneOf(schema.enum as unknown[])];
  },
  const: (_, schema) => ['Not allowed', oneOf([schema.const])],
};

/** Of JSON, as the client may send them: numbers of some kinds are read as their text before they are looked at. */
function typesOf(type: unknown, schema: JsonSchema): readonly unknown[] {
  const kind = schema['x-kind'];
  return [...(kind !== undefined && 'number' in fieldKinds[kind] ? ['number'] : []), ...[type].flat()];
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 0 ? 'at most 200 values' : `one of: ${values.join(', ')}`;

function violationOf(error: ErrorObject): Violation[] {
  const path = pointerNames(error.instancePath);
  const params = error.params as Readonly<Record<string, unknown>>;
  if (error.keyword === 'required') return [missing([...path, params.missingProperty as string])];
  if (error.keyword === 'additionalProperties')
    return [unknownProperty([...path, params.additionalProperty as string])];
  if (error.keyword === 'propertyNames') {
    return [
      {
        path: [...path, params.propertyName as string],
        message: 'Wrong name',
        attribute: 'propertyNames',
        details: ['a shorter or simpler name'],
      },
    ];
  }
  // What is wrong with a name is told once, by propertyNames.
  if (error.propertyName !== undefined) return [];
  const describe = DESCRIPTIONS[error.keyword];
  assert(describe, `no words for a broken rule: ${error.keyword}`);
  const [message, ...details] = describe(params, error.parentSchema as JsonSchema);
  return [{ path, message, attribute: error.keyword.replace(/^x-/, ''), details }];
}

export const missing = (path: readonly string[]): Violation => ({
  path,
  message: 'Required',
  attribute: 'required',
  details: ['a value is required'],
});
const UNKNOWN = 'Unknown property';
export const unknownProperty = (path: readonly string[]): Violation => ({ path, message: UNKNOWN });

/** More than any honest request has; bounds the answer to a hostile one. */
const MOST_ERRORS = 256;
/** Behind so many wrong fields nobody looks for a misspelt one. */
const MOST_MEANT = 20;

/** The wrong fields as the client sees them: the first of each field, in the order of the schema, unknown ones after the known. */
export function fieldErrors(violations: readonly Violation[], root: Node): FieldError[] {
  const first = new Map<string, Violation>();
  for (const violation of violations) {
    const key = violation.path.join('\0');
    if (!first.has(key)) first.set(key, violation);
  }
  const ranked = [...first.values()].map((violation) => ({ violation, rank: rankOf(violation.path, root) }));
  ranked.sort((a, b) => compareRanks(a.rank, b.rank));
  return ranked.slice(0, MOST_ERRORS).map(({ violation }, i) => {
    const { path, message, ...rule } = violation;
    const meant = message === UNKNOWN && i < MOST_MEANT ? meantName(path, root) : null;
    return { message, uri: pointerOf(path), ...rule, ...(meant === null ? {} : { details: [`probably ${meant}`] }) };
  });
}

function rankOf(path: readonly string[], root: Node): number[] {
  const rank: number[] = [];
  let node: Node | null = root;
  for (const name of path) {
    const child: Node | null = node?.properties?.get(name) ?? null;
    rank.push(child ? child.order : node?.items ? Number(name) : Number.MAX_SAFE_INTEGER);
    node = child ?? node?.items ?? node?.others ?? null;
  }
  return rank;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
