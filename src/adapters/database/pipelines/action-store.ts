import { buildActions } from '#adapters/database/builds/build-actions.ts';
import { lockPipeline } from '#adapters/database/connection/lock-pipeline.ts';
import type { Database } from '#adapters/database/connection/pool.ts';
import { audit } from '#adapters/database/people/audit-store.ts';
import type { ActionStore } from '#flows/builds/action-ports.ts';
import { pauseActions } from './pause-actions.ts';
import { resourceActions } from './resource-actions.ts';

export function actionStore({ pool }: Database): ActionStore {
  return {
    withPipeline: async (name, work) =>
      await pool.transaction(async (connection) => {
        const pipelineId = await lockPipeline(connection, name);
        if (pipelineId === undefined) return { answer: 'unknown' };
        return await work({
          pipelineId,
          recordAudit: async (action) => await audit(connection, { team: name.team, ...action }),
          ...pauseActions(connection, pipelineId),
          ...resourceActions(connection, pipelineId),
          ...buildActions(connection, pipelineId),
        });
      }),
  };
}
