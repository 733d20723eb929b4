import { sql } from 'slonik';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { LOCK, rows, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import { removeSurplusRevisions } from '#adapters/database/retention/retain-revisions.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { PipelineToSave } from '#flows/pipelines/ports.ts';
import type { PipelineBefore, SaveTransaction } from '#flows/pipelines/save-ports.ts';
import { applyRenames } from './apply-renames.ts';
import { ofPipeline, pauseJobs, unpauseJobs } from './pause-jobs.ts';
import { pinTransaction } from './pin-resource.ts';
import { saveJobs } from './save-jobs.ts';
import { changedPins } from './save-pins.ts';
import { resourcesOf, saveResources } from './save-resources.ts';

interface LockedRow {
  id: number;
  revision: number;
  paused: boolean;
  live: boolean;
  /** Number of the team's other live pipelines. Null if this pipeline is live. */
  others: number | null;
  /** The pipeline of this Pipeline object was renamed, and belongs to another Pipeline object. */
  renamed: boolean;
  digest: string | null;
  definition: Pipeline | null;
  now: Date;
}

/** Stored as `paused_by` of jobs if the Pipeline object pauses the pipeline. */
const MANIFEST = 'manifest';

export async function withPipelineToSave<T>(
  database: Database & { webhookKey: Buffer },
  toSave: PipelineToSave,
  work: (tx: SaveTransaction) => Promise<T>,
): Promise<T> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const before = await lockOrCreatePipeline(connection, toSave);
    return await work(saveTransaction(connection, before, { toSave, webhookKey: database.webhookKey }));
  });
}

function saveTransaction(
  connection: Transaction,
  before: PipelineBefore,
  { toSave, webhookKey }: { toSave: PipelineToSave; webhookKey: Buffer },
): SaveTransaction {
  const { id: pipeline } = before;
  return {
    before,
    discard: () => discard(connection, before),
    saveRevision: () => saveRevision(connection, before, toSave),
    async applyRenames(revision) {
      // Locks scopes before rows of jobs and resources, as transactions that record versions do, to avoid
      // deadlocks.
      await lockScopes(connection, pipeline);
      return await applyRenames(connection, { pipeline, revision, definition: toSave.definition });
    },
    async saveDefinition(definitionRows, revision) {
      const switched = await saveResources(connection, {
        pipeline,
        revision,
        rows: definitionRows,
        webhookKey,
      });
      await saveJobs(connection, pipeline, definitionRows);
      return switched;
    },
    saveSettings: () => saveSettings(connection, before, toSave),
    changedPins: (pins) => changedPins(connection, pipeline, pins),
    pins: pinTransaction(connection),
    resources: () => resourcesOf(connection, pipeline),
  };
}

/**
 * Locks the pipeline, and creates its row if there is none. Throws if the team does not exist, or if the
 * Pipeline object was renamed.
 */
