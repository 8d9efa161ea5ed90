// The issuing API's failures as schemas. Rule: 403 and 409 are told by `errorCode`, wrong fields by what is wrong with each, others by `code`.
import Type, { type TSchema } from 'typebox';
import { Choice, Shape } from '../../http/index.ts';
import { FIELD_ERROR_CODES, RESERVED_CODES } from './fields.ts';

const message = Type.String({ minLength: 1, description: 'Text for people: programs go by the code.' });
const failed = Shape(
  { code: Type.String({ pattern: '^[A-Z_]+$', examples: ['RESOURCE_NOT_FOUND'] }), message },
  { title: 'IssuingFailure' },
);
const invalid = Shape(
  {
    message,
    syntaxErrors: Shape({
      invalidFields: Type.Array(
        Shape(
          {
            params: Type.Array(Type.String(), { description: 'The path of what contains the field.' }),
            fieldName: Type.String(),
            error: Choice(FIELD_ERROR_CODES, {
              description: `One a field, the first that applies. Reserved, as no rule gives them: ${RESERVED_CODES.join(', ')}.`,
            }),
          },
          { title: 'InvalidField' },
        ),
        {
          description:
            'Every wrong field; none when the body is no JSON object, has a name twice, or is nested deeper than ten.',
        },
      ),
    }),
  },
  { title: 'InvalidFields' },
);

/** A failure that is told by one of the codes. */
export const errorCodeSchema = (codes: readonly string[], options: { readonly title?: string } = {}): TSchema =>
  Shape({ errorCode: Choice(codes), message }, options);

/** Of the statuses whose failures don't simply have a code. */
const SCHEMAS: Readonly<Record<number, TSchema>> = {
  400: invalid,
  403: errorCodeSchema(['STEP_UP_REQUIRED', 'ACCESS_TOKEN_REQUIRED'], { title: 'Forbidden' }),
  409: errorCodeSchema(['IDEMPOTENCY_REF_REUSED'], { title: 'IdempotencyConflict' }),
};

export const failureSchema = (status: number): TSchema => SCHEMAS[status] ?? failed;
