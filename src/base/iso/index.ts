// iso: countries (ISO 3166-1) and currencies (ISO 4217) as tables.
// Rule: data and look-ups; nothing is decided here by country or currency.
export { type Country, countryOf } from './country.ts';
export { exponentOf, isCurrency, isUsableCurrency, numericOf } from './currency.ts';
