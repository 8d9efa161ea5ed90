// bins, card-range: what is known of card numbers by their first digits, and the ranges that numbers are given out of here.
import { at, type CommandSpec, given, type Options, rowsOf } from '../command.ts';

const number = (text: Options[string]): number | undefined => (text === undefined ? undefined : Number(text));

export const rangeCommands: readonly CommandSpec[] = [
  {
    usage: 'bins put <prefix>',
    summary: 'add a card range',
    required: [
      ['--brand <name>', 'lower-case brand'],
      ['--subtype <name>', 'lower-case product'],
    ],
    options: [
      ['--title <text>', 'issuing bank'],
      ['--country <code>', 'alpha-3'],
      ['--own', 'issued by our own issuing side'],
    ],
    run: (call, [prefix], { brand, subtype, title, country, own }) =>
      call('PUT', at`/bins/${prefix}`, given({ brand, subtype, title, country, own })),
  },
  {
    usage: 'bins list',
    summary: 'list card ranges',
    run: (call) => call('GET', '/bins'),
    table: ['bins', 'prefix', 'brand', 'subtype', 'title', 'country', 'own'],
  },
  {
    usage: 'bins remove <prefix>',
    summary: 'take back what was added of a card range',
    run: (call, [prefix]) => call('DELETE', at`/bins/${prefix}`),
  },
  {
    usage: 'card-range put <name>',
    summary: 'add a range of card numbers; the same again changes nothing',
    required: [
      ['--brand <name>', 'MASTERCARD or VISA'],
      ['--prefix <digits>', 'what all its numbers begin with'],
    ],
    options: [
      ['--length <digits>', 'digits of a number', '16'],
      ['--size <count>', 'how many numbers; all that there are when left out'],
    ],
    async run(call, [name], { brand, prefix, length, size }) {
      const ranges = rowsOf(await call('GET', '/card-ranges'), 'ranges');
      const there = ranges.find((range) => range.name === name);
      const wanted = given({ brand, prefix, number_length: number(length), size: number(size) });
      if (there && Object.entries(wanted).every(([field, value]) => there[field] === value)) return there;
      const body = given({ name, brand, prefix, numberLength: length, size });
      return call('POST', '/card-ranges', body);
    },
  },
  {
    usage: 'card-range list',
    summary: 'list the ranges that card numbers are given out of',
    run: (call) => call('GET', '/card-ranges'),
    table: ['ranges', 'name', 'brand', 'prefix', 'number_length', 'size', 'used'],
  },
];
