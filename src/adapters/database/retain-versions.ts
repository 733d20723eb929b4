import { retainVersions, type VersionRetainFacts } from '#domain/scheduling/retain.ts';
import type { Removed } from '#flows/retain-history.ts';
import { ids, rows, type Transaction } from './pool.ts';
import { leaveTurn, takeTurn, type Turn } from './retention-turn.ts';
import { FOUND_FIRST_FIRST, foundAfter, NEWEST_FIRST, ofScope } from './versions-in-order.ts';

/** Versions that are looked at by one transaction. */
const AT_ONCE = 500;

/** Some of the oldest versions of the scope that waits longest; undefined: all had their turn after `since`. */
export async function retainSomeVersions(
  connection: Transaction,
  { at, since }: { at: Date; since: Date },
): Promise<Removed | undefined> {
  const turn = await takeTurn(connection, 'check_scopes', since);
  if (turn === undefined) return undefined;
  const facts = await factsOf(connection, turn, at);
  const forgotten = retainVersions(facts);
  if (forgotten.length > 0)
    await connection.query(rows()`
      UPDATE versions SET forgotten = true, fields = '{}' WHERE id = ANY(${ids(forgotten)})`);
  const over = facts.versions.length < AT_ONCE || isYoung(facts);
  await leaveTurn(connection, turn, { last: over ? undefined : facts.versions.at(-1)?.id, at });
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
  { id: scope, from, policy }: Turn,
  at: Date,
): Promise<VersionRetainFacts> {
  const found = await connection.one(rows<FactsRow>()`
    SELECT (
        SELECT jsonb_agg(jsonb_build_object('id', v.id, 'foundAt', v.found_at, 'inUse',
          EXISTS (SELECT 1 FROM build_inputs i WHERE i.version_id = v.id)
            OR EXISTS (SELECT 1 FROM build_outputs o WHERE o.version_id = v.id)
            OR EXISTS (SELECT 1 FROM resources r WHERE r.pinned_version = v.id)) ORDER BY v.id)
        FROM (SELECT id, found_at FROM versions
          WHERE ${foundAfter(scope, from)} AND NOT forgotten ${FOUND_FIRST_FIRST} LIMIT ${AT_ONCE}) AS v) AS versions,
      (SELECT max(pinned_version) FROM resources WHERE scope_id = ${scope}) AS pinned,
      (SELECT id FROM versions WHERE ${ofScope(scope)} ${NEWEST_FIRST} LIMIT 1) AS newest,
      (SELECT id FROM versions WHERE ${ofScope(scope)} AND NOT disabled ${NEWEST_FIRST} LIMIT 1) AS enabled,
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
