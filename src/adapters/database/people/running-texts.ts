import type { DatabasePool } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import type { RunningTexts } from '#flows/pipelines/object-ports.ts';

/** Reads the HCL text of a pipeline's current revision. */
export function runningTexts({ pool }: { pool: DatabasePool }): RunningTexts {
  return {
    async textOf({ team, pipeline }) {
      const text = await pool.maybeOneFirst(rows<{ config: string }>()`
        SELECT v.config FROM pipelines p JOIN teams t ON t.id = p.team_id
        JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
        WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
      return text ?? undefined;
    },
  };
}
