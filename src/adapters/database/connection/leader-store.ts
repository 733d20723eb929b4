import type { LeaderStore } from '#flows/leader-ports.ts';
import { rows, type Database } from './pool.ts';

export function leaderStore({ pool }: Pick<Database, 'pool'>): LeaderStore {
  return {
    async takeEpoch(holder) {
      return await pool.oneFirst(rows<{ epoch: number }>()`
        UPDATE leader_epochs SET epoch = epoch + 1, holder = ${holder}, taken_at = now()
        WHERE scope = 'operator' RETURNING epoch`);
    },
    async isCurrent(epoch) {
      return await pool.exists(
        rows()`SELECT 1 FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch}`,
      );
    },
  };
}
