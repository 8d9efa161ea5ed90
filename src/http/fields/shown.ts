// What answers are made of, beside the shapes that requests have too (fields.ts). Rule: nothing is checked by these while serving:
// they describe answers, and tests hold every answer against them.
import Type, { type TSchema, type TUnsafe } from 'typebox';
import type { FieldOptions } from './fields.ts';

/** Text of exactly this form. */
export const Matching = (pattern: string, options: FieldOptions = {}): TSchema => Type.String({ pattern, ...options });

/** The same, or null. Not for a schema with a title of its own: that one stays whole (`Type.Union`). */
export const Nullable = (schema: TSchema): TUnsafe<unknown> => {
  const { type, enum: values, ...rest } = schema as { type?: unknown; enum?: readonly unknown[] };
  return Type.Unsafe({
    ...rest,
    ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
};

/** ISO 8601 in UTC, as operators and the simulator are told times. */
export const Instant = (options: FieldOptions = {}): TSchema =>
  Matching('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$', options);

/** An id of an order, a card and the like: digits. */
export const Id = (options: FieldOptions = {}): TSchema => Matching('^\\d{1,20}$', options);

/** Certificates by their fingerprints. */
export const ShownCertificates = (): TSchema =>
  Type.Array(Matching('^[0-9a-f]{64}$'), {
    description: 'SHA-256 fingerprints of the client certificates it is bound to; none: it needs no certificate.',
  });
