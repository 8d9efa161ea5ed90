// The sandbox's clock, one for all processes on a database: kept there, followed by each, moved by whoever is asked to.
// Rule: it is moved by making the shared state anew from what it is, so that two movers add up and none takes the other back.
import type { ClockState, VirtualClock } from '../base/index.ts';
import type { Shared } from '../store/index.ts';

export interface SandboxClock {
  readonly clock: VirtualClock;
  /** Everybody's, with what `edit` does to it; resolves when all that live follow. */
  change(edit: (clock: VirtualClock) => void): Promise<void>;
  /** Forward to that moment, never back; the others follow soon. */
  step(to: Date): Promise<void>;
}

const NAME = 'clock';

/** `clock` shows from now on what is shared. */
export function sandboxClock(shared: Shared, clock: VirtualClock): SandboxClock {
  shared.on<ClockState>(NAME, (state) => clock.load(state));
  const edited =
    (edit: (clock: VirtualClock) => void) =>
    (current: ClockState | null): ClockState => {
      const copy = clock.copy();
      if (current) copy.load(current);
      edit(copy);
      return copy.state;
    };
  return {
    clock,
    change: (edit) => shared.change(NAME, edited(edit)),
    step: (to) =>
      shared.change(
        NAME,
        edited((copy) => {
          if (to > copy.now()) copy.set(to);
        }),
        { wait: false },
      ),
  };
}
