// What is wrong with an endpoint as it was given, beyond what a schema says: names of types, the address, how long keys overlap.
// Rule: every fault is told, in words that repeat nothing of what was sent.

import { CAUSES } from '../egress/index.ts';
import { type TypeFault, typeFaults } from '../endpoints/index.ts';
import type { OwnerType } from '../log/index.ts';
import type { EventsGround, FieldFault } from './form.ts';

const SAYS: Readonly<Record<TypeFault['fault'], string>> = {
  empty: 'at least one type, `order.*` or `*`',
  unknown: 'a type that can be told here, `order.*` or `*`',
  twice: 'each name once',
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

export const typesWrong = (owner: OwnerType, field: string, names: readonly string[]): FieldFault[] =>
  typeFaults(owner, names).map(({ at, fault }) => ({
    path: at === null ? [field] : [field, String(at)],
    fault,
    says: SAYS[fault],
  }));

/** What isn't there, or of a wrong kind, is told by the schema. */
export async function endpointWrong(
  { addresses }: EventsGround,
  owner: OwnerType,
  { url, events }: { readonly url?: unknown; readonly events?: unknown },
): Promise<FieldFault[]> {
  const faults = isTexts(events) ? typesWrong(owner, 'events', events) : [];
  if (typeof url !== 'string') return faults;
  const refusal = addresses.check(url) ?? (await addresses.resolves(url));
  return refusal === null ? faults : [{ path: ['url'], fault: 'address', says: CAUSES[refusal] }, ...faults];
}
