// Shapes that the operator's endpoints for issuing have in common, and their failures.
import Type from 'typebox';
import { Refusal } from '../../base/index.ts';
import { Digits, Failure, pointerOf, Shape, Text } from '../../http/index.ts';
import type { Db } from '../../store/index.ts';
import { isGuessable, SHORTEST_PASSWORD } from '../people/index.ts';
import { tenantRows } from '../tenants/index.ts';
import { type SettingsOf, settingNames, settingProblems } from './settings.ts';

export const TAG = 'Issuing';

/** Judged by the settings' own rules. */
export const settingsGiven = (of: SettingsOf) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: { type: ['null', 'boolean', 'number', 'string', 'array', 'object'], items: {} },
    description: `Settings by name, of the form that the answer has: ${settingNames(of).join(', ')}. null takes one back to its default.`,
  });

export const TenantPath = Shape({ tenant: Text({ max: 64, description: 'Name of the tenant.' }) });
const OfTenant = { tenant: Text({ max: 64 }) };
export const WithId = Shape({ ...OfTenant, id: Digits({ max: 20 }) });
export const Name = Text({ min: 1, max: 64 });
export const Password = Text({ min: SHORTEST_PASSWORD, max: 255 });
export const unknown = { 404: { description: 'Not there' } } as const;
export const wrong = { 422: { description: 'Wrong fields' } } as const;

/** 422 with every wrong setting. */
export function refuseSettings(of: SettingsOf, given: object): void {
  const problems = settingProblems(of, given);
  if (problems.length === 0) return;
  const names = settingNames(of);
  throw new Failure('validation', {
    errors: problems.map(({ path, error }) => ({
      message: 'Not allowed',
      uri: pointerOf(['settings', ...path]),
      attribute: error,
      ...(path.length === 1 && !names.includes(path[0] as string) ? { details: [`one of ${names.join(', ')}`] } : {}),
    })),
  });
}

/** A refusal of the issuing side in the operator's own shape. */
export async function refusing<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Failure(error.kind === 'not_found' ? 'not_found' : 'conflict', {
      code: error.code,
      message: `${error.code}: ${error.message}`,
    });
  }
}

/** Plus sign and digits, as cards' own mobile numbers. */
export function refuseMobile(mobile: string | undefined): void {
  if (mobile === undefined || /^\+?\d{5,14}$/.test(mobile)) return;
  throw new Failure('validation', { errors: [{ message: 'Not allowed', uri: '#/mobile', attribute: 'REGEX' }] });
}

/** A password that is guessed soon; `email`: of whom it shall be. */
export function refusePassword(password: string, email: string, uri: string): void {
  if (!isGuessable(password, email)) return;
  const details = ["none that is common or easy to guess, and none with the name of the user's e-mail address in it"];
  throw new Failure('validation', { errors: [{ message: 'Not allowed', uri, attribute: 'IN', details }] });
}

export const notFound = (message: string): Failure => new Failure('not_found', { message });

export async function tenantNamed(db: Db, name: string) {
  const row = (await tenantRows(db)).find((tenant) => tenant.name === name);
  if (!row) throw notFound('No such tenant');
  return row;
}
