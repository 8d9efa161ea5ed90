// Keeps the sandbox's clock over a restart. Owns sandbox_clock.
import type { VirtualClock } from '../base/index.ts';
import type { Db } from '../store/index.ts';

export async function clockSave(db: Db, clock: VirtualClock): Promise<void> {
  await db.query(
    `insert into sandbox_clock (one, offset_ms, frozen_at) values (true, $1, $2)
     on conflict (one) do update set offset_ms = excluded.offset_ms, frozen_at = excluded.frozen_at`,
    [clock.offsetMs, clock.frozen ? clock.now() : null],
  );
}

export async function clockRestore(db: Db, clock: VirtualClock): Promise<void> {
  const [row] = await db.query<{ offset_ms: bigint; frozen_at: Date | null }>(
    'select offset_ms, frozen_at from sandbox_clock',
  );
  if (!row) return;
  clock.shift(Number(row.offset_ms));
  if (row.frozen_at) {
    clock.set(row.frozen_at);
    clock.freeze(true);
  }
}
