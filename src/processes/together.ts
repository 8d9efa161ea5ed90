// What one of several processes answers for all of them: their metrics, each with its number, and whether they can do their work.
// Rule: a number is never added up here: a process that begins anew begins its counters anew, and only who sees each of them knows that.
import type { Gathered } from './member.ts';
import type { Census } from './messages.ts';

/** Of the text format of Prometheus: what belongs to one metric stands together, under one head. */
export function joinMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { readonly head: string; readonly lines: string[] }>();
  for (const text of texts)
    for (const block of text.trim().split(/\n+(?=# HELP )/)) {
      const [, name = ''] = /^# HELP (\S+)/.exec(block) ?? [];
      if (name === '') continue;
      const lines = block.split('\n').filter((line) => line !== '');
      const known = metrics.get(name) ?? { head: lines.slice(0, 2).join('\n'), lines: [] };
      known.lines.push(...lines.slice(2));
      metrics.set(name, known);
    }
  return `${[...metrics.values()].map(({ head, lines }) => [head, ...lines].join('\n')).join('\n\n')}\n`;
}

const metric = (name: string, type: string, help: string, lines: readonly string[]): string =>
  [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines.map((line) => `${name}${line}`)].join('\n');

/** What the parent knows, as metrics. */
export const censusMetrics = ({ wanted, serving, restarts }: Census): string =>
  [
    metric('florin_processes_wanted', 'gauge', 'Server processes that there are to be.', [` ${wanted}`]),
    metric('florin_processes_serving', 'gauge', 'Server processes that serve.', [` ${serving}`]),
    metric(
      'florin_process_restarts_total',
      'counter',
      'How often a server process was begun anew.',
      restarts.map((count, i) => `{process="${i + 1}"} ${count}`),
    ),
  ].join('\n\n');

interface Ready {
  readonly ok: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

export interface ReadyTogether extends Ready {
  readonly processes: { readonly wanted: number; readonly serving: number };
}

/** Ready are all that serve, or none: nobody knows which of them is asked next. One that is being replaced is not asked. */
export function readyTogether(own: Ready, { answers, census }: Gathered): ReadyTogether {
  const { wanted, serving } = census;
  const all = answers.map(({ answer }) => (answer === null ? null : (JSON.parse(answer) as Ready)));
  const checks: Record<string, boolean> = { ...own.checks };
  for (const ready of all)
    for (const [name, ok] of Object.entries(ready?.checks ?? {})) checks[name] = (checks[name] ?? true) && ok;
  checks.processes = all.every((ready) => ready !== null);
  const missing = serving < wanted ? ['processes_missing'] : [];
  return {
    ...own,
    ok: Object.values(checks).every(Boolean),
    checks,
    warnings: [...new Set([...(own.warnings ?? []), ...all.flatMap((ready) => ready?.warnings ?? []), ...missing])],
    processes: { wanted, serving },
  };
}
