// cli: the command line. Owns what commands are called and how their answers are printed; `commands` has a file a noun, `apply` the file of
// an installation. Rule: it is a client of the operator API like any other, of a server here or elsewhere: no command touches the database
// or the data directory, and nothing of the server is imported. `serve` and `migrate` are main.ts's.
export { readSetup } from './apply/index.ts';
export { type CliActions, runCli } from './program.ts';
