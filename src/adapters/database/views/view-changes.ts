import type { DatabasePool } from 'slonik';
import { parseNumber } from '#adapters/database/builds/build-number.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import type { BuildRef } from '#flows/names.ts';
import type { BuildChangesView, InputChangesView, VersionView } from '#flows/views/ports.ts';
import { viewBuildIds } from './view-builds.ts';

/**
 * Compares the versions of a build with those of the last good build of its job that has a smaller number.
 */
export async function viewChanges(
  pool: DatabasePool,
  ref: BuildRef,
  max: number,
): Promise<BuildChangesView | undefined> {
  const { build } = (await viewBuildIds(pool, ref)) ?? {};
  const number = parseNumber(ref.number)?.number;
  if (build === undefined || number === undefined) return undefined;
  const good = await pool.maybeOne(rows<{ id: number; number: string }>()`
    SELECT g.id, CASE g.retry WHEN 0 THEN g.number::text ELSE g.number || '.' || g.retry END AS number
    FROM builds b JOIN builds g ON g.job_id = b.job_id AND g.number < ${number}
      AND g.status IN ('succeeded', 'warning')
    WHERE b.id = ${build} ORDER BY g.number DESC, g.retry DESC LIMIT 1`);
  if (good === null) return { inputs: [] };
  return { since: good.number, inputs: await inputChanges(pool, { build, good: good.id, max }) };
}

type InputRow = Omit<InputChangesView, 'versions' | 'hasMore'> & {
  versions: (Omit<VersionView, 'createdAt'> & { createdAt: string })[] | null;
};

/** Reads one version more than `max` of each input, to know whether there are more. */
async function inputChanges(
  pool: DatabasePool,
  { build, good, max }: { build: number; good: number; max: number },
): Promise<InputChangesView[]> {
  const found = await pool.any(rows<InputRow>()`
    SELECT i.name, r.name AS resource, CASE
        WHEN w.id IS NULL OR w.scope_id <> v.scope_id THEN 'other'
        WHEN v.place = w.place THEN 'none' WHEN v.place > w.place THEN 'newer' ELSE 'older' END AS change,
      (SELECT jsonb_agg(to_jsonb(listed) ORDER BY listed.place DESC) FROM (
        SELECT n.id, n.place, n.fields, n.disabled, n.found_at AS "createdAt" FROM versions n
        WHERE n.scope_id = v.scope_id AND n.place > w.place AND n.place <= v.place AND w.scope_id = v.scope_id
          AND NOT n.forgotten
        ORDER BY n.place DESC LIMIT ${max + 1}) AS listed) AS versions
    FROM build_inputs i JOIN versions v ON v.id = i.version_id JOIN resources r ON r.id = i.resource_id
      LEFT JOIN build_inputs o ON o.build_id = ${good} AND o.name = i.name
      LEFT JOIN versions w ON w.id = o.version_id
    WHERE i.build_id = ${build} ORDER BY i.position`);
  return found.map(({ versions, ...input }) => ({
    ...input,
    versions: (versions ?? []).slice(0, max).map(({ id, fields, disabled, createdAt }) => ({
      id,
      fields,
      disabled,
      createdAt: new Date(createdAt),
    })),
    hasMore: (versions?.length ?? 0) > max,
  }));
}
