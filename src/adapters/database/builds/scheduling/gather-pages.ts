import { sql } from 'slonik';
import { prepared, type Transaction } from '#adapters/database/connection/pool.ts';
import {
  NEWEST,
  type GoodBuild,
  type GoodBuildPage,
  type JobFacts,
  type NeededPage,
  type ResourceVersion,
  type UsedVersionPage,
} from '#domain/scheduling/facts.ts';
import type { Pages } from '#flows/builds/schedule-ports.ts';
import type { Gathered, GatheredJob } from './gather.ts';

type GoodBuildNeed = NeededPage & { kind: 'passes' };
type UsedNeed = NeededPage & { kind: 'used' };

/**
 * Reads the newest page of every history that the gets of the jobs need. A page has at most `rowsPerPage`
 * rows.
 */
export async function newestPages(
  connection: Transaction,
  gathered: Gathered,
  rowsPerPage: number,
): Promise<Pages> {
  const needs = newestNeeds(gathered.jobs.map(({ facts }) => facts));
  return await historyPages(connection, gathered, { needs, rowsPerPage });
}

/** Reads the pages of history that `needs` names. A page has at most `rowsPerPage` rows. */
export async function historyPages(
  connection: Transaction,
  { jobs, resources }: Gathered,
  { needs, rowsPerPage }: { needs: readonly NeededPage[]; rowsPerPage: number },
): Promise<Pages> {
  const ids = new Map<number, number>();
  const facts = jobs.map((job) => job.facts);
  const passes = await goodBuildPages(connection, needs, { jobs: facts, resources, rowsPerPage, ids });
  const used = await usedPages(connection, needs, { jobs, rowsPerPage });
  return { passes, used, ids };
}

function newestNeeds(jobs: JobFacts[]): NeededPage[] {
  const needs = new Map<string, NeededPage>();
  for (const job of jobs)
    for (const [get, { resource, trigger, every, passed }] of job.gets.entries()) {
      if (trigger && !every)
        needs.set(`used ${job.id} ${get}`, { kind: 'used', job: job.id, get, from: NEWEST });
      for (const { job: upstream } of passed)
        needs.set(`passes ${upstream} ${resource}`, {
          kind: 'passes',
          upstream,
          resource,
          from: { version: NEWEST, build: NEWEST },
        });
    }
  return [...needs.values()];
}

interface GoodBuildRow {
  position: number;
  rows: { version: number; build: number; id: number; also: (ResourceVersion & { id: number })[] }[] | null;
}

/**
 * Reads one row more than a page holds: if there is no such row, the page is the last. Adds row ids of
 * versions to `ids`.
 */
async function goodBuildPages(
  connection: Transaction,
  needs: readonly NeededPage[],
  {
    jobs,
    resources,
    rowsPerPage,
    ids,
  }: Pick<Gathered, 'resources' | 'ids'> & { jobs: JobFacts[]; rowsPerPage: number },
): Promise<GoodBuildPage[]> {
  const goodBuildNeeds = needs.filter((need): need is GoodBuildNeed => need.kind === 'passes');
  if (goodBuildNeeds.length === 0) return [];
  const takenTogether = resourcesTakenTogether(jobs);
  const withDisabled = resources.filter(({ disabled }) => disabled).map(({ id }) => id);
  const pages = goodBuildNeeds.map(({ upstream, resource, from }, position) => ({
    position,
    upstream,
    resource,
    version: from.version,
    build: from.build,
    together: takenTogether.get(upstream) ?? [],
    with_disabled: withDisabled,
  }));
  const found = await connection.any(prepared<GoodBuildRow>('gather_good_builds')`
    SELECT n.position, (
      SELECT jsonb_agg(jsonb_build_object('version', page.place, 'id', page.version_id,
        'build', page.build_id, 'also', CASE
          WHEN n.together = '{}' THEN '[]' ELSE coalesce((
            SELECT jsonb_agg(jsonb_build_object('resource', o.resource_id, 'version', o.place,
              'id', o.version_id)) FROM good_versions o
            WHERE o.build_id = page.build_id AND o.resource_id = ANY(n.together)
              AND o.scope_id = (SELECT scope_id FROM resources WHERE id = o.resource_id)
              AND NOT (o.resource_id = ANY(n.with_disabled)
                AND (SELECT v.disabled FROM versions v WHERE v.id = o.version_id))), '[]') END)
        ORDER BY page.place DESC, page.build_id DESC)
      FROM (SELECT version_id, place, build_id FROM good_versions g
        WHERE g.job_id = n.upstream AND g.scope_id = (SELECT scope_id FROM resources WHERE id = n.resource)
          AND (g.place, g.build_id) <= (n.version, n.build)
          AND NOT (n.resource = ANY(n.with_disabled)
            AND (SELECT v.disabled FROM versions v WHERE v.id = g.version_id))
        ORDER BY place DESC, build_id DESC LIMIT ${rowsPerPage + 1}) AS page) AS rows
    FROM jsonb_to_recordset(${sql.jsonb(pages)})
      AS n (position integer, upstream bigint, resource bigint, version bigint, build bigint, together bigint[],
        with_disabled bigint[])`);
  return found.flatMap(({ position, rows }): GoodBuildPage[] => {
    const need = goodBuildNeeds[position];
    if (need === undefined) return [];
    const { upstream, resource, from } = need;
    const goodBuilds = (rows ?? []).map((row) => toGoodBuild(row, ids));
    return [
      {
        upstream,
        resource,
        from,
        rows: goodBuilds.slice(0, rowsPerPage),
        end: goodBuilds.length <= rowsPerPage,
      },
    ];
  });
}

