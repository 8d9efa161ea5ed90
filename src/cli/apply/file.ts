// The file of `florin apply`: what may stand in it, and on which line everything stands.
// Rule: what can be judged without a server is judged before the first call, and no value is repeated, for some are passwords.
import { isFingerprint } from '../../base/index.ts';
import { CliError, type Json } from '../command.ts';

export interface FileSecret {
  readonly label: string;
  /** Fingerprints of the client certificates it is bound to; an empty list: it is bound to none. */
  readonly certificates?: readonly string[];
}
/** Known by its description: its id and its secret are drawn where it is made. */
export interface FileWebhook extends Json {
  readonly description: string;
  readonly url: string;
  readonly events: readonly string[];
}
export interface FileProject {
  readonly login: string;
  readonly name: string;
  readonly accounting_currency: string;
  readonly active?: boolean;
  readonly settings?: Json;
  readonly terminals?: readonly (Json & { readonly id: string })[];
  readonly pricing?: Json;
  readonly rules?: readonly (Json & { readonly id: string })[];
  /** Made when no valid one has the label. */
  readonly credentials?: readonly (FileSecret & { readonly rights: readonly string[] })[];
  readonly webhooks?: readonly FileWebhook[];
}
export interface FileProfile {
  readonly name: string;
  /** By name. */
  readonly programme: string;
  readonly kind?: string;
  readonly active?: boolean;
  readonly settings?: Json;
}
export interface FileUser {
  readonly name: string;
  readonly surname: string;
  readonly email: string;
  readonly kind?: string;
  readonly mobile?: string;
  readonly active?: boolean;
  /** Only for a user that is made: nobody can read one back and compare. */
  readonly password?: string;
  readonly factors?: readonly string[];
}
export interface FileIdentity {
  readonly name: string;
  readonly programme: string;
  readonly type: string;
  readonly kycState?: string;
  readonly kycLevel?: string;
  readonly active?: boolean;
  readonly settings?: Json;
  readonly users?: readonly FileUser[];
}
export interface FileTenant {
  readonly name: string;
  readonly active?: boolean;
  readonly settings?: Json;
  /** API secrets, made when no valid one has the label; a text is a label alone. */
  readonly secrets?: readonly (string | FileSecret)[];
  readonly webhooks?: readonly FileWebhook[];
  readonly programmes?: readonly { readonly name: string; readonly settings?: Json }[];
  readonly profiles?: readonly FileProfile[];
  readonly identities?: readonly FileIdentity[];
}
export interface FileRange {
  readonly name: string;
  readonly brand: string;
  readonly prefix: string;
  readonly numberLength?: number;
  readonly size?: number;
}
export interface Setup {
  /** Of the whole installation. */
  readonly issuing?: { readonly settings: Json };
  readonly cardRanges?: readonly FileRange[];
  readonly projects?: readonly FileProject[];
  readonly tenants?: readonly FileTenant[];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** kind → what it is in words, and its test */
const KINDS = {
  text: ['a text', (value: unknown) => typeof value === 'string'],
  filled: ['a text that is not empty', (value: unknown) => typeof value === 'string' && value.trim() !== ''],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  whole: ['a whole number', (value: unknown) => Number.isSafeInteger(value)],
  decimal: ['a decimal', (value: unknown) => typeof value === 'string' || typeof value === 'number'],
  texts: [
    'a list of texts',
    (value: unknown) => Array.isArray(value) && value.every((part) => typeof part === 'string'),
  ],
  fingerprints: [
    'a list of SHA-256 fingerprints',
    (value: unknown) => Array.isArray(value) && value.every((part) => typeof part === 'string' && isFingerprint(part)),
  ],
  settings: ['an object', isObject],
} as const;

/** What an object has; in a list no two may have the same `key`. */
interface Form {
  readonly required?: Fields;
  readonly optional?: Fields;
  readonly key?: readonly string[];
  /** In a list a text stands for an object with this field alone. */
  readonly text?: string;
}
type Fields = Readonly<Record<string, keyof typeof KINDS | { readonly list: Form } | { readonly object: Form }>>;

const webhook: Form = {
  required: { description: 'filled', url: 'text', events: 'texts' },
  optional: { enabled: 'flag', payload: 'text', signature: 'text', concurrency: 'whole', ordered: 'flag' },
  key: ['description'],
};
const price: Form = {
  required: { operation: 'text', percent: 'decimal', fixed: 'decimal' },
  optional: { card_type: 'text', country: 'text', min: 'decimal', max: 'decimal' },
};
const project: Form = {
  required: { login: 'text', name: 'text', accounting_currency: 'text' },
  optional: {
    active: 'flag',
    settings: 'settings',
    terminals: {
      list: {
        required: {
          id: 'text',
          descriptor: 'text',
          currencies: 'texts',
          link: 'text',
          merchant_id: 'text',
          mcc: 'text',
        },
        optional: { secure3d: 'text', multicapture: 'flag', cvv_must_match: 'flag', position: 'whole' },
        key: ['id'],
      },
    },
    pricing: {
      object: {
        required: {
          rules: { list: price },
          reserve: { object: { required: { percent: 'decimal', days: 'whole' } } },
        },
      },
    },
    rules: {
      list: {
        required: { id: 'text', class: 'text', expression: 'text', action: 'text' },
        optional: { name: 'text', dry_run: 'flag', active: 'flag', position: 'whole' },
        key: ['id'],
      },
    },
    credentials: {
      list: {
        required: { label: 'text', rights: 'texts' },
        optional: { certificates: 'fingerprints' },
        key: ['label'],
      },
    },
    webhooks: { list: webhook },
  },
  key: ['login'],
};
const user: Form = {
  required: { name: 'text', surname: 'text', email: 'text' },
  optional: { kind: 'text', mobile: 'text', active: 'flag', password: 'text', factors: 'texts' },
  key: ['email'],
};
const tenant: Form = {
  required: { name: 'text' },
  optional: {
    active: 'flag',
    settings: 'settings',
    secrets: {
      list: { required: { label: 'text' }, optional: { certificates: 'fingerprints' }, key: ['label'], text: 'label' },
    },
    webhooks: { list: webhook },
    programmes: { list: { required: { name: 'text' }, optional: { settings: 'settings' }, key: ['name'] } },
    profiles: {
      list: {
        required: { name: 'text', programme: 'text' },
        optional: { kind: 'text', active: 'flag', settings: 'settings' },
        key: ['name'],
      },
    },
    identities: {
      list: {
        required: { name: 'text', programme: 'text', type: 'text' },
        optional: { kycState: 'text', kycLevel: 'text', active: 'flag', settings: 'settings', users: { list: user } },
        key: ['programme', 'name'],
      },
    },
  },
  key: ['name'],
};
const range: Form = {
  required: { name: 'text', brand: 'text', prefix: 'text' },
  optional: { numberLength: 'whole', size: 'whole' },
  key: ['name'],
};
const FILE: Form = {
  optional: {
    issuing: { object: { required: { settings: 'settings' } } },
    cardRanges: { list: range },
    projects: { list: project },
    tenants: { list: tenant },
  },
};

type Report = (place: string, fault: string) => void;

const within = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`);

function checkForm({ required = {}, optional = {} }: Form, value: unknown, place: string, report: Report): void {
  if (!isObject(value)) {
    report(place, 'must be an object');
    return;
  }
  for (const name of Object.keys(required)) if (!Object.hasOwn(value, name)) report(place, `${name} is missing`);
  const fields: Fields = { ...required, ...optional };
  for (const [name, held] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const at = within(place, name);
    if (field === undefined) report(at, `no such field; there are ${Object.keys(fields).join(', ')}`);
    else if (typeof field === 'string') {
      const [says, accepts] = KINDS[field];
      if (!accepts(held)) report(at, `must be ${says}`);
    } else if ('object' in field) checkForm(field.object, held, at, report);
    else if (!Array.isArray(held)) report(at, 'must be a list');
    else checkList(field.list, held, at, report);
  }
}

function checkList(form: Form, rows: readonly unknown[], place: string, report: Report): void {
  const seen = new Set<string>();
  rows.forEach((given, i) => {
    const row = form.text !== undefined && typeof given === 'string' ? { [form.text]: given } : given;
    if (form.text !== undefined && !isObject(row)) report(`${place}[${i}]`, 'must be a text or an object');
    else checkForm(form, row, `${place}[${i}]`, report);
    const key = JSON.stringify(form.key?.map((name) => (isObject(row) ? row[name] : null)) ?? i);
    if (seen.has(key)) report(`${place}[${i}]`, `another one has the same ${form.key?.join(' and ')}`);
    seen.add(key);
  });
}

interface Token {
  readonly text: string;
  readonly line: number;
}

/** Strings, marks, and anything else between them. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|"|\n/gu;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '\n') line++;
    else tokens.push({ text: token, line });
  }
  return tokens;
}

export interface SetupFile {
  readonly setup: Setup;
  /** `setup.json:12: tenants[0].name: …` */
  fault(place: string, text: string): CliError;
}

/** Reads the text of a file; throws with every place that is wrong. */
export function readSetup(file: string, text: string): SetupFile {
  const tokens = tokensOf(text);
  const lines = new Map<string, number>();
  const lineOf = (place: string): number => {
    const known = lines.get(place);
    const around = place.replace(/(\.?[^.[\]]+|\[\d+\])$/, '');
    return known ?? (around === place ? 1 : lineOf(around));
  };
  const fault = (place: string, said: string): CliError =>
    new CliError(`${file}:${lineOf(place)}: ${place === '' ? '' : `${place}: `}${said}`);

  let next = 0;
  const take = (): Token => {
    const token = tokens[next++];
    if (!token) throw new CliError(`${file}:${tokens.at(-1)?.line ?? 1}: not JSON: the file ends too early`);
    return token;
  };
  const unfit = ({ line }: Token, expected: string): CliError =>
    new CliError(`${file}:${line}: not JSON: ${expected} expected`);
  const plain = (token: Token, expected: string): unknown => {
    try {
      return JSON.parse(token.text);
    } catch {
      throw unfit(token, expected);
    }
  };

  function members(place: string): Json {
    const entries = new Map<string, unknown>();
    for (let token = take(); token.text !== '}'; token = take()) {
      const first = entries.size === 0;
      if (!first && token.text !== ',') throw unfit(token, '"," or "}"');
      const named = first ? token : take();
      if (!named.text.startsWith('"')) throw unfit(named, 'a name in double quotes');
      const name = plain(named, 'a name in double quotes') as string;
      const at = within(place, name);
      if (entries.has(name)) throw new CliError(`${file}:${named.line}: ${at}: given twice`);
      const colon = take();
      if (colon.text !== ':') throw unfit(colon, '":"');
      entries.set(name, value(at));
    }
    return Object.fromEntries(entries);
  }
  function elements(place: string): unknown[] {
    const out: unknown[] = [];
    if (tokens[next]?.text === ']') next++;
    else
      do out.push(value(`${place}[${out.length}]`));
      while (isComma(take()));
    return out;
  }
  function isComma(token: Token): boolean {
    if (token.text !== ',' && token.text !== ']') throw unfit(token, '"," or "]"');
    return token.text === ',';
  }
  function value(place: string): unknown {
    const token = take();
    lines.set(place, token.line);
    if (token.text === '{') return members(place);
    return token.text === '[' ? elements(place) : plain(token, 'a value');
  }

  const setup = value('');
  if (next < tokens.length) throw unfit(tokens[next] as Token, 'the end of the file');
  const faults: CliError[] = [];
  checkForm(FILE, setup, '', (place, said) => faults.push(fault(place, said)));
  if (faults.length > 0) throw new CliError(faults.map(({ message }) => message).join('\n'));
  return { setup: setup as Setup, fault };
}
