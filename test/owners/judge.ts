// Does a statement say whose rows it wants? Reads SQL as far as this takes: the tables that each select, insert, update and delete in it
// names, and the equalities that hold for all rows of it.
// Rule: what it does not understand it finds wrong; a statement may then be written more plainly.
import { OWNED } from './owned.ts';

type Node = string | readonly Node[];

/** Words, names, parameters, signs; casts and what stands in quotes say nothing here. */
const TOKENS =
  /'(?:[^']|'')*'|"[^"]*"|::\s*\w+(?:\[\])?|\$\d+|[a-z_]\w*(?:\.[a-z_]\w*)*|\d+|[<>=!~|&#@?*+/-]+|[(),;[\]]/gi;

/** Tokens in the groups that brackets make of them. */
function nodesOf(text: string): Node[] {
  const levels: Node[][] = [[]];
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '(') levels.push([]);
    else if (token === ')') {
      const group = levels.pop() as Node[];
      levels.at(-1)?.push(group);
    } else if (!/^['"]|^::/.test(token)) levels.at(-1)?.push(token.toLowerCase());
  }
  return levels[0] as Node[];
}

const STATEMENT = new Set(['select', 'insert', 'update', 'delete', 'with']);
/** A statement within: judged by itself. */
const WITHIN = '§';

/** A statement without those within it, brackets as tokens again; `found` gets the others. */
function flat(nodes: readonly Node[], found: (readonly Node[])[]): string[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return [node];
    if (typeof node[0] !== 'string' || !STATEMENT.has(node[0])) return ['(', ...flat(node, found), ')'];
    found.push(node);
    return [WITHIN];
  });
}

/** Words that end a list of tables, and those that no table has for its other name. */
const ENDS = new Set([
  'where',
  'group',
  'order',
  'having',
  'limit',
  'offset',
  'returning',
  'set',
  'select',
  'values',
  'for',
  'union',
]);
const WORDS = new Set([
  ...ENDS,
  'on',
  'join',
  'left',
  'cross',
  'inner',
  'right',
  'using',
  'from',
  'as',
  'and',
  'natural',
  'full',
  'do',
]);

interface Mention {
  readonly table: string;
  /** How its owner column may be called. */
  readonly names: readonly string[];
  /** Of an insert: its list of columns. */
  readonly columns: readonly string[] | null;
}

function mentionsIn(tokens: readonly string[]): Mention[] {
  const mentions: Mention[] = [];
  let [listing, depth] = [false, 0];
  tokens.forEach((token, i) => {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth === 0 && token === 'from') listing = true;
    if (depth === 0 && ENDS.has(token)) listing = false;
    const opens =
      ['from', 'join', 'into', 'using'].includes(token) ||
      (token === 'update' && tokens[i - 1] !== 'for' && tokens[i - 1] !== 'do') ||
      (token === ',' && listing && depth === 0);
    if (!opens) return;
    const at = tokens[i + 1] === 'only' ? i + 2 : i + 1;
    const table = tokens[at] ?? '';
    const owner = OWNED[table];
    if (owner === undefined) return;
    const next = tokens[at + 1] === 'as' ? tokens[at + 2] : tokens[at + 1];
    const other = next !== undefined && /^[a-z_]\w*$/.test(next) && !WORDS.has(next) ? next : null;
    const list = token === 'into' ? tokens.slice(tokens.indexOf('(', at) + 1, tokens.indexOf(')', at)) : null;
    mentions.push({ table, names: other ? [`${other}.${owner}`] : [`${table}.${owner}`, owner], columns: list });
  });
  if (mentions.length > 1) return mentions;
  return mentions.map((mention) => ({ ...mention, names: [...mention.names, OWNED[mention.table] as string] }));
}

/** Which tokens stand in what holds for every row: not beside an `or`, and not in what an update sets. */
function certain(tokens: readonly string[]): boolean[] {
  const groups: { readonly from: number; or: boolean }[] = [{ from: 0, or: false }];
  const sure = tokens.map(() => true);
  const close = (to: number): void => {
    const { from, or } = groups.pop() as { from: number; or: boolean };
    if (or) sure.fill(false, from, to);
  };
  let setting: number | null = null;
  tokens.forEach((token, i) => {
    if (token === '(') groups.push({ from: i, or: false });
    else if (token === ')' && groups.length > 1) close(i);
    else if (token === 'or' && (setting === null || groups.length > 1)) (groups.at(-1) as { or: boolean }).or = true;
    else if (token === 'set' && groups.length === 1) setting = i;
    else if (setting !== null && groups.length === 1 && ['from', 'where', 'returning'].includes(token)) {
      sure.fill(false, setting, i);
      setting = null;
    }
  });
  if (setting !== null) sure.fill(false, setting);
  while (groups.length > 0) close(tokens.length);
  return sure;
}

/** Tables of an owner that one statement names without its owner; those within it are left out. */
function unnamed(tokens: readonly string[]): string[] {
  const mentions = mentionsIn(tokens);
  const sure = certain(tokens);
  /** What each mention's owner is equal to: another mention's, or what comes from outside (-1). */
  const links: [number, number][] = [];
  const whose = (token: string | undefined): number => mentions.findIndex(({ names }) => names.includes(token ?? ''));
  tokens.forEach((token, i) => {
    if (!sure[i]) return;
    const mention = whose(token);
    if (mention >= 0) {
      const [before, behind] = [tokens[i - 1], tokens[i + 1]];
      if (behind === '=') links.push([mention, whose(tokens[i + 2])]);
      if (before === '=') links.push([mention, whose(tokens[i - 2])]);
      if (behind === 'in') links.push([mention, -1]);
      const row = before === '(' ? tokens.indexOf(')', i) : -1;
      if (row > 0 && ['in', '='].includes(tokens[row + 1] ?? '')) links.push([mention, -1]);
    }
    // `join … using (owner, …)`: the two that are joined; one of them is a list that came in, or a statement within.
    if (token === 'using' && tokens[i + 1] === '(')
      mentions.forEach(({ table }, at) => {
        if (tokens.slice(i, tokens.indexOf(')', i)).includes(OWNED[table] as string))
          links.push([at, tokens.includes('unnest') || tokens.includes(WITHIN) ? -1 : at]);
      });
  });
  const named = new Set<number>([-1]);
  for (let before = 0; before < named.size; ) {
    before = named.size;
    for (const [one, other] of links) {
      if (named.has(other)) named.add(one);
      if (named.has(one) && other >= 0) named.add(other);
    }
  }
  return mentions.flatMap(({ table, columns }, i) => {
    const right = columns ? columns.includes(OWNED[table] as string) : named.has(i);
    return right ? [] : [table];
  });
}

/** The tables of an owner that a statement, or one within it, names without saying whose rows of it are meant. */
export function ownersMissing(text: string): string[] {
  const missing: string[] = [];
  const open: (readonly Node[])[] = [nodesOf(text)];
  for (let nodes = open.pop(); nodes; nodes = open.pop()) {
    const tokens = flat(nodes, open);
    for (let from = 0; from <= tokens.length; ) {
      const to = tokens.indexOf('union', from);
      missing.push(...unnamed(tokens.slice(from, to < 0 ? undefined : to)));
      from = to < 0 ? tokens.length + 1 : to + 1;
    }
  }
  return missing;
}
