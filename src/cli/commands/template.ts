// template: how a project's payment pages look.
import path from 'node:path';
import {
  at,
  type Call,
  CliError,
  type CommandSpec,
  given,
  type Json,
  list,
  type Options,
  parsed,
  textIn,
} from '../command.ts';
import { bytesOf, textOf, textWrite } from '../files.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

/** A picture as the address that holds it; whether it is one, the server judges. */
async function logoOf(file: string): Promise<string> {
  const type = TYPES[path.extname(file).toLowerCase()];
  if (!type) throw new CliError('A logo is a .png, .jpg, .jpeg or .webp file.');
  return `data:${type};base64,${(await bytesOf(file)).toString('base64')}`;
}

/** What is no number is sent as it is, for the server to refuse: NaN would go out as null, which is nothing. */
const number = (text: Options[string]): unknown => (Number.isFinite(Number(text)) ? Number(text) : text);

const LOOK: NonNullable<CommandSpec['options']> = [
  ['--brand <colour>', 'button and focus ring, #rrggbb'],
  ['--ground <colour>', 'behind the card'],
  ['--paper <colour>', 'the card'],
  ['--ink <colour>', 'text on the card'],
  ['--logo <file>', 'picture of at most 12 KiB: PNG, JPEG or WebP'],
  ['--fields <names>', 'number, expiry, cvv and holder in the order of the page, separated by commas'],
  ['--radius <pixels>', 'corners, 0 to 24'],
  ['--file <json>', 'the whole template as a file; flags stand above it'],
];

/** What `template show --json` prints is a template again. */
const NOT_LOOK = ['id', 'version', 'updated_at'];

async function lookOf({ brand, ground, paper, ink, logo, fields, radius, file }: Options): Promise<Json> {
  const stored = file === undefined ? {} : parsed(await textOf(`${file}`));
  if (!stored) throw new CliError(`Not a JSON file: ${file}`);
  return {
    ...Object.fromEntries(Object.entries(stored).filter(([name]) => !NOT_LOOK.includes(name))),
    ...given({
      brand,
      ground,
      paper,
      ink,
      logo: logo === undefined ? undefined : await logoOf(`${logo}`),
      fields: fields === undefined ? undefined : list(fields),
      radius: number(radius),
    }),
  };
}

async function preview(call: Call, project: string | undefined, id: string | undefined, options: Options) {
  const { language, out } = options;
  const look = await lookOf(options);
  if (id !== undefined && Object.keys(look).length > 0)
    throw new CliError('Either a stored template or what it would look like, not both.');
  const query = language === undefined ? '' : at`?language=${`${language}`}`;
  const answer =
    id === undefined
      ? await call('POST', at`/projects/${project}/templates/preview`, given({ ...look, language }))
      : await call('GET', at`/projects/${project}/templates/${id}/preview` + query);
  if (out === undefined) return answer;
  await textWrite(`${out}`, textIn(answer, 'html'));
  return { file: out };
}

const widest = (names: readonly string[]): number => Math.max(...names.map((name) => name.length));

/** A template a line a field; of a logo, only that there is one. */
function templateText(template: Json): string {
  const width = widest(Object.keys(template));
  const shown = (name: string, value: unknown): string => {
    if (Array.isArray(value)) return value.join(',');
    if (name === 'logo') return textIn(template, name).split(',', 1)[0] || '-';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return Object.entries(template)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(name, value)}\n`)
    .join('');
}

export const templateCommands: readonly CommandSpec[] = [
  {
    usage: 'template put <project> <id>',
    summary: 'make a template of the payment page or replace it whole; the rest is the default',
    options: LOOK,
    run: async (call, [project, id], options) =>
      call('PUT', at`/projects/${project}/templates/${id}`, await lookOf(options)),
    show: templateText,
  },
  {
    usage: 'template list <project>',
    summary: 'list templates of the payment page',
    run: (call, [project]) => call('GET', at`/projects/${project}/templates`),
    table: ['templates', 'id', 'brand', 'ground', 'paper', 'ink', 'fields', 'radius', 'has_logo', 'version'],
  },
  {
    usage: 'template show <project> <id>',
    summary: 'show a template, every field of it',
    run: (call, [project, id]) => call('GET', at`/projects/${project}/templates/${id}`),
    show: templateText,
  },
  {
    usage: 'template remove <project> <id>',
    summary: 'remove a template; orders that name it look like the default',
    run: (call, [project, id]) => call('DELETE', at`/projects/${project}/templates/${id}`),
  },
  {
    usage: 'template preview <project> [id]',
    summary: 'the payment page in a stored template, or in one that is only tried: as HTML',
    options: [...LOOK, ['--language <code>', 'language of the page'], ['--out <file>', 'write it there']],
    run: (call, [project, id], options) => preview(call, project, id, options),
    show: (answer) => textIn(answer, 'html') || `file  ${textIn(answer, 'file')}\n`,
  },
];
