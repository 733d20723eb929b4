import type { ActionStore, Refused, WebhookRegenerated } from '#flows/action-ports.ts';
import type { ResourceName } from '#flows/ports.ts';
import { done, withPipeline } from './lock-pipeline.ts';
import { rows, type Database } from './pool.ts';

type Change = Parameters<ActionStore['regenerateWebhook']>[1];

export async function regenerateWebhook(
  { pool }: Pick<Database, 'pool'>,
  name: ResourceName,
  { hashOf, signed }: Change,
): Promise<WebhookRegenerated | Refused> {
  return await withPipeline(pool, name, async (connection, pipeline) => {
    const changed = await connection.maybeOne(rows<{ id: number; generation: number; signed: boolean }>()`
      UPDATE resources SET webhook_generation = webhook_generation + 1,
        webhook_signed = coalesce(${signed ?? null}::boolean, webhook_signed)
      WHERE pipeline_id = ${pipeline} AND name = ${name.resource} AND deleted_at IS NULL
      RETURNING id, webhook_generation AS generation, webhook_signed AS signed`);
    if (changed === null) return { answer: 'unknown' };
    const { id, generation } = changed;
    await connection.query(rows()`
      UPDATE resources SET webhook_hash = ${hashOf(id, generation)} WHERE id = ${id}`);
    return { ...done(pipeline), resource: id, generation, signed: changed.signed };
  });
}
