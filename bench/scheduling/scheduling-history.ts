import { Client } from 'pg';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';

export const RESOURCE_COUNT = 50;
const JOBS = 200;

/**
 * 200 jobs over 50 resources. Half of the jobs get one resource with a trigger and another without. The other
 * half get versions of one resource that passed two of those jobs, and another resource, without a trigger,
 * that passed one of the two.
 */
export function widePipeline(): Pipeline {
  const numbers = Array.from({ length: JOBS / 2 }, (_, number) => number);
  const direct = numbers.map((n) => job(`build-${n}`, get(name(n)), get(name(n + 1), { trigger: false })));
  const downstream = numbers.map((n) => {
    const first = n % RESOURCE_COUNT;
    const passed = [`build-${first}`, `build-${first + RESOURCE_COUNT}`];
    return job(
      `deploy-${n}`,
      get(name(n), { passed }),
      get(name(n + 1), { passed: [`build-${first}`], trigger: false }),
    );
  });
  return samplePipeline({
    resources: numbers.slice(0, RESOURCE_COUNT).map((n) => resource(name(n))),
    jobs: [...direct, ...downstream],
  });
}

const name = (number: number): string => `git.r${number % RESOURCE_COUNT}`;

/**
 * Fills the history of the only pipeline in a database, with about `versions` versions and `builds` builds.
 * Every job has the same number of builds, spread over the versions of its resources; four of five succeeded.
 * No build is due.
 */
export async function fillHistory(url: string, size: { versions: number; builds: number }): Promise<void> {
  const client = new Client({ connectionString: url, query_timeout: 15 * 60_000 });
  await client.connect();
  const versionsEach = Math.round(size.versions / RESOURCE_COUNT);
  const buildsEach = Math.round(size.builds / JOBS);
  try {
    // The inserted rows are consistent, so this turns off the checks of foreign keys, which take time.
    await client.query('SET session_replication_role = replica');
    await client.query('SET statement_timeout = 0');
    await client.query(
      `INSERT INTO versions (scope_id, digest, fields, found_at)
       SELECT s.id, sha256((s.id || ':' || n)::bytea), jsonb_build_object('ref', n::text), now() - interval '1 year'
       FROM generate_series(1, $1::int) n, check_scopes s ORDER BY n, s.id`,
      [versionsEach],
    );
    await client.query(
      `INSERT INTO builds (job_id, revision_id, number, cause, created_at, status, wants_pod, ended_at)
       SELECT j.id, r.id, n, '{"kind":"version"}', now() - interval '1 year',
         CASE (n + j.id) % 5 WHEN 0 THEN 'failed' ELSE 'succeeded' END, false, now() - interval '1 year'
       FROM generate_series(1, $1::int) n, jobs j, revisions r ORDER BY n, j.id`,
      [buildsEach],
    );
    await client.query(
      'CREATE TABLE ranked (scope_id bigint, place bigint, id bigint, PRIMARY KEY (scope_id, place))',
    );
    await client.query(
      'INSERT INTO ranked SELECT scope_id, row_number() OVER (PARTITION BY scope_id ORDER BY id), id FROM versions',
    );
    await client.query('ANALYZE');
    await client.query(
      `INSERT INTO build_inputs (build_id, position, job_id, name, resource_id, version_id)
       SELECT b.id, g.position, b.job_id, g.name, g.resource_id, k.id
       FROM builds b JOIN job_gets g ON g.job_id = b.job_id JOIN resources r ON r.id = g.resource_id
       JOIN ranked k ON k.scope_id = r.scope_id AND k.place = greatest(1, b.number::bigint * $1 / $2) ORDER BY b.id`,
      [versionsEach, buildsEach],
    );
    await client.query(
      `INSERT INTO good_versions (job_id, resource_id, version_id, build_id)
       SELECT i.job_id, i.resource_id, i.version_id, i.build_id
       FROM build_inputs i JOIN builds b ON b.id = i.build_id WHERE b.status = 'succeeded' ORDER BY i.build_id`,
    );
    await client.query('DROP TABLE ranked');
    await client.query('UPDATE jobs SET next_number = $1, last_scheduled = schedule_requested', [
      buildsEach + 1,
    ]);
    await client.query(
      `UPDATE job_gets g SET dealt_with = 0, settled = (SELECT max(v.id) FROM versions v
         JOIN resources r ON r.scope_id = v.scope_id WHERE r.id = g.resource_id)`,
    );
    await client.query('VACUUM (ANALYZE)');
  } finally {
    await client.end();
  }
}
