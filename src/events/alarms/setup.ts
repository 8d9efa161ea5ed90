// What an operator sets up, told to himself: projects and tenants, as their GETs show them.
// Rule: told by the transaction that makes the change. What changes nothing that is shown is told by nothing.
import { jsonText } from '../../base/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Alarms } from './alarms.ts';

/** As a GET shows it. */
type Shown = object & { readonly active: boolean };

/** `of`: by which its API knows it. `before`: null where it is new. */
export type TellSetup = (
  inside: Transaction,
  of: { readonly project: string } | { readonly tenant: string },
  before: Shown | null,
  after: Shown,
) => Promise<void>;

export const tellSetup =
  (alarms: Pick<Alarms, 'within'>): TellSetup =>
  async (inside, of, before, after) => {
    const state = jsonText(after);
    if (before && jsonText(before) === state) return;
    const type = before === null ? 'setup.created' : before.active && !after.active ? 'setup.closed' : 'setup.updated';
    const [[noun, name] = []] = Object.entries(of);
    await alarms.within(inside, { type, name: `${noun} ${name}`, state, object: after, operation: of });
  };
