import { retainVersions, type VersionRetainFacts } from '#domain/scheduling/retain.ts';
import type { Removed } from '#flows/retain-history.ts';
import { ids, LOCK, rows, type Transaction } from './pool.ts';
import { policyOf, type StoredPolicy } from './retention-policy.ts';

/** Versions that are looked at by one transaction. */
const AT_ONCE = 500;

interface Turn {
  scope: number;
  pipeline: number;
  from: number;
  policy: StoredPolicy | null;
}

/** Some of the oldest versions of the scope that waits longest; undefined: all had their turn after `since`. */
export async function retainSomeVersions(
  connection: Transaction,
  { at, since }: { at: Date; since: Date },
): Promise<Removed | undefined> {
  const turn = await connection.maybeOne(rows<Turn>()`
    SELECT s.id AS scope, s.pipeline_id AS pipeline, s.retained_to AS "from", t.retention AS policy
    FROM check_scopes s JOIN pipelines p ON p.id = s.pipeline_id JOIN teams t ON t.id = p.team_id
    WHERE s.retained_at IS NULL OR s.retained_at < ${since.toISOString()}
    ORDER BY s.retained_at NULLS FIRST, s.id LIMIT 1`);
  if (turn === null) return undefined;
  await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, ${turn.pipeline}::int)`);
  const facts = await factsOf(connection, turn, at);
  const forgotten = retainVersions(facts);
  if (forgotten.length > 0)
    await connection.query(rows()`
      UPDATE versions SET forgotten = true, fields = '{}' WHERE id = ANY(${ids(forgotten)})`);
  const last = facts.versions.at(-1);
  const over = facts.versions.length < AT_ONCE || isYoung(facts);
  await connection.query(rows()`
    UPDATE check_scopes SET retained_to = ${over ? 0 : (last?.id ?? 0)},
      retained_at = CASE WHEN ${over} THEN ${at.toISOString()}::timestamptz ELSE retained_at END
    WHERE id = ${turn.scope}`);
  return { builds: 0, logs: 0, versions: forgotten.length, records: 0 };
}

const DAY = 24 * 60 * 60 * 1000;

/** Whatever comes after them is younger still. */
function isYoung({ versions, policy, now }: VersionRetainFacts): boolean {
  const { days = Infinity } = policy;
  return versions.every(({ foundAt }) => foundAt > now - days * DAY);
}

interface FactsRow {
  versions: { id: number; foundAt: string; inUse: boolean }[] | null;
  pinned: number | null;
  newest: number | null;
  enabled: number | null;
  baseline: number | null;
}

async function factsOf(
  connection: Transaction,
  { scope, from, policy: stored }: Turn,
  at: Date,
): Promise<VersionRetainFacts> {
  const policy = policyOf(stored);
  const found = await connection.one(rows<FactsRow>()`
    SELECT (
        SELECT jsonb_agg(jsonb_build_object('id', v.id, 'foundAt', v.found_at, 'inUse',
          EXISTS (SELECT 1 FROM build_inputs i WHERE i.version_id = v.id)
            OR EXISTS (SELECT 1 FROM build_outputs o WHERE o.version_id = v.id)
            OR EXISTS (SELECT 1 FROM resources r WHERE r.pinned_version = v.id)) ORDER BY v.id)
        FROM (SELECT id, found_at FROM versions
          WHERE scope_id = ${scope} AND NOT forgotten AND id > ${from} ORDER BY id LIMIT ${AT_ONCE}) AS v) AS versions,
      (SELECT max(pinned_version) FROM resources WHERE scope_id = ${scope}) AS pinned,
      (SELECT id FROM versions WHERE scope_id = ${scope} ORDER BY id DESC LIMIT 1) AS newest,
      (SELECT id FROM versions WHERE scope_id = ${scope} AND NOT disabled ORDER BY id DESC LIMIT 1) AS enabled,
      (SELECT min(greatest(g.dealt_with, CASE WHEN g.passed = '{}' THEN g.settled ELSE 0 END))
        FROM job_gets g JOIN resources r ON r.id = g.resource_id JOIN jobs j ON j.id = g.job_id
        WHERE r.scope_id = ${scope} AND g.trigger AND g.every AND j.deleted_at IS NULL) AS baseline`);
  const { versions, pinned, newest, enabled, baseline } = found;
  return {
    policy,
    now: at.getTime(),
    versions: (versions ?? []).map(({ id, foundAt, inUse }) => ({ id, inUse, foundAt: Date.parse(foundAt) })),
    newest: [newest, enabled].flatMap((id) => id ?? []),
    ...(pinned === null ? {} : { pinned }),
    ...(baseline === null ? {} : { lowestBaseline: baseline }),
  };
}
