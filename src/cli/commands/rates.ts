// rates: exchange rates, out of a file of the European Central Bank or of one's own.
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { type Call, CliError, type CommandSpec, given, type Json, type Options, parsed } from '../command.ts';
import { textOf } from '../files.ts';

export const rateCommands: readonly CommandSpec[] = [
  {
    usage: 'rates load <file>',
    summary: 'load exchange rates: ECB XML, CSV (from,to,rate,day) or JSON',
    options: [['--source <text>', 'where they come from']],
    run: (call, [file], { source }) => loadRates(call, file as string, source),
    table: ['rates', 'from', 'to', 'rate', 'day', 'source'],
  },
  {
    usage: 'rates list',
    summary: 'list the latest exchange rates',
    run: (call) => call('GET', '/rates'),
    table: ['rates', 'from', 'to', 'rate', 'day', 'source'],
  },
];

/** What one request may carry. */
const MOST_RATES = 500;

async function loadRates(call: Call, file: string, source: Options[string]): Promise<Json> {
  const text = await textOf(file);
  const format = path.extname(file).toLowerCase();
  if (format === '.xml') return call('POST', '/rates', given({ ecb_xml: text, source }));
  const rows = format === '.csv' ? ratesOfCsv(text) : format === '.json' ? ratesOfJson(text) : null;
  if (!rows)
    throw new CliError('A file of rates ends in .xml, .csv or .json; JSON is a list of {from, to, rate, day}.');
  const stored: unknown[] = [];
  for (let i = 0; i < rows.length; i += MOST_RATES) {
    const { rates } = await call(
      'POST',
      '/rates',
      given({ rates: rows.slice(i, i + MOST_RATES), source: source ?? path.basename(file) }),
    );
    stored.push(...(rates as readonly unknown[]));
  }
  return { rates: stored };
}

/** Lines of from, to, rate and perhaps a day; a first line of names is left out. */
function ratesOfCsv(text: string): Json[] {
  const rates = recordsOf(text).filter(([from]) => !/^(from\b|$)/i.test(from ?? ''));
  return rates.map(([from, to, rate, day]) => given({ from, to, rate, day: day === '' ? undefined : day }));
}

function recordsOf(text: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter: [',', ';'],
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
    });
  } catch (error) {
    throw new CliError(`The file of rates is not CSV: ${error instanceof Error ? error.message : 'unreadable'}.`);
  }
}

function ratesOfJson(text: string): Json[] | null {
  const value = parsed(text);
  const rows = Array.isArray(value) ? (value as Json[]) : value?.rates;
  return Array.isArray(rows) ? (rows as Json[]) : null;
}
