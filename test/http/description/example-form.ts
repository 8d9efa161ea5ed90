// A request or an answer as an example: short, without what is secret, with the same stand-ins for what chance made of ids and codes.

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Of a list of records, as many say what the list is: those with the most to say, in their order, which chance may have made. */
const MOST_RECORDS = 3;
const telling = (records: readonly Json[]): Json[] => {
  const ranked = records.map((record, i) => ({
    i,
    members: membersOf(record).length,
    names: membersOf(record).join(),
  }));
  const kept = ranked
    .sort((a, b) => b.members - a.members || a.names.localeCompare(b.names) || a.i - b.i)
    .slice(0, MOST_RECORDS);
  return records.filter((_, i) => kept.some((one) => one.i === i));
};

const MOST_TEXT = 120;

/** Members whose values are chance or secret. */
const STAND_INS: Readonly<Record<string, string>> = {
  token: 'AUTH_TOKEN',
  secret: 'SHOWN_ONCE',
  authorization: 'Basic LOGIN_COLON_PASSWORD',
  'x-secret': 'API_SECRET',
  'authorization-key': 'AUTH_TOKEN',
  hash: '5f2a09c4e7b1',
  key: 'kek-2',
  auth_code: '831000',
  authCode: '831000',
  rrn: '101409000017',
  stan: '000017',
  arn: '74000000000000000000001',
  network_transaction_id: '483000000000017',
  trace_id: '483000000000017',
  cvv: '123',
  number: '5599990000000000',
  origin: '192.0.2.10',
};

/** What is drawn by chance so that nobody guesses it. */
/** The fingerprint of a certificate is none. */
const isToken = (text: string): boolean => /^[\w-]{40,}$/.test(text) && !/^[\da-f]{64}$/.test(text);
const isId = (text: string): boolean => /^\d{9,20}$/.test(text);

/** `host`: where the server of the example listened. */
export function exampleOf(body: Json, host: string): Json {
  const ids = new Map<string, string>();
  const idFor = (text: string): string => {
    const known = ids.get(text) ?? String(1_000_000_001 + ids.size);
    ids.set(text, known);
    return known;
  };
  const shown = (value: Json, name: string): Json => {
    if (Array.isArray(value)) {
      const records = value.some((element) => typeof element === 'object');
      return (records ? telling(value) : value).map((element) => shown(element, name));
    }
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, shown(held, key)]));
    if (typeof value !== 'string' || value === '') return value;
    const standIn = STAND_INS[name];
    if (standIn !== undefined) return standIn;
    if (isId(value) && name !== 'pan') return idFor(value);
    if (isToken(value)) return 'ONE_TIME_TOKEN';
    const clean = value
      .replaceAll(`http://${host}`, 'https://pay.example')
      .replace(/\/pay\/[\w-]{16,}/, '/pay/PAGE_TOKEN');
    return clean.length > MOST_TEXT ? `${clean.slice(0, MOST_TEXT)}…` : clean;
  };
  return shown(body, '');
}

/** The name of every member, by where it stands: the elements of an array are one place. */
export function membersOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((element) => membersOf(element, `${at}/*`)))].sort();
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, held]) => [`${at}/${name}`, ...membersOf(held, `${at}/${name}`)])
    .sort();
}
