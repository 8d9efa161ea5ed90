// The fields of issuing requests: each says what is asked of it, and which error code each fault is
// (docs/contract/issuing.md#field-errors).
// Rule: one error a field, the first of REQUIRED, HAS_TEXT, SIZE, REGEX, NOT_IN, RANGE, then what depends on its neighbours.
import Type, { type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import { maskPansIn } from '../../base/index.ts';

export const FIELD_ERROR_CODES = [
  'REQUIRED',
  'HAS_TEXT',
  'REQUIRES',
  'SIZE',
  'RANGE',
  'IN',
  'NOT_IN',
  'REGEX',
  'EXACTLY',
  'AT_LEAST',
  'AT_MOST',
  'ALL_OR_NONE',
] as const;
export type FieldErrorCode = (typeof FIELD_ERROR_CODES)[number];

/** Codes of the document that no rule of ours gives. */
export const RESERVED_CODES = ['REQUIRES', 'EXACTLY', 'AT_MOST', 'ALL_OR_NONE'] as const;

type Siblings = Readonly<Record<string, unknown>>;

/** What else a choice may be called by whoever asks: alias → the value that it stands for. */
export type Aliases = ReadonlyMap<string, string>;
export const NO_ALIASES: Aliases = new Map();

interface Common {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** Asked after the field's own checks, with the values beside it and the whole as they came. `value` is undefined when absent. */
  readonly also?: (value: unknown, siblings: Siblings, whole: unknown) => FieldErrorCode | null;
  /** Required only beside certain values. */
  readonly requiredWhen?: (siblings: Siblings) => boolean;
}

/** What checking needs to know of a field; kept beside its JSON schema. */
export interface FieldRule extends Common {
  readonly required: boolean;
  readonly own: (value: unknown, aliases: Aliases) => FieldErrorCode | null;
  /** What an explicit null is; absent: as good as no value. */
  readonly nullIs?: FieldErrorCode;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  /** The value that a handler gets; absent: the value itself. */
  readonly clean?: (value: never) => unknown;
}

const rules = new WeakMap<object, FieldRule>();
export const ruleOf = (schema: TSchema): FieldRule => {
  const rule = rules.get(schema);
  if (!rule) throw new Error('a schema of an issuing endpoint was not made by fields.ts');
  return rule;
};

interface Presence {
  readonly required?: boolean;
}

/** A required field's static type has no undefined in it, an optional one's has. */
type Field<Value, Options extends Presence> = Options extends { readonly required: true }
  ? TUnsafe<Value>
  : ReturnType<typeof Type.Optional<TUnsafe<Value>>>;

function field<Value, Options extends Presence & Common>(
  schema: object,
  { required = false, description, examples, also, requiredWhen }: Options,
  rest: Pick<FieldRule, 'own'> & Partial<FieldRule>,
): Field<Value, Options> {
  const documented = { ...schema, ...(description ? { description } : {}), ...(examples ? { examples } : {}) };
  const unsafe = Type.Unsafe<Value>(documented);
  const made = required ? unsafe : Type.Optional(unsafe);
  rules.set(made, {
    required,
    ...(also ? { also } : {}),
    ...(requiredWhen ? { requiredWhen } : {}),
    ...rest,
  });
  return made as Field<Value, Options>;
}

interface TextOptions extends Presence, Common {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
  /** What blank text is: an error of its own, a fault of form, or allowed. */
  readonly blank?: 'HAS_TEXT' | 'REGEX' | 'allowed';
  /** Identifiers and telephone numbers are kept as they came; in anything else a card number is masked (PCI DSS 12.10.7). */
  readonly exact?: boolean;
}

/** Text; length in characters (code points). A wrong type is REGEX. */
export function text<const Options extends TextOptions>(options: Options): Field<string, Options> {
  const { min = 0, max = 255, pattern, blank = 'allowed', exact = false } = options;
  return field<string, Options>(
    {
      type: 'string',
      ...(min > 0 ? { minLength: min } : {}),
      maxLength: max,
      // Classes of Unicode are written in each language's own way: a field with such a pattern says it in words.
      ...(pattern && !/\\p\{/i.test(pattern.source) ? { pattern: pattern.source } : {}),
    },
    options,
    {
      own(value) {
        if (typeof value !== 'string') return 'REGEX';
        if (value.trim() === '' && blank !== 'allowed') return blank;
        const length = codePoints(value);
        if (length < min || length > max) return 'SIZE';
        if (!PRINTABLE.test(value)) return 'REGEX';
        return pattern && value !== '' && !pattern.test(value) ? 'REGEX' : null;
      },
      ...(exact ? {} : { clean: maskPansIn }),
    },
  );
}

/** Characters as people count them: a letter outside of the basic plane is one. */
const codePoints = (value: string): number => Array.from(value).length;

const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;

/** A string of digits, kept as it came: leading zeros matter. */
export function digits<const Options extends Omit<TextOptions, 'pattern' | 'blank'>>(
  options: Options,
): Field<string, Options> {
  return text({ max: 19, ...options, pattern: /^\d+$/, blank: 'REGEX', exact: true });
}

interface ChoiceOptions extends Presence, Common {
  /** An alias of a value may stand for it. */
  readonly aliased?: boolean;
}

/** One of the given values; anything else, of whatever type, is NOT_IN. An alias reaches the handler as it came. */
export function choice<const Values extends readonly string[], const Options extends ChoiceOptions>(
  values: Values,
  options: Options,
): Field<Values[number], Options> {
  const { aliased = false } = options;
  return field<Values[number], Options>({ type: 'string', ...(aliased ? {} : { enum: [...values] }) }, options, {
    own: (value, aliases) => {
      const meant = aliased ? (aliases.get(value as string) ?? value) : value;
      return values.includes(meant as string) ? null : 'NOT_IN';
    },
  });
}

export function flag<const Options extends Presence & Common>(options: Options): Field<boolean, Options> {
  return field<boolean, Options>({ type: 'boolean' }, options, {
    own: (value) => (typeof value === 'boolean' ? null : 'NOT_IN'),
  });
}

interface NumberOptions extends Presence, Common {
  readonly min?: number;
  readonly max?: number;
}

const outside = (value: number, { min, max }: NumberOptions): FieldErrorCode | null => {
  if (min !== undefined && max !== undefined) return value < min || value > max ? 'RANGE' : null;
  if (min !== undefined && value < min) return 'AT_LEAST';
  return max !== undefined && value > max ? 'AT_MOST' : null;
};

/** A whole number: amounts are in minor units. Not a whole number, or no number at all: RANGE. */
export function integer<const Options extends NumberOptions>(options: Options): Field<number, Options> {
  const { min, max } = options;
  return field<number, Options>(
    { type: 'integer', ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) },
    options,
    {
      own: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? outside(value, options) : 'RANGE'),
    },
  );
}

