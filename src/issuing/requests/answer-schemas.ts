// What endpoints of several rooms answer alike, as schemas: failures by their codes, times, amounts, pages.
import Type, { type TSchema } from 'typebox';
import { type DocumentedAnswer, Id, Matching, Nullable, Shape } from '../../http/index.ts';
import { errorCodeSchema, type FailureCode, failures, rejections } from '../fields/index.ts';

function refused(description: string, codes: readonly FailureCode[]): DocumentedAnswer {
  const [code] = codes;
  const example = code === undefined ? {} : { example: { errorCode: code, message: failures[code][1] } };
  return { description, schema: errorCodeSchema(codes), ...example, kept: codes.some((one) => one in rejections) };
}

/** 409 with one of the codes, and no other. */
export const conflict = (...codes: readonly FailureCode[]): { readonly 409: DocumentedAnswer } => ({
  409: refused('A conflict, by errorCode', codes),
});

/** 403 where a session may be refused for more than its age. */
export const forbidden = (...codes: readonly FailureCode[]): { readonly 403: DocumentedAnswer } => ({
  403: refused('Forbidden, by errorCode', codes),
});

export const done = { 204: { description: 'Done' } } as const;

export const shownId = Id();
export const milliseconds = Type.Integer({ minimum: 0, description: 'Milliseconds since 1970, UTC.' });
export const minorUnits = Type.Integer({ description: 'Minor units.' });
export const currencyCode = Matching('^[A-Z]{3}$', { description: 'ISO 4217.' });
export const alpha2 = Matching('^[A-Z]{2}$', { description: 'ISO 3166 alpha-2.' });
export const shownText = Type.String();
export const textOrNull = Nullable(shownText);
export const money = Shape({ currency: currencyCode, amount: minorUnits }, { title: 'Money' });

/** A page of a list: `count` of all pages, `responseCount` of this one. */
export const page = (name: string, schema: TSchema): TSchema =>
  Shape({
    [name]: Type.Array(schema),
    count: Type.Integer({ minimum: 0, description: 'On all pages.' }),
    responseCount: Type.Integer({ minimum: 0, description: 'On this page.' }),
  });