/** Adds to `ids` the row ids of the row's versions, by place, where id and place differ. */
function toGoodBuild(
  { version, build, id, also }: NonNullable<GoodBuildRow['rows']>[number],
  ids: Gathered['ids'],
): GoodBuild {
  for (const { version: place, id: rowId } of [{ version, id }, ...also])
    if (place !== rowId) ids.set(place, rowId);
  return { version, build, also: also.map(({ resource, version: taken }) => ({ resource, version: taken })) };
}

/**
 * For each upstream job: the resources of every downstream job that names it in `passed` of two or more gets.
 * Their versions must come from the same upstream build, so a page lists them together.
 */
function resourcesTakenTogether(jobs: JobFacts[]): Map<number, number[]> {
  const byUpstream = new Map<number, Set<number>>();
  for (const { gets } of jobs) {
    const passedJobs = gets.flatMap(({ resource, passed }) => passed.map(({ job }) => ({ job, resource })));
    for (const [upstream, taken] of Map.groupBy(passedJobs, ({ job }) => job)) {
      if (taken.length < 2) continue;
      const resources = byUpstream.get(upstream) ?? new Set();
      for (const { resource } of taken) resources.add(resource);
      byUpstream.set(upstream, resources);
    }
  }
  return new Map([...byUpstream].map(([upstream, taken]) => [upstream, [...taken]]));
}

async function usedPages(
  connection: Transaction,
  needs: readonly NeededPage[],
  { jobs, rowsPerPage }: { jobs: GatheredJob[]; rowsPerPage: number },
): Promise<UsedVersionPage[]> {
  const usedNeeds = needs.filter((need): need is UsedNeed => need.kind === 'used');
  if (usedNeeds.length === 0) return [];
  const gets = new Map(jobs.map((job) => [job.facts.id, job.gets]));
  const pages = usedNeeds.map(({ job, get, from }, position) => {
    const { resource = 0, nth = 0 } = gets.get(job)?.[get] ?? {};
    return { position, job, resource, nth, from };
  });
  const found = await connection.any(prepared<{ position: number; versions: number[] }>('gather_used')`
    SELECT n.position, to_jsonb(ARRAY(
      SELECT version_id FROM build_inputs b
      WHERE b.used AND b.job_id = n.job AND b.resource_id = n.resource AND b.nth = n.nth AND b.version_id <= n.from
      ORDER BY version_id DESC LIMIT ${rowsPerPage + 1})) AS versions
    FROM jsonb_to_recordset(${sql.jsonb(pages)}) AS n (position integer, job bigint, resource bigint,
      nth smallint, "from" bigint)`);
  return found.flatMap(({ position, versions }): UsedVersionPage[] => {
    const need = usedNeeds[position];
    if (need === undefined) return [];
    const { job, get, from } = need;
    return [
      { job, get, from, versions: versions.slice(0, rowsPerPage), end: versions.length <= rowsPerPage },
    ];
  });
}