async function lockOrCreatePipeline(
  connection: Transaction,
  toSave: PipelineToSave,
): Promise<PipelineBefore> {
  const { team, pipeline, namespace, uid } = toSave;
  const isLive = await connection.exists(rows()`
    SELECT 1 FROM pipelines p JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
  // This lock makes the saves of new pipelines of a team wait for each other, so that each save counts the
  // pipelines before it.
  const strength = isLive ? sql.fragment`FOR SHARE` : sql.fragment`FOR NO KEY UPDATE`;
  const teamId = await connection.maybeOneFirst(rows<{ id: number }>()`
    SELECT id FROM teams WHERE name = ${team} AND deleted_at IS NULL ${strength}`);
  if (teamId === null) throw new Error(`Team ${team} is not known yet: its Team object must be ready first.`);
  await connection.query(rows()`
    INSERT INTO pipelines (team_id, name, namespace, uid, deleted_at)
    SELECT ${teamId}, ${pipeline}, ${namespace}, ${uid}, now()
    WHERE NOT EXISTS (SELECT 1 FROM pipelines WHERE team_id = ${teamId} AND name = ${pipeline})
    ON CONFLICT DO NOTHING`);
  const id = await connection.oneFirst(rows<{ id: number }>()`
    SELECT id FROM pipelines, pg_advisory_xact_lock(${LOCK.pipeline}, id::int)
    WHERE team_id = ${teamId} AND name = ${pipeline}`);
  const locked = await connection.one(rows<LockedRow>()`
    SELECT p.id, p.revision, p.paused, p.deleted_at IS NULL AS live, r.digest, r.definition, now() AS now,
      CASE WHEN p.deleted_at IS NOT NULL THEN (SELECT count(*) FROM pipelines o
        WHERE o.team_id = p.team_id AND o.deleted_at IS NULL) END AS others,
      EXISTS (SELECT 1 FROM pipeline_renames WHERE uid = ${uid} AND moved_at IS NOT NULL) AS renamed
    FROM pipelines p LEFT JOIN revisions r ON r.pipeline_id = p.id AND r.number = p.revision
    WHERE p.id = ${id}`);
  if (locked.renamed) throw new Error(`The Pipeline ${namespace}/${pipeline} (${uid}) was renamed.`);
  const { renamed: _, ...before } = locked;
  return withoutNulls(before);
}

/**
 * Locks all scopes of the pipeline. A transaction that records versions locks their scope too. So it either
 * commits before this transaction locks the scope, or sees what this transaction saves.
 */
async function lockScopes(connection: Transaction, pipeline: number): Promise<void> {
  await connection.query(rows()`
    SELECT 1 FROM check_scopes WHERE pipeline_id = ${pipeline} ORDER BY id FOR UPDATE`);
}

/**
 * Deletes the row of a pipeline that has no revision, such as one that `lockOrCreatePipeline` has just
 * created.
 */
async function discard(connection: Transaction, { id, revision }: PipelineBefore): Promise<void> {
  if (revision === 0) await connection.query(rows()`DELETE FROM pipelines WHERE id = ${id}`);
}

async function saveRevision(
  connection: Transaction,
  before: PipelineBefore,
  toSave: PipelineToSave,
): Promise<void> {
  await connection.query(rows()`
    INSERT INTO revisions (pipeline_id, number, digest, config, definition, actor)
    VALUES (${before.id}, ${before.revision + 1}, ${toSave.digest}, ${toSave.config},
      ${sql.jsonb(toSave.definition)}, ${toSave.actor})`);
  await connection.query(rows()`UPDATE pipelines SET revision = revision + 1 WHERE id = ${before.id}`);
  await removeSurplusRevisions(connection, before.id);
}

async function saveSettings(
  connection: Transaction,
  before: PipelineBefore,
  toSave: PipelineToSave,
): Promise<void> {
  const paused = toSave.paused ?? before.paused;
  const pausedByManifest = toSave.paused !== undefined;
  // If the manifest does not set `public`, the last value stays. A pipeline that was deleted in between is
  // private.
  const isPublic = sql.fragment`coalesce(${toSave.public ?? null}::boolean, public AND ${before.live})`;
  await connection.query(rows()`
    UPDATE pipelines SET namespace = ${toSave.namespace}, uid = ${toSave.uid},
      display_name = ${toSave.displayName ?? null},
      public = ${isPublic}, paused = ${paused},
        paused_by_manifest = ${pausedByManifest}, deleted_at = NULL
    WHERE id = ${before.id} AND (namespace, uid, display_name, public, paused, paused_by_manifest,
      deleted_at) IS DISTINCT FROM
      (${toSave.namespace}, ${toSave.uid}, ${toSave.displayName ?? null},
        ${isPublic},
        ${paused}, ${pausedByManifest}, NULL)`);
  if (before.paused && !paused) await unpauseJobs(connection, ofPipeline(before.id));
  if (!before.paused && paused) await pauseJobs(connection, ofPipeline(before.id), MANIFEST);
}
