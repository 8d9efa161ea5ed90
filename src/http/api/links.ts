// Page links of lists (RFC 8288). Rule: a link carries every filter of the request, so that following it never widens a search.

export interface PageLinks {
  /** Without trailing slash: `https://pay.example.com`. */
  readonly publicUrl: string;
  /** Prefix and path: `/gateway/orders/`. */
  readonly path: string;
  /** The request's own filters by name; a list is joined by commas. */
  readonly query: Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;
  /** What each linked page changes in the query (null removes a name); null: there is no such page. */
  readonly first?: Readonly<Record<string, string | null>> | null;
  readonly prev?: Readonly<Record<string, string | null>> | null;
  readonly next?: Readonly<Record<string, string | null>> | null;
}

/** The value of the Link field; null when there is nothing to link to. */
export function pageLinks({ publicUrl, path, query, ...pages }: PageLinks): string | null {
  const links: string[] = [];
  for (const rel of ['first', 'prev', 'next'] as const) {
    const page = pages[rel];
    if (!page) continue;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, ...page })) {
      if (value !== null && value !== undefined) search.append(name, String(value));
    }
    const text = search.toString();
    links.push(`<${publicUrl}${path}${text === '' ? '' : `?${text}`}>; rel="${rel}"`);
  }
  return links.length === 0 ? null : links.join(', ');
}
