// Work that takes turns, so that nobody's slow neighbour keeps him waiting: the owner with the least in flight is next, and each of them, each thing
// that work goes through (a link to an acquirer), and each owner on each of those, has at most its share in flight.
// Rule: nothing waits for a batch: whatever ends makes room at once.

export interface Job {
  /** While it waits or runs, another one of its name is the same job. */
  readonly name: string;
  readonly owner: string;
  /** What it goes through that others need, too; null: nothing. */
  readonly through: string | null;
  /** Resolves to `again`: it has only paused; it goes on when it is its owner's turn again, before what that one has besides of the same kind. */
  run(): Promise<unknown>;
}

export interface Shares {
  readonly atOnce: number;
  readonly perOwner: number;
  readonly perThrough: number;
  /** Of one owner through one thing: what he may do besides is the rest of `perOwner`. */
  readonly perOwnerThrough: number;
}

export interface FairQueue {
  /** Settles as the job does, or as the one of its name that is there already; resolves without a run once the queue is closed. */
  add(job: Job): Promise<void>;
  /** The job of this name that waits or runs. */
  underWay(name: string): Promise<void> | undefined;
  /** How many jobs wait or run: of an owner, or in all. */
  size(owner?: string): number;
  readonly closed: boolean;
  /** Nothing begins any more; resolves when what runs has ended. */
  close(): Promise<void>;
}

interface Waiting {
  readonly job: Job;
  readonly ended: PromiseWithResolvers<void>;
}

/** The jobs of one owner through one thing. */
interface Strand {
  readonly waiting: Waiting[];
  running: number;
}

interface Lane {
  readonly strands: Map<string | null, Strand>;
  running: number;
  size: number;
}

/** Long: what is in flight is counted in one place, by the few functions that share the counts. */
export function fairQueue(shares: Shares): FairQueue {
  const lanes = new Map<string, Lane>();
  const inFlight = new Map<string, number>();
  const known = new Map<string, Promise<void>>();
  let running = 0;
  let closed = false;

  const hasRoom = (through: string | null, strand: Strand): boolean =>
    through === null || (strand.running < shares.perOwnerThrough && (inFlight.get(through) ?? 0) < shares.perThrough);

  /** The next job of a lane; its strand's turn is then over. */
  function nextOf(lane: Lane): Waiting | null {
    for (const [through, strand] of lane.strands) {
      if (strand.waiting.length === 0 || !hasRoom(through, strand)) continue;
      lane.strands.delete(through);
      lane.strands.set(through, strand);
      return strand.waiting.shift() as Waiting;
    }
    return null;
  }

  /** Of those with something to begin, who has the least in flight, and then who has waited longest for his turn. */
  function next(): Waiting | null {
    const byLoad = [...lanes].filter(([, { running: own }]) => own < shares.perOwner);
    byLoad.sort(([, a], [, b]) => a.running - b.running);
    for (const [owner, lane] of byLoad) {
      const turn = nextOf(lane);
      if (!turn) continue;
      lanes.delete(owner);
      lanes.set(owner, lane);
      return turn;
    }
    return null;
  }

  function count({ owner, through }: Job, by: 1 | -1): void {
    const lane = lanes.get(owner) as Lane;
    const strand = lane.strands.get(through) as Strand;
    running += by;
    lane.running += by;
    strand.running += by;
    if (through !== null) inFlight.set(through, (inFlight.get(through) ?? 0) + by);
  }

  function forget({ name, owner, through }: Job): void {
    const lane = lanes.get(owner) as Lane;
    const strand = lane.strands.get(through);
    known.delete(name);
    if (strand?.running === 0 && strand.waiting.length === 0) lane.strands.delete(through);
    if (--lane.size === 0) lanes.delete(owner);
  }

  /** It is first among its own again, and its owner behind those who came meanwhile. */
  function paused(turn: Waiting): void {
    const { owner, through } = turn.job;
    const lane = lanes.get(owner) as Lane;
    lane.strands.get(through)?.waiting.unshift(turn);
    lanes.delete(owner);
    lanes.set(owner, lane);
  }

  function fill(): void {
    while (!closed && running < shares.atOnce) {
      const turn = next();
      if (!turn) return;
      void begin(turn);
    }
  }

  async function begin(turn: Waiting): Promise<void> {
    const { job, ended } = turn;
    count(job, 1);
    let settle = ended.resolve;
    let again = false;
    try {
      again = (await job.run()) === 'again';
    } catch (error) {
      settle = () => ended.reject(error);
    }
    // With what follows in one step: a strand that is counted empty may be forgotten by another job that ends in between.
    count(job, -1);
    if (again && !closed) {
      paused(turn);
      return fill();
    }
    forget(job);
    fill();
    settle();
  }

  return {
    add(job) {
      const there = known.get(job.name);
      if (there) return there;
      if (closed) return Promise.resolve();
      let lane = lanes.get(job.owner);
      if (!lane) lanes.set(job.owner, (lane = { strands: new Map(), running: 0, size: 0 }));
      let strand = lane.strands.get(job.through);
      if (!strand) lane.strands.set(job.through, (strand = { waiting: [], running: 0 }));
      const ended = Promise.withResolvers<void>();
      lane.size++;
      strand.waiting.push({ job, ended });
      known.set(job.name, ended.promise);
      fill();
      return ended.promise;
    },
    get closed() {
      return closed;
    },
    underWay: (name) => known.get(name),
    size: (owner) => (owner === undefined ? known.size : (lanes.get(owner)?.size ?? 0)),
    async close() {
      closed = true;
      const dropped = [...lanes.values()].flatMap(({ strands }) =>
        [...strands.values()].flatMap(({ waiting }) => waiting.splice(0)),
      );
      for (const { job, ended } of dropped) {
        forget(job);
        ended.resolve();
      }
      await Promise.allSettled(known.values());
    },
  };
}
