// Which name an unknown one was probably meant to be. Rule: only the API's own names are told, never the client's.

/** Names that are known at a place in a request. */
interface Known {
  readonly properties: ReadonlyMap<string, Known> | null;
  readonly others: Known | null;
  readonly items: Known | null;
}

const LONGEST = 40;

/** Case and word separators are a matter of the client's language. */
const folded = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * A sibling that is written nearly so, or the place where the same name stands (`options/return_url`); null: nothing is near.
 * `path` leads to the unknown name.
 */
export function meantName(path: readonly string[], root: Known): string | null {
  const wrong = folded(path.at(-1) ?? '');
  if (wrong === '' || wrong.length > LONGEST) return null;
  const siblings = [...(parentOf(path, root)?.properties?.keys() ?? [])];
  const most = wrong.length < 4 ? 0 : wrong.length < 8 ? 1 : 2;
  const near = siblings
    .filter((name) => Math.abs(name.length - wrong.length) <= most + 3)
    .map((name) => ({ name, distance: editsBetween(wrong, folded(name)) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.name ?? elsewhere(wrong, root, '');
}

function parentOf(path: readonly string[], root: Known): Known | null {
  let node: Known | null = root;
  for (const name of path.slice(0, -1)) node = node?.properties?.get(name) ?? node?.items ?? node?.others ?? null;
  return node;
}

/** Where a name stands further down, told with what leads there; `client.name` and `client_name` mean the name in client. */
function elsewhere(wrong: string, { properties }: Known, above: string): string | null {
  for (const [name, child] of properties ?? []) {
    const path = `${above}${name}`;
    if (above !== '' && (folded(name) === wrong || folded(path) === wrong)) return path;
    const below = elsewhere(wrong, child, `${path}/`);
    if (below) return below;
  }
  return null;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
        swapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = row;
  }
  return last[b.length] as number;
}
