// Endpoints that a file says a project or a tenant has, each known by its description.
// Rule: what the file doesn't say of one stays, and none is given a new key here.
import { at, type Json } from '../command.ts';
import { doing, equal, listed, oneOf, patch, type Run } from './changes.ts';
import type { FileWebhook } from './file.ts';

/** Types are a set: in another order they are the same. */
const sameTypes = (there: unknown, wanted: readonly string[]): boolean =>
  Array.isArray(there) && there.length === wanted.length && equal(new Set(there), new Set(wanted));

export async function applyWebhooks(
  run: Run,
  place: string,
  owner: { readonly name: string; readonly path: string; readonly there: Json | null },
  wanted: readonly FileWebhook[] = [],
): Promise<void> {
  if (wanted.length === 0) return;
  const path = `${owner.path}/webhooks`;
  const rows = await listed(run, owner.there, path, 'webhooks');
  for (const [i, webhook] of wanted.entries()) {
    const { description, events, ...fields } = webhook;
    const of = `${place}.webhooks[${i}]`;
    const named = rows.filter((row) => row.description === description);
    const known = oneOf(run, of, named, 'have this description; give all but one another');
    const what = `webhook ${owner.name}/${description}`;
    if (known) {
      const changed = { ...fields, events: sameTypes(known.events, events) ? undefined : events };
      await patch(run, of, { what, path: path + at`/${String(known.id)}`, there: known }, changed);
    } else await doing(run, of, { action: 'make', what }, (call) => call('POST', path, webhook));
  }
}
