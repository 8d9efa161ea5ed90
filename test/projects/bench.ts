// A database with projects on it, for the tests of this room: real Postgres, a clock that tests move, predictable chance.
import { createHmac } from 'node:crypto';
import pino from 'pino';
import { type Clock, idMaker, seededRandom, systemClock, VirtualClock } from '../../src/base/index.ts';
import {
  createProjects,
  credentialCreate,
  type Keyed,
  type Projects,
  projectCreate,
  type Tools,
  terminalPut,
} from '../../src/gateway/projects/index.ts';
import type { Transaction } from '../../src/store/index.ts';
import { testDatabase } from '../support/database.ts';

export const silent = pino({ level: 'silent' });
export const keyed: Keyed = (purpose, data) => createHmac('sha256', `test ${purpose}`).update(data).digest();

/** A clock whose business time and monotonic time are both moved by hand. */
export interface HandClock extends Clock {
  advance(ms: number): void;
}

export function handClock(): HandClock {
  const business = new VirtualClock(systemClock);
  business.set(new Date('2026-11-21T09:30:00.000Z'));
  business.freeze(true);
  let elapsedMs = 0;
  return {
    now: () => business.now(),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    elapsed: () => elapsedMs,
    advance(ms) {
      elapsedMs += ms;
      business.set(new Date(business.now().getTime() + ms));
    },
  };
}

export interface Bench {
  readonly database: Awaited<ReturnType<typeof testDatabase>>;
  readonly clock: HandClock;
  readonly tools: Tools;
  readonly projects: Projects;
  /** One transaction of changes; once it resolves `projects` knows of them. */
  change<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value>;
  /** What another process on the same database sees. */
  other(): Projects;
}

export async function bench(): Promise<Bench> {
  const database = await testDatabase();
  const clock = handClock();
  const random = seededRandom(7);
  const tools: Tools = { clock, ids: idMaker(clock, 1), random, keyed, links: ['simulator', 'acquirer'] };
  const other = (): Projects => createProjects({ database, keyed, clock, log: silent });
  const projects = other();
  const change: Bench['change'] = async (work) => {
    try {
      return await database.transaction(work);
    } finally {
      await projects.refresh();
    }
  };
  return { database, clock, tools, projects, change, other };
}

/** A project with one terminal and one credential. */
export async function shop(
  { change, tools }: Bench,
  login: string,
): Promise<{ readonly secret: string; readonly credential: bigint }> {
  return change(async (db) => {
    await projectCreate(db, tools, { login, name: `Shop ${login}`, accounting_currency: 'EUR' });
    await terminalPut(db, tools, login, '1', TERMINAL);
    const { secret, id } = await credentialCreate(db, tools, login, { label: 'server', rights: ['read', 'create'] });
    return { secret, credential: id };
  });
}

export const TERMINAL = {
  descriptor: 'SHOP*TEST',
  currencies: ['EUR', 'JPY'],
  link: 'simulator',
  merchant_id: 'SHOP0001',
  mcc: '5999',
  secure3d: 'when_needed',
  multicapture: false,
  cvv_must_match: false,
} as const;
