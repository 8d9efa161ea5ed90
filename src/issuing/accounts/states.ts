// The lifecycle that accounts and cards share: ACTIVE, BLOCKED, DESTROYED, and blocks that stack (docs/contract/issuing.md#state-machine).
// Rule: the state follows from the blocks and the reason of destruction; nobody sets it by itself.
import type { RefusalCode } from '../fields/index.ts';
import type { BlockReason, DestroyedReason, InstrumentState } from './model.ts';

export interface Standing {
  readonly state: InstrumentState;
  readonly blocks: readonly BlockReason[];
  readonly destroyed_reason: DestroyedReason | null;
}

export const ACTIVE: Standing = { state: 'ACTIVE', blocks: [], destroyed_reason: null };

const standing = (blocks: readonly BlockReason[], destroyed: DestroyedReason | null): Standing => ({
  state: destroyed ? 'DESTROYED' : blocks.length > 0 ? 'BLOCKED' : 'ACTIVE',
  blocks,
  destroyed_reason: destroyed,
});

const standingOf = ({ state, blocks, destroyed_reason }: Standing): Standing => ({ state, blocks, destroyed_reason });

/** The standing after a block, or why it can't be. LOST is final. */
export function blocked(of: Standing, by: BlockReason): Standing | RefusalCode {
  if (of.state === 'DESTROYED') return 'INSTRUMENT_DESTROYED';
  if (of.blocks.includes(by)) return 'INSTRUMENT_ALREADY_BLOCKED';
  return standing([...of.blocks, by], null);
}

/** The standing after somebody has lifted a block of their own; what others have set stays. */
export function unblocked(of: Standing, by: 'USER' | 'SYSTEM'): Standing | RefusalCode {
  if (of.state === 'DESTROYED') return 'INSTRUMENT_DESTROYED';
  if (of.blocks.includes('LOST')) return 'INSTRUMENT_MARKED_LOST_STOLEN';
  if (!of.blocks.includes(by)) return 'INSTRUMENT_NOT_BLOCKED';
  return standing(
    of.blocks.filter((reason) => reason !== by),
    null,
  );
}

export function destroyed(of: Standing, reason: DestroyedReason): Standing | RefusalCode {
  if (of.state === 'DESTROYED') return 'INSTRUMENT_DESTROYED';
  return standing(of.blocks, reason);
}

/** The standing of what comes in its place: a block that its holder couldn't lift stays. */
export const replaced = ({ blocks }: Standing): Standing =>
  standing(
    blocks.filter((reason) => reason === 'SYSTEM'),
    null,
  );

/** `state` of the APIs: the newest block is the reason that is shown. */
export function stateView(of: Standing): Record<string, string> {
  const { state, blocks, destroyed_reason } = standingOf(of);
  const reason = blocks.at(-1);
  return {
    state,
    ...(state === 'BLOCKED' && reason ? { blockedReason: reason } : {}),
    ...(destroyed_reason ? { destroyedReason: destroyed_reason } : {}),
  };
}
