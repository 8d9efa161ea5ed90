// Stands between Florin and its Postgres and makes the network misbehave: a COMMIT whose answer is lost, connections that are cut,
// refused, slow or silent. Knows the framing of Postgres' protocol (version 3) far enough to see a COMMIT and its answer go by.

import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '../../src/store/index.ts';

/** What happens to one COMMIT. */
export type CommitFault =
  /** It is done, and the connection ends before its answer arrives. */
  | 'answer lost'
  /** The connection ends before the server has seen it. */
  | 'never arrived'
  /** The server answers it with an error of its own, and the session lives on. */
  | { readonly error: string }
  /** The server rolls back and answers with this error, and the session lives on. */
  | { readonly refused: string };

export interface PostgresProxy {
  readonly connection: Connection;
  /** COMMITs that went by, faults included. */
  readonly commits: number;
  /** How often a fault really happened, by its name. */
  readonly fired: ReadonlyMap<string, number>;
  /** The COMMITs to come that `when` picks; by default the next one. */
  failCommit(fault: CommitFault, options?: { readonly when?: (sql: string) => boolean; readonly times?: number }): void;
  /** From now on new connections are ended at once. */
  refuse(refused: boolean): void;
  /** Whatever happens next to a COMMIT also closes the door for so long. */
  refuseAfterFaultMs: number;
  /** Connections that are open now carry nothing any more, in either direction; new ones work. */
  silence(): void;
  /** Ends all connections. */
  cut(): void;
  /** Delay of every answer, milliseconds. */
  delayMs: number;
  /** Every statement that writes fails as on a full disk (53100), and its transaction with it. */
  full: boolean;
  close(): Promise<void>;
}

interface Pair {
  readonly client: net.Socket;
  readonly server: net.Socket;
  silent: boolean;
  readonly statements: Map<string, string>;
  /** What ran since the last COMMIT. */
  sql: string;
  /** The fault that waits for the answer to the COMMIT that was sent. */
  armed: CommitFault | null;
  /** Statements that were made to fail, and whose error is still to come. */
  spoiled: number;
  /** Answers that are on their way, and when the last of them has gone. */
  late: number;
  behind: Promise<void>;
}

/** Splits a stream into messages: the first of a client has no type byte. */
function framer(typed: boolean, onMessage: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let first = !typed;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const head = first ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(first ? '' : String.fromCharCode(message[0] as number), message);
      first = false;
    }
  };
}

const textAt = (message: Buffer, from: number): string => message.toString('utf8', from, message.indexOf(0, from));

/** The SQL that a message runs: a simple query (Q), or a statement (P: name, SQL) that is bound (B: portal, name). */
function sqlOf({ statements }: Pair, type: string, message: Buffer): string | null {
  if (type === 'Q') return textAt(message, 5);
  if (type === 'P') {
    const name = textAt(message, 5);
    statements.set(name, textAt(message, 5 + Buffer.byteLength(name) + 1));
  }
  return type === 'B' ? (statements.get(textAt(message, message.indexOf(0, 5) + 1)) ?? '') : null;
}

