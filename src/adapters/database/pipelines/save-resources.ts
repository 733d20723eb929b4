import { sql } from 'slonik';
import { webhookToken, webhookTokenHash } from '#adapters/crypto/digests.ts';
import { ids, rows, textArray, type Transaction } from '#adapters/database/connection/pool.ts';
import type { DefinitionRows, ResourceRow } from '#domain/scheduling/definition-rows.ts';
import type { ResourceTimer } from '#domain/scheduling/resource-timers.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import type { HistoriesSwitched } from '#flows/pipelines/save-ports.ts';
import { switchScopes } from './switch-scopes.ts';

export interface ResourcesToSave {
  pipeline: number;
  /** Number of the new revision. */
  revision: number;
  rows: Pick<DefinitionRows, 'resources' | 'histories' | 'timers'>;
  webhookKey: Buffer;
}

/** Returns the resources of the current definition, in its order. */
export async function resourcesOf(
  connection: Transaction,
  pipeline: number,
): Promise<SavedPipeline['resources']> {
  const found = await connection.any(rows<SavedPipeline['resources'][number]>()`
    SELECT id, scope_id AS scope, name FROM resources
    WHERE pipeline_id = ${pipeline} AND deleted_at IS NULL ORDER BY position`);
  return [...found];
}

/**
 * Creates, restores, changes and removes resources with their check scopes. New resources get a webhook
 * token.
 */
export async function saveResources(
  connection: Transaction,
  { pipeline, revision, rows: definitionRows, webhookKey }: ResourcesToSave,
): Promise<HistoriesSwitched> {
  const { resources, histories, timers } = definitionRows;
  await createMissing(connection, { pipeline, resources, webhookKey });
  const switched = await switchScopes(connection, { pipeline, revision, histories });
  const names = textArray(resources.map(({ name }) => name));
  const types = textArray(resources.map(({ type }) => type));
  const streams = booleanArray(resources.map(({ stream }) => stream));
  const hooks = booleanArray(resources.map((resource) => resource.hooks));
  await connection.query(rows()`
    UPDATE resources r SET position = n.position - 1, type = n.type, stream = n.stream, hooks = n.hooks,
      deleted_at = NULL
    FROM unnest(${names}, ${types}, ${streams}, ${hooks})
      WITH ORDINALITY AS n (name, type, stream, hooks, position)
    WHERE r.pipeline_id = ${pipeline} AND r.name = n.name`);
  await connection.query(rows()`
    UPDATE resources SET deleted_at = now()
    WHERE pipeline_id = ${pipeline} AND deleted_at IS NULL AND name <> ALL(${names})`);
  await saveTimers(connection, pipeline, timers);
  return switched;
}

const booleanArray = (values: readonly boolean[]) => sql.array([...values], 'bool');

async function createMissing(
  connection: Transaction,
  { pipeline, resources, webhookKey }: { pipeline: number; resources: ResourceRow[]; webhookKey: Buffer },
): Promise<void> {
  const existingNames = await connection.anyFirst(rows<{ name: string }>()`
    SELECT name FROM resources WHERE pipeline_id = ${pipeline}`);
  const missing = resources.filter((resource) => !existingNames.includes(resource.name));
  if (missing.length === 0) return;
  const scopes = await connection.anyFirst(rows<{ id: number }>()`
    INSERT INTO check_scopes (pipeline_id) SELECT ${pipeline} FROM generate_series(1, ${missing.length}) RETURNING id`);
  const names = textArray(missing.map((resource) => resource.name));
  const types = textArray(missing.map((resource) => resource.type));
  const created = await connection.any(rows<{ id: number; generation: number }>()`
    INSERT INTO resources (pipeline_id, scope_id, name, type, position)
    SELECT ${pipeline}, n.scope, n.name, n.type, 0
    FROM unnest(${ids(scopes)}, ${names}, ${types}) AS n (scope, name, type)
    RETURNING id, webhook_generation AS generation`);
  const hashes = created.map(({ id, generation }) =>
    webhookTokenHash(webhookToken(webhookKey, id, generation)),
  );
  await connection.query(rows()`
    WITH owned AS (
      UPDATE check_scopes s SET resource_id = r.id FROM resources r WHERE r.scope_id = s.id
        AND s.id = ANY(${ids(scopes)}))
    UPDATE resources r SET webhook_hash = n.hash
    FROM unnest(${ids(created.map((resource) => resource.id))}, ${textArray(hashes)}) AS n (id, hash) WHERE r.id = n.id`);
}

async function saveTimers(
  connection: Transaction,
  pipeline: number,
  timers: readonly ResourceTimer[],
): Promise<void> {
  await connection.query(rows()`
    UPDATE check_scopes s SET live = false, requested_at = NULL, requested_cause = NULL
    FROM resources r WHERE r.scope_id = s.id AND r.pipeline_id = ${pipeline} AND r.deleted_at IS NOT NULL AND s.live`);
  await connection.query(rows()`
    UPDATE check_scopes s SET live = true, timer = n.timer, usual_schedule = n.schedule, webhook_schedule = n.webhook,
      schedule = CASE WHEN n.keep AND s.webhook_works THEN coalesce(n.webhook, n.schedule) ELSE n.schedule END,
      webhook_works = n.keep AND s.webhook_works, check_group = n."group",
      checked_by = n."checkedBy",
      next_check_at = CASE WHEN n.keep THEN s.next_check_at ELSE to_timestamp(n.next / 1000.0) END,
      requested_at = CASE WHEN n.request THEN coalesce(s.requested_at, now()) ELSE s.requested_at END,
      requested_cause = CASE WHEN n.request THEN coalesce(s.requested_cause, 'schedule') ELSE s.requested_cause END,
      failures = CASE WHEN n.keep THEN s.failures ELSE 0 END
    FROM jsonb_to_recordset(${sql.jsonb(timers.map((timer) => ({ ...timer })))}) AS n
      (name text, timer text, schedule jsonb, webhook jsonb, "group" text, "checkedBy" text,
        next double precision, request boolean, keep boolean)
    JOIN resources r ON r.pipeline_id = ${pipeline} AND r.name = n.name
    WHERE s.id = r.scope_id`);
}