/** Money in minor units. A null is no amount (RANGE): what was computed wrongly becomes null in JSON, and must not become a default. */
export function amount<const Options extends NumberOptions>(options: Options): Field<number, Options> {
  const made = integer(options);
  rules.set(made, { ...ruleOf(made), nullIs: 'RANGE' });
  return made;
}

/** A whole number in a query string. */
export function queryInteger<const Options extends NumberOptions>(options: Options): Field<number, Options> {
  const { min, max } = options;
  return field<number, Options>(
    { type: 'integer', ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) },
    options,
    {
      own: (value) =>
        typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? outside(Number(value), options) : 'RANGE',
      clean: (value: string) => Number(value),
    },
  );
}

/** The moment that milliseconds in a query say; null: the filter was not given. */
export const dateOf = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms));

/** A JSON object; unknown members are ignored. Anything but an object is NOT_IN; where one must be, REQUIRED, as if it were absent. */
export function object<const Properties extends TProperties, const Options extends Presence & Common>(
  properties: Properties,
  options: Options & { readonly title?: string; readonly otherIs?: 'REQUIRED' | 'NOT_IN' },
): Field<Static<ReturnType<typeof Type.Object<Properties>>>, Options> {
  const otherIs = options.otherIs ?? (options.required ? 'REQUIRED' : 'NOT_IN');
  const required = Object.keys(properties).filter((name) => ruleOf(properties[name] as TSchema).required);
  return field<Static<ReturnType<typeof Type.Object<Properties>>>, Options>(
    {
      type: 'object',
      ...(options.title ? { title: options.title } : {}),
      properties,
      ...(required.length > 0 ? { required } : {}),
    },
    options,
    {
      own: (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? null : otherIs),
      properties,
    },
  );
}

/** A JSON array of at most `max` elements, else SIZE. */
export function list<const Item extends TSchema, const Options extends Presence & Common & { readonly max: number }>(
  items: Item,
  options: Options,
): Field<Static<Item>[], Options> {
  return field<Static<Item>[], Options>({ type: 'array', items, maxItems: options.max }, options, {
    own: (value) => (Array.isArray(value) && value.length <= options.max ? null : 'SIZE'),
    items,
  });
}

/** A part of a request: body, query or path. */
export const shape = <const Properties extends TProperties>(
  properties: Properties,
  options: Common & { readonly title?: string } = {},
): Field<Static<ReturnType<typeof Type.Object<Properties>>>, { readonly required: true }> =>
  object(properties, { ...options, required: true });

/** `{cardId}` and its like in a path; digits that are too many for an id are nobody's. */
export const pathId = (description: string): Field<string, { readonly required: true }> =>
  digits({ required: true, max: 65_536, description });