function frame(type: string, text: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(Buffer.byteLength(text) + 4, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

const ERROR = (code: string): Buffer => frame('E', `SERROR\0VERROR\0C${code}\0Mthe proxy says so\0\0`);
const ROLLBACK = frame('Q', 'rollback\0');
const WRITES = /^\s*(with\b[\s\S]*\b)?(insert|update|delete)\b/i;
/** Prepares what no server can read: it fails there, and everything after it up to the next Sync is skipped. */
const UNREADABLE = frame('P', '\0no space left\0\0\0');

/** Long: one proxy: its connections and its faults are one state. */
export async function postgresProxy(upstream: Connection): Promise<PostgresProxy> {
  const pairs = new Set<Pair>();
  const fired = new Map<string, number>();
  let faults: { fault: CommitFault; when: (sql: string) => boolean; times: number } | null = null;
  let refused = false;
  let commits = 0;
  const fire = (name: string): void => void fired.set(name, (fired.get(name) ?? 0) + 1);
  const end = (pair: Pair): void => {
    pair.client.destroy();
    pair.server.destroy();
    pairs.delete(pair);
  };

  async function shut(): Promise<void> {
    if (proxy.refuseAfterFaultMs === 0) return;
    refused = true;
    for (const pair of pairs) end(pair);
    await wait(proxy.refuseAfterFaultMs, undefined, { ref: false });
    refused = false;
  }

  /** What comes from Florin. True: it goes on to the server. */
  function passes(pair: Pair, type: string, message: Buffer): boolean {
    const sql = sqlOf(pair, type, message);
    if (sql === null) return true;
    if (!/^\s*commit\b/i.test(sql)) {
      pair.sql += `${sql}\n`;
      return !spoils(pair, type, sql);
    }
    commits++;
    const before = pair.sql;
    pair.sql = '';
    if (!faults?.when(before)) return true;
    const { fault } = faults;
    if (--faults.times === 0) faults = null;
    if (fault === 'never arrived') {
      fire(fault);
      end(pair);
      void shut();
      return false;
    }
    pair.armed = fault;
    if (typeof fault === 'string' || !('refused' in fault)) return true;
    pair.server.write(ROLLBACK);
    return false;
  }

  /** On a full disk what writes goes on as something that fails. True: it was spoilt. */
  function spoils(pair: Pair, type: string, sql: string): boolean {
    if (!proxy.full || type !== 'B' || !WRITES.test(sql)) return false;
    pair.spoiled++;
    fire('full');
    pair.server.write(UNREADABLE);
    return true;
  }

  /** What comes from the server. True: it goes on to Florin. */
  function returns(pair: Pair, type: string, message: Buffer): boolean {
    if (pair.spoiled > 0 && type === 'E') {
      pair.spoiled--;
      pair.client.write(ERROR('53100'));
      return false;
    }
    if (!pair.armed || type !== 'C' || !/^(COMMIT|ROLLBACK)/.test(message.toString('utf8', 5))) return true;
    const fault = pair.armed;
    pair.armed = null;
    if (typeof fault === 'object') {
      fire('error' in fault ? 'error' : 'rolled back');
      pair.client.write(ERROR('error' in fault ? fault.error : fault.refused));
      return false;
    }
    fire(fault);
    end(pair);
    void shut();
    return false;
  }

  // Passed on at once: a statement is a small packet behind another, which would wait for its acknowledgement.
  const listener = net.createServer({ noDelay: true }, (client) => {
    if (refused) {
      fire('refused');
      client.destroy();
      return;
    }
    const server = upstream.host?.startsWith('/')
      ? net.connect(`${upstream.host}/.s.PGSQL.${upstream.port ?? 5432}`)
      : net.connect({ port: upstream.port ?? 5432, host: upstream.host ?? 'localhost', noDelay: true });
    const pair: Pair = {
      client,
      server,
      silent: false,
      statements: new Map(),
      sql: '',
      armed: null,
      spoiled: 0,
      late: 0,
      behind: Promise.resolve(),
    };
    pairs.add(pair);
    const fromClient = framer(false, (type, message) => {
      if (!pair.silent && passes(pair, type, message)) server.write(message);
    });
    const fromServer = framer(true, (type, message) => {
      if (pair.silent || !returns(pair, type, message)) return;
      if (proxy.delayMs === 0 && pair.late === 0) return void client.write(message);
      // What comes behind something late waits behind it.
      pair.late++;
      const due = wait(proxy.delayMs, undefined, { ref: false });
      pair.behind = pair.behind.then(async () => {
        await due;
        pair.late--;
        client.write(message);
      });
    });
    client.on('data', fromClient);
    server.on('data', fromServer);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => {
        // A silent connection doesn't even say that the other side is gone.
        if (!pair.silent) other.destroy();
        if (one === client) {
          other.destroy();
          pairs.delete(pair);
        }
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as net.AddressInfo;

  const proxy: PostgresProxy = {
    connection: { ...upstream, host: '127.0.0.1', port },
    get commits() {
      return commits;
    },
    fired,
    refuseAfterFaultMs: 0,
    delayMs: 0,
    full: false,
    failCommit(fault, { when = () => true, times = 1 } = {}) {
      faults = { fault, when, times };
    },
    refuse(on) {
      refused = on;
    },
    silence() {
      for (const pair of pairs) {
        pair.silent = true;
        fire('silent');
      }
    },
    cut() {
      for (const pair of pairs) {
        fire('cut');
        end(pair);
      }
    },
    async close() {
      for (const pair of pairs) end(pair);
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return proxy;
}
