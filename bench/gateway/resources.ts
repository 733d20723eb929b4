import { webhookSecret, webhookToken } from '#adapters/crypto/digests.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { toSave, WEBHOOK_KEY } from '#testing/stores/stores.ts';
import type { PartEnvironment } from './part.ts';

const PER_PIPELINE = 1000;
const TEAM = 'webhooks';

export interface ResourceWithWebhook {
  scope: number;
  token: string;
  secret: string;
}

/** Creates at least `count` resources, in pipelines of `PER_PIPELINE` resources each. */
export async function makeResources(
  { stores, pool }: PartEnvironment,
  count: number,
): Promise<ResourceWithWebhook[]> {
  await stores.teams.saveTeam({ name: TEAM, namespace: TEAM });
  const resources = Array.from({ length: PER_PIPELINE }, (_, index) => resource(`git.r${index}`));
  const definition = samplePipeline({ resources, jobs: [job('unit', get('git.r0'))] });
  for (let index = 0; index < count / PER_PIPELINE; index++) {
    const pipeline = `p${index}`;
    await stores.pipelines.savePipeline(
      toSave(definition, { team: TEAM, pipeline, namespace: TEAM, uid: pipeline }),
    );
  }
  const created = await pool.any(rows<{ id: number; scope: number }>()`
    SELECT r.id, r.scope_id AS scope FROM resources r JOIN pipelines p ON p.id = r.pipeline_id
      JOIN teams t ON t.id = p.team_id WHERE t.name = ${TEAM} ORDER BY r.id`);
  return created.map(({ id, scope }) => {
    const token = webhookToken(WEBHOOK_KEY, id, 1);
    return { scope, token, secret: webhookSecret(WEBHOOK_KEY, token) };
  });
}

/** Marks every requested check as begun. */
export async function beginAllChecks({ pool }: PartEnvironment): Promise<void> {
  await pool.query(rows()`
    UPDATE check_scopes SET requested_at = NULL, requested_cause = NULL WHERE requested_at IS NOT NULL`);
}

/** The scopes for which a webhook requested a check that has not begun. */
export async function scopesToCheck({ pool }: PartEnvironment): Promise<Set<number>> {
  return new Set(
    await pool.anyFirst(
      rows<{ id: number }>()`SELECT id FROM check_scopes WHERE requested_cause = 'webhook'`,
    ),
  );
}
