import { createHash } from 'node:crypto';
import { sql } from 'slonik';
import { IS_AUTOMATIC } from '#adapters/database/builds/scheduling/automatic-cause.ts';
import { ids, rows, textArray, type Transaction } from '#adapters/database/connection/pool.ts';
import type { HistoryKey } from '#domain/scheduling/definition-rows.ts';
import type { HistoriesSwitched } from '#flows/pipelines/save-ports.ts';
import { endAndFreeVersions } from './pin-resource.ts';

interface HistoriesToSave {
  pipeline: number;
  /** Number of the new revision. */
  revision: number;
  histories: readonly HistoryKey[];
}

interface StoredResource {
  id: number;
  name: string;
  scope: number;
  fingerprint: string | null;
}

interface Switch {
  resource: number;
  name: string;
  from: number;
  fingerprint: string;
  change: string;
}

/**
 * Gives each resource the scope that its definition identifies: its current one, a former one or a new one.
 * The caller must hold the locks of the pipeline and of its scopes. A scope that an older release stored
 * without a fingerprint gets the fingerprint of the previous revision.
 */
export async function switchScopes(
  connection: Transaction,
  toSave: HistoriesToSave,
): Promise<HistoriesSwitched> {
  const { pipeline, histories } = toSave;
  const keys = new Map(histories.map((history) => [history.resource, history]));
  const stored = await connection.any(rows<StoredResource>()`
    SELECT r.id, r.name, r.scope_id AS scope, s.fingerprint FROM resources r JOIN check_scopes s ON s.id = r.scope_id
    WHERE r.pipeline_id = ${pipeline} AND r.name = ANY(${textArray([...keys.keys()])})`);
  const missingFingerprints: { scope: number; resource: number; fingerprint: string }[] = [];
  const switches: Switch[] = [];
  for (const { id, name, scope, fingerprint } of stored) {
    const { key, formerKey, change } = keys.get(name) ?? {};
    if (key === undefined || formerKey === undefined || change === undefined) continue;
    const next = fingerprintOf(key);
    const current = fingerprint ?? fingerprintOf(formerKey);
    if (fingerprint === null) missingFingerprints.push({ scope, resource: id, fingerprint: current });
    if (current !== next) switches.push({ resource: id, name, from: scope, fingerprint: next, change });
  }
  await connection.query(rows()`
    UPDATE check_scopes s SET fingerprint = n.fingerprint, resource_id = n.resource
    FROM jsonb_to_recordset(${sql.jsonb(missingFingerprints)}) AS n (scope bigint, resource bigint, fingerprint text)
      WHERE s.id = n.scope`);
  if (switches.length === 0) return { changes: [], stopped: [] };
  const stopped = await applySwitches(connection, toSave, switches);
  return { changes: switches.map(({ change }) => change), stopped };
}

function fingerprintOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

async function applySwitches(
  connection: Transaction,
  { pipeline, revision }: HistoriesToSave,
  switches: readonly Switch[],
): Promise<number[]> {
  const switched = sql.fragment`jsonb_to_recordset(${sql.jsonb(switches.map((row) => ({ ...row })))})
    AS n (resource bigint, "from" bigint, fingerprint text)`;
  const resources = ids(switches.map(({ resource }) => resource));
  await connection.query(rows()`
    INSERT INTO check_scopes (pipeline_id, resource_id, fingerprint)
    SELECT ${pipeline}, n.resource, n.fingerprint FROM ${switched} ORDER BY n.resource ON CONFLICT DO NOTHING`);
  await connection.query(rows()`
    UPDATE check_scopes s SET live = false, requested_at = NULL, requested_cause = NULL
    FROM ${switched} WHERE s.id = n."from"`);
  await connection.query(rows()`
    WITH first AS (
      INSERT INTO scope_changes (resource_id, revision, scope_id) SELECT n.resource, 0, n."from" FROM ${switched}
      WHERE NOT EXISTS (SELECT 1 FROM scope_changes c WHERE c.resource_id = n.resource)),
    moved AS (
      UPDATE resources r SET scope_id = s.id FROM ${switched}
      JOIN check_scopes s ON s.resource_id = n.resource AND s.fingerprint = n.fingerprint
      WHERE r.id = n.resource RETURNING r.id, r.scope_id)
    INSERT INTO scope_changes (resource_id, revision, scope_id) SELECT id, ${revision}, scope_id FROM moved
    ON CONFLICT (resource_id, revision) DO UPDATE SET scope_id = excluded.scope_id`);
  // The result of the last check of a restored scope is outdated. Hooks do not hold versions of a former
  // scope.
  await connection.query(rows()`
    UPDATE check_scopes s SET last_error = NULL, held_since = NULL, held_reason = NULL FROM resources r
    WHERE r.scope_id = s.id AND r.id = ANY(${resources})`);
  await connection.query(rows()`
    UPDATE hook_runs SET open = false WHERE open AND resource_id = ANY(${resources})`);
  await movePins(connection, switches);
  return await endQueuedBuilds(connection, pipeline, resources);
}

/**
 * Moves the pin of each resource to the same version in the new scope; a pin of the manifest is matched
 * again. If the new scope has no such version, the pin stays, and no get takes a version until a check finds
 * such a version or the pin is removed.
 */
async function movePins(connection: Transaction, switches: readonly Switch[]): Promise<void> {
  await connection.query(rows()`
    UPDATE resources r SET pinned_version = CASE
      WHEN r.pin_wanted IS NOT NULL THEN (
        SELECT v.id FROM versions v WHERE v.scope_id = r.scope_id AND v.fields @> r.pin_wanted
          ORDER BY v.place DESC LIMIT 1)
      ELSE coalesce((
        SELECT v.id FROM versions p JOIN versions v ON v.scope_id = r.scope_id AND v.digest = p.digest
        WHERE p.id = r.pinned_version), r.pinned_version) END
    WHERE r.id = ANY(${ids(switches.map(({ resource }) => resource))}) AND r.pinned_by IS NOT NULL`);
}

/**
 * Ends automatic builds that have not started and took a version of a former scope. These versions then count
 * as never used. Returns the ended builds.
 */
async function endQueuedBuilds(
  connection: Transaction,
  pipeline: number,
  resources: ReturnType<typeof ids>,
): Promise<number[]> {
  const queued = await connection.anyFirst(rows<{ id: number }>()`
    SELECT b.id FROM jobs j JOIN builds b ON b.job_id = j.id
    WHERE j.pipeline_id = ${pipeline} AND b.ended_at IS NULL AND b.status IN ('pending', 'waiting')
      AND ${IS_AUTOMATIC} AND EXISTS (
        SELECT 1 FROM build_inputs i JOIN versions v ON v.id = i.version_id JOIN resources r ON r.id = i.resource_id
        WHERE i.build_id = b.id AND r.id = ANY(${resources}) AND v.scope_id <> r.scope_id)`);
  const message = 'The source of a resource that this build takes has changed.';
  return await endAndFreeVersions(connection, queued, { by: null, message, at: new Date() });
}
