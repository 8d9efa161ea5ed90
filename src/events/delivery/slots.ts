// Who may send next, of all endpoints of a process: owners take turns, and endpoints of an owner (docs/contract/events.md#fairness).
// Rule: what answers slowly shares a quarter of the places, however much of it there is.

/** An endpoint as the places see it. */
export interface Sending {
  readonly owner: bigint;
  /** Its answers take long. */
  isSlow(): boolean;
  /** Begins to send its next, if it has one that may go now; resolves when that has ended. */
  begin(): Promise<void> | null;
}

export interface Slots {
  /** It may have something to send. */
  ready(sending: Sending): void;
  remove(sending: Sending): void;
  onTheirWay(): number;
  readonly places: number;
}

export function createSlots(places = 512): Slots {
  const slowPlaces = Math.floor(places / 4);
  /** Those that may have something, by owner; the first is the next. */
  const waiting = new Map<bigint, Set<Sending>>();
  let taken = 0;
  let slow = 0;
  let turning = false;

  function withdraw(sending: Sending): void {
    const theirs = waiting.get(sending.owner);
    theirs?.delete(sending);
    if (theirs?.size === 0) waiting.delete(sending.owner);
  }

  /** To the end of its owner's line, and the owner to the end of his. */
  function rotate(sending: Sending): void {
    const theirs = waiting.get(sending.owner) ?? new Set();
    theirs.delete(sending);
    theirs.add(sending);
    waiting.delete(sending.owner);
    waiting.set(sending.owner, theirs);
  }

  /** One of somebody's is begun; false: nobody has any that may go. */
  function turn(): boolean {
    for (const theirs of waiting.values())
      for (const sending of theirs) {
        const isSlow = sending.isSlow();
        if (isSlow && slow >= slowPlaces) continue;
        const sent = sending.begin();
        if (sent === null) {
          withdraw(sending);
          continue;
        }
        rotate(sending);
        taken++;
        if (isSlow) slow++;
        void sent.finally(() => {
          taken--;
          if (isSlow) slow--;
          ready(sending);
        });
        return true;
      }
    return false;
  }

  function ready(sending: Sending): void {
    const theirs = waiting.get(sending.owner);
    if (!theirs) waiting.set(sending.owner, new Set([sending]));
    else theirs.add(sending);
    if (turning) return;
    turning = true;
    while (taken < places && turn());
    turning = false;
  }

  return { ready, remove: withdraw, onTheirWay: () => taken, places };
}
