import {
  retainBuilds,
  type OldBuild,
  type RetainDecision,
  type RetainFacts,
} from '#domain/scheduling/retain.ts';
import { vouchers } from '#domain/scheduling/vouchers.ts';
import { decideWithPages } from '#flows/decide-with-pages.ts';
import type { Removed } from '#flows/retain-history.ts';
import { gatherJobs } from './gather.ts';
import { removeLogs } from './limit-logs.ts';
import { ids, rows, type Transaction } from './pool.ts';
import { removeOldRevisions } from './retain-revisions.ts';
import { decisionTransaction } from './schedule.ts';
import { leaveTurn, takeTurn, type Turn } from './retention-turn.ts';

/** Builds that are looked at by one transaction. */
const AT_ONCE = 100;

/** Some of the oldest builds of the job that waits longest; undefined: all had their turn after `since`. */
export async function retainSomeBuilds(
  connection: Transaction,
  { at, since }: { at: Date; since: Date },
): Promise<Removed | undefined> {
  const turn = await takeTurn(connection, 'jobs', since);
  if (turn === undefined) return undefined;
  const builds = await oldest(connection, turn);
  const facts = await factsOf(connection, turn, { builds, at });
  const decision = await decide(connection, turn, facts);
  await remove(connection, turn, { decision, builds });
  // Whoever is younger than one that the limits keep is kept by them too.
  const last = decision.kept.at(-1);
  const newestSeen = builds.at(-1)?.id;
  const over = builds.length < AT_ONCE || (last?.because === 'limits' && last.build === newestSeen);
  await leaveTurn(connection, turn, { last: over ? undefined : newestSeen, at });
  const records = over ? await removeOldRevisions(connection, turn.pipeline, at) : 0;
  return { builds: decision.remove.length, logs: decision.removeLogs.length, versions: 0, records };
}

type StoredBuild = Omit<OldBuild, 'endedAt'> & { endedAt: Date | null; createdAt: Date };

async function oldest(connection: Transaction, { id: job, from }: Turn): Promise<readonly StoredBuild[]> {
  return await connection.any(rows<StoredBuild>()`
    SELECT b.id, b.status, b.ended_at AS "endedAt", b.created_at AS "createdAt",
      coalesce((SELECT jsonb_agg(jsonb_build_object('scope', v.scope_id, 'version', v.id))
        FROM build_inputs i JOIN versions v ON v.id = i.version_id WHERE i.build_id = b.id AND i.used), '[]') AS inputs,
      coalesce((SELECT jsonb_agg(jsonb_build_object('scope', v.scope_id, 'version', v.id))
        FROM build_outputs o JOIN versions v ON v.id = o.version_id WHERE o.build_id = b.id), '[]') AS outputs
    FROM builds b WHERE b.job_id = ${job} AND b.id > ${from} ORDER BY b.id LIMIT ${AT_ONCE}`);
}

async function factsOf(
  connection: Transaction,
  { id: job, pipeline, policy }: Turn,
  { builds, at }: { builds: readonly StoredBuild[]; at: Date },
): Promise<RetainFacts> {
  const keep = { builds: policy.builds, good: policy.minimumSucceeded };
  const known = await connection.one(rows<{ oldest: number | null; good: number | null; pinned: number[] }>()`
    SELECT (SELECT id FROM builds WHERE job_id = ${job} ORDER BY id DESC OFFSET ${Math.max(0, keep.builds - 1)} LIMIT 1) AS oldest,
      (SELECT id FROM builds WHERE job_id = ${job} AND status IN ('succeeded', 'warning')
        ORDER BY id DESC OFFSET ${Math.max(0, keep.good - 1)} LIMIT 1) AS good,
      to_jsonb(ARRAY(SELECT pinned_version FROM resources
        WHERE pipeline_id = ${pipeline} AND pinned_version IS NOT NULL)) AS pinned`);
  return {
    policy,
    now: at.getTime(),
    builds: builds.map(({ id, status, endedAt, inputs, outputs }) => ({
      id,
      status,
      inputs,
      outputs,
      ...(endedAt === null ? {} : { endedAt: endedAt.getTime() }),
    })),
    pinned: new Set(known.pinned),
    vouching: new Set(),
    ...(known.oldest === null ? {} : { oldestKept: known.oldest }),
    ...(known.good === null ? {} : { oldestGoodKept: known.good }),
  };
}

/** What downstream jobs would take now is only looked for if something would go without it. */
async function decide(
  connection: Transaction,
  { id: job }: Turn,
  facts: RetainFacts,
): Promise<RetainDecision> {
  const first = retainBuilds(facts);
  if (first.remove.length === 0) return first;
  const downstream = await connection.anyFirst(rows<{ job_id: number }>()`
    SELECT DISTINCT g.job_id FROM job_gets g JOIN jobs j ON j.id = g.job_id AND j.deleted_at IS NULL
    WHERE g.passed @> ARRAY[${job}::bigint]`);
  if (downstream.length === 0) return first;
  const gather = async () => await gatherJobs(connection, downstream);
  const { facts: seen } = await decideWithPages(decisionTransaction(connection, gather));
  return retainBuilds({ ...facts, vouching: new Set(vouchers(seen)) });
}

async function remove(
  connection: Transaction,
  { id: job }: Turn,
  { decision, builds }: { decision: RetainDecision; builds: readonly StoredBuild[] },
): Promise<void> {
  const going = new Set([...decision.remove, ...decision.removeLogs]);
  const logs = builds.filter(({ id }) => going.has(id));
  await removeLogs(connection, logs);
  if (decision.remove.length === 0) return;
  for (const { scope, version } of decision.baselines) {
    await connection.query(rows()`
      UPDATE job_gets g SET dealt_with = greatest(dealt_with, ${version}) FROM resources r
      WHERE g.job_id = ${job} AND r.id = g.resource_id AND coalesce(g.scope_id, r.scope_id) = ${scope}`);
    await connection.query(rows()`
      UPDATE get_marks SET dealt_with = greatest(dealt_with, ${version}) WHERE job_id = ${job} AND scope_id = ${scope}`);
  }
  const gone = ids(decision.remove);
  await connection.query(rows()`DELETE FROM good_versions WHERE build_id = ANY(${gone})`);
  await connection.query(rows()`DELETE FROM build_inputs WHERE build_id = ANY(${gone})`);
  await connection.query(rows()`DELETE FROM build_outputs WHERE build_id = ANY(${gone})`);
  await connection.query(rows()`DELETE FROM build_steps WHERE build_id = ANY(${gone})`);
  await connection.query(rows()`DELETE FROM build_votes WHERE build_id = ANY(${gone})`);
  await connection.query(rows()`DELETE FROM agent_sessions WHERE build_id = ANY(${gone})`);
  await connection.query(rows()`DELETE FROM job_triggers WHERE build_id = ANY(${gone})`);
  await connection.query(rows()`DELETE FROM build_attempts WHERE build_id = ANY(${gone})`);
  await connection.query(rows()`DELETE FROM builds WHERE id = ANY(${gone})`);
}
