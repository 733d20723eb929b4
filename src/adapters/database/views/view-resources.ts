import { sql, type DatabasePool } from 'slonik';
import {
  newerThan,
  NEWEST_FIRST,
  ofScope,
  olderThan,
  OLDEST_FIRST,
} from '#adapters/database/checks/versions-in-order.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, rows } from '#adapters/database/connection/pool.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { ResourceName } from '#flows/names.ts';
import { cutPage, pageSize, type Listed, type Page } from '#flows/page.ts';
import type { ResourceView, VersionView } from '#flows/views/ports.ts';
import { pipelineId } from './pipeline-id.ts';

interface Row {
  id: number;
  name: string;
  type: string;
  schedule: Schedule | null;
  webhookGeneration: number;
  webhookSigned: boolean;
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
  checkError: string | null;
  versions: number;
  omitted: number | null;
  pinned: ResourceView['pinned'] | null;
  pinnedAt: Date | null;
  latest: NonNullable<ResourceView['latest']> | null;
}

export async function viewResources(
  pool: DatabasePool,
  { resource, ...name }: { team: string; pipeline: string; resource?: string },
): Promise<ResourceView[] | undefined> {
  const pipeline = await pipelineId(pool, name);
  if (pipeline === undefined) return undefined;
  const found = await pool.any(prepared<Row>(`view_resources_${resource === undefined}`)`
    SELECT r.id, r.name, r.type, coalesce(s.usual_schedule, s.schedule) AS schedule,
      r.webhook_generation AS "webhookGeneration",
      r.webhook_signed AS "webhookSigned",
      s.last_checked_at AS "lastCheckedAt", s.next_check_at AS "nextCheckAt", s.last_error AS "checkError",
      nullif(s.cut, 0) AS omitted, CASE WHEN r.pinned_by IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
        'version', r.pinned_version, 'by', r.pinned_by, 'comment', r.pin_comment)) END AS pinned,
      r.pinned_at AS "pinnedAt",
      (SELECT jsonb_build_object('id', v.id, 'fields', v.fields) FROM versions v
        WHERE ${ofScope(sql.fragment`s.id`)} AND NOT v.forgotten ${NEWEST_FIRST} LIMIT 1) AS latest,
      (SELECT count(*) FROM (SELECT 1 FROM versions v WHERE ${ofScope(sql.fragment`s.id`)}
        AND NOT v.forgotten ${NEWEST_FIRST} LIMIT 10000) AS counted) AS versions
    FROM resources r JOIN check_scopes s ON s.id = r.scope_id
    WHERE r.pipeline_id = ${pipeline} AND r.deleted_at IS NULL
      ${resource === undefined ? sql.fragment`` : sql.fragment`AND r.name = ${resource}`}
    ORDER BY r.position`);
  return found.map(withoutNulls);
}

const placeOf = (version: number) => sql.fragment`(SELECT place FROM versions WHERE id = ${version})`;

export async function viewVersions(
  pool: DatabasePool,
  { resource, ...name }: ResourceName,
  page: Page & { text?: string },
): Promise<Listed<VersionView> | undefined> {
  const pipeline = await pipelineId(pool, name);
  if (pipeline === undefined) return undefined;
  const scope = await pool.maybeOneFirst(rows<{ scope_id: number }>()`
    SELECT scope_id FROM resources WHERE pipeline_id = ${pipeline} AND name = ${resource}`);
  if (scope === null) return undefined;
  const { before, after, text } = page;
  const found = await pool.any(rows<VersionView & { disabledBy: string | null }>()`
    SELECT id, fields, found_at AS "createdAt", disabled, disabled_by AS "disabledBy" FROM versions
    WHERE ${ofScope(scope)} AND NOT forgotten
      ${text === undefined ? sql.fragment`` : sql.fragment`AND ${hasText(scope, text)}`}
      ${before === undefined ? sql.fragment`` : sql.fragment`AND ${olderThan(scope, placeOf(before))}`}
      ${after === undefined ? sql.fragment`` : sql.fragment`AND ${newerThan(scope, placeOf(after))}`}
    ${after === undefined ? NEWEST_FIRST : OLDEST_FIRST} LIMIT ${pageSize(page) + 1}`);
  return cutPage(found.map(withoutNulls), page);
}

/** SQL condition: a field of the version contains the text. Only the newest 10,000 versions are searched. */
const hasText = (scope: number, text: string) => sql.fragment`
  id IN (SELECT newest.id FROM (
    SELECT id, fields FROM versions WHERE ${ofScope(scope)} AND NOT forgotten ${NEWEST_FIRST} LIMIT 10000) AS newest
  WHERE EXISTS (SELECT 1 FROM jsonb_each_text(newest.fields) AS field (name, value)
    WHERE strpos(lower(field.value), lower(${text})) > 0))`;
