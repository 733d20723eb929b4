import { sql } from 'slonik';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { PipelineToSave, SavedPipeline } from '#flows/ports.ts';
import { carryNames, withNames, type Renames } from './carry-names.ts';
import { differenceBetween } from './definition-difference.ts';
import { holdEpoch } from './fence.ts';
import { LOCK, rows, type Database, type Transaction } from './pool.ts';
import { ofPipeline, pauseJobs, unpauseJobs } from './pause-jobs.ts';
import { removeSurplusRevisions } from './retain-revisions.ts';
import { saveJobs } from './save-jobs.ts';
import { savePins } from './save-pins.ts';
import { resourcesOf, saveResources } from './save-resources.ts';
import type { SwitchedScopes } from './switch-scopes.ts';

interface Row {
  id: number;
  revision: number;
  paused: boolean;
  live: boolean;
  /** This object's pipeline has another name and object now. */
  renamed: boolean;
  digest: string | null;
  definition: Pipeline | null;
}

/** Who paused or pinned, where it was the Pipeline object. */
const MANIFEST = 'manifest';

/** Everything that a new revision changes, in one transaction under the pipeline's lock. */
export async function savePipeline(
  database: Database & { webhookKey: Buffer },
  toSave: PipelineToSave,
): Promise<SavedPipeline> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const before = await lockPipeline(connection, toSave);
    const changed = before.digest !== toSave.digest || !before.live;
    const renames = changed ? await saveRevisionAndNames(connection, before, toSave) : NO_RENAMES;
    const known = { ...before, definition: withNames(before.definition, renames) };
    const switched = changed
      ? await saveDefinition(connection, known, { toSave, webhookKey: database.webhookKey })
      : UNCHANGED;
    await saveSettings(connection, before, toSave);
    const unpinned = await savePins(connection, before.id, pinsOf(toSave));
    const ended = [...switched.stopped, ...(unpinned ?? [])];
    return {
      id: before.id,
      revision: revisionAfter(before, toSave),
      changed,
      resources: await resourcesOf(connection, before.id),
      difference: {
        ...differenceWithNames(known, toSave, renames),
        histories: switched.told,
      },
      ...((unpinned !== undefined || ended.length > 0) && { repinned: { stopped: ended } }),
    };
  });
}

const NO_RENAMES: Renames = { jobs: new Map(), resources: new Map() };

/** Scopes are taken before rows of jobs and resources, as whoever records versions takes them. */
async function saveRevisionAndNames(
  connection: Transaction,
  before: Row,
  toSave: PipelineToSave,
): Promise<Renames> {
  await saveRevision(connection, before, toSave);
  await lockScopes(connection, before.id);
  const { definition } = toSave;
  return await carryNames(connection, {
    pipeline: before.id,
    revision: revisionAfter(before, toSave),
    definition,
  });
}

/** A pin of the manifest that still has the old name of a resource. */
function pinsOf({ pins = [], definition }: PipelineToSave): NonNullable<PipelineToSave['pins']> {
  const names = new Map(definition.resources.map(({ name, oldName }) => [oldName, name]));
  const named = new Set(pins.map(({ resource }) => resource));
  return pins.map((pin) => {
    const name = names.get(pin.resource);
    return name === undefined || named.has(name) ? pin : { ...pin, resource: name };
  });
}

/** What was renamed counts as changed. */
function differenceWithNames(
  { live, definition }: Row,
  toSave: PipelineToSave,
  renames: Renames,
): ReturnType<typeof differenceBetween> {
  const difference = differenceBetween((live ? definition : null) ?? undefined, toSave.definition);
  for (const kind of ['jobs', 'resources'] as const) {
    const told = difference[kind];
    const renamed = [...renames[kind].values()].filter((name) => !told.added.includes(name));
    told.changed = [...new Set([...told.changed, ...renamed])];
  }
  return difference;
}

const UNCHANGED: SwitchedScopes = { told: [], stopped: [] };

