// What a failure says about the database: gone for now, or something else. Codes of Postgres (Appendix A of its manual), of sockets, and
// the words of the driver, which has no code for a connection that ended under a statement.

/** The server going away, coming up, or full. */
const CODES: ReadonlySet<string> = new Set([
  '53100',
  '53200',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '25P03',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
]);

export const isGoneCode = (error: unknown): boolean => CODES.has((error as { code?: string } | null)?.code ?? '');

const WORDS =
  /^(connection terminated|query read timeout|timeout (exceeded )?when trying to connect|client was closed)/i;

/** Nobody's fault, and over by itself or by starting the database: who was told so may simply try again. */
export const databaseIsGone = (error: unknown): boolean =>
  isGoneCode(error) ||
  (error instanceof Error && (WORDS.test(error.message) || (error.cause !== undefined && databaseIsGone(error.cause))));