async function saveDefinition(
  connection: Transaction,
  before: Row,
  { toSave, webhookKey }: { toSave: PipelineToSave; webhookKey: Buffer },
): Promise<SwitchedScopes> {
  const { definition } = toSave;
  const switched = await saveResources(connection, {
    pipeline: before.id,
    revision: revisionAfter(before, toSave),
    previous: before.live ? before.definition : null,
    before: before.definition ?? undefined,
    definition,
    webhookKey,
  });
  await saveJobs(connection, before.id, definition);
  return switched;
}

function revisionAfter({ digest, revision }: Row, toSave: PipelineToSave): number {
  return digest === toSave.digest ? revision : revision + 1;
}

async function lockPipeline(connection: Transaction, toSave: PipelineToSave): Promise<Row> {
  const { team, pipeline, namespace, uid } = toSave;
  const teamId = await connection.maybeOneFirst(rows<{ id: number }>()`
    SELECT id FROM teams WHERE name = ${team} AND deleted_at IS NULL FOR SHARE`);
  if (teamId === null) throw new Error(`Team ${team} is not known yet: its Team object must be ready first.`);
  await connection.query(rows()`
    INSERT INTO pipelines (team_id, name, namespace, uid, deleted_at)
    SELECT ${teamId}, ${pipeline}, ${namespace}, ${uid}, now()
    WHERE NOT EXISTS (SELECT 1 FROM pipelines WHERE team_id = ${teamId} AND name = ${pipeline})
    ON CONFLICT DO NOTHING`);
  const id = await connection.oneFirst(rows<{ id: number }>()`
    SELECT id FROM pipelines, pg_advisory_xact_lock(${LOCK.pipeline}, id::int)
    WHERE team_id = ${teamId} AND name = ${pipeline}`);
  const locked = await connection.one(rows<Row>()`
    SELECT p.id, p.revision, p.paused, p.deleted_at IS NULL AS live, r.digest, r.definition,
      EXISTS (SELECT 1 FROM pipeline_renames WHERE uid = ${uid} AND moved_at IS NOT NULL) AS renamed
    FROM pipelines p LEFT JOIN revisions r ON r.pipeline_id = p.id AND r.number = p.revision
    WHERE p.id = ${id}`);
  if (locked.renamed) throw new Error(`The Pipeline ${namespace}/${pipeline} (${uid}) was renamed.`);
  return locked;
}

/** Whoever records versions holds a scope: they have committed, or see what is saved here. */
async function lockScopes(connection: Transaction, pipeline: number): Promise<void> {
  await connection.query(rows()`
    SELECT 1 FROM check_scopes WHERE pipeline_id = ${pipeline} ORDER BY id FOR UPDATE`);
}

async function saveRevision(connection: Transaction, before: Row, toSave: PipelineToSave): Promise<void> {
  if (before.digest === toSave.digest) return;
  await connection.query(rows()`
    INSERT INTO revisions (pipeline_id, number, digest, config, definition, actor)
    VALUES (${before.id}, ${before.revision + 1}, ${toSave.digest}, ${toSave.config},
      ${sql.jsonb(toSave.definition)}, ${toSave.actor})`);
  await connection.query(rows()`UPDATE pipelines SET revision = revision + 1 WHERE id = ${before.id}`);
  await removeSurplusRevisions(connection, before.id);
}

async function saveSettings(connection: Transaction, before: Row, toSave: PipelineToSave): Promise<void> {
  const paused = toSave.paused ?? before.paused;
  const managed = toSave.paused !== undefined;
  await connection.query(rows()`
    UPDATE pipelines SET namespace = ${toSave.namespace}, uid = ${toSave.uid}, display_name = ${toSave.displayName ?? null},
      public = coalesce(${toSave.public ?? null}::boolean, public), paused = ${paused}, paused_by_manifest = ${managed}, deleted_at = NULL
    WHERE id = ${before.id} AND (namespace, uid, display_name, public, paused, paused_by_manifest, deleted_at) IS DISTINCT FROM
      (${toSave.namespace}, ${toSave.uid}, ${toSave.displayName ?? null}, coalesce(${toSave.public ?? null}::boolean, public),
        ${paused}, ${managed}, NULL)`);
  if (before.paused && !paused) await unpauseJobs(connection, ofPipeline(before.id));
  if (!before.paused && paused) await pauseJobs(connection, ofPipeline(before.id), MANIFEST);
}
