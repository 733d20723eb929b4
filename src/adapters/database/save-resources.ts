import { sql } from 'slonik';
import type { Pipeline, Resource, Schedule } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';
import { checkGroupKey, checkGroups } from '#domain/scheduling/check-groups.ts';
import { checkTimer, isBuiltInCron, nextCheck, type CheckTimer } from '#domain/scheduling/next-check.ts';
import { reachableHooks } from '#domain/scheduling/reachable-hooks.ts';
import { cronNext } from './cron-next.ts';
import { differenceBetween } from './definition-difference.ts';
import { webhookToken, webhookTokenHash } from './digests.ts';
import { ids, rows, texts, type Transaction } from './pool.ts';
import { switchScopes, type SwitchedScopes } from './switch-scopes.ts';

export interface ResourcesToSave {
  pipeline: number;
  /** Number of the revision that is saved. */
  revision: number;
  /** Null: there was none, or it had been removed. */
  previous: Pipeline | null;
  /** The revision before, also of a pipeline that had been removed. */
  before: Pipeline | undefined;
  definition: Pipeline;
  webhookKey: Buffer;
}

export interface SavedResource {
  id: number;
  scope: number;
  name: string;
}

/** Resources of the current definition. */
export async function resourcesOf(connection: Transaction, pipeline: number): Promise<SavedResource[]> {
  const found = await connection.any(rows<SavedResource>()`
    SELECT id, scope_id AS scope, name FROM resources
    WHERE pipeline_id = ${pipeline} AND deleted_at IS NULL ORDER BY position`);
  return [...found];
}

/** Makes, revives, changes and retires resources with their check scopes; new ones get their webhook token. */
export async function saveResources(
  connection: Transaction,
  toSave: ResourcesToSave,
): Promise<SwitchedScopes> {
  const { pipeline, definition } = toSave;
  const names = definition.resources.map((resource) => resource.name);
  await makeMissing(connection, toSave);
  const switched = await switchScopes(connection, toSave);
  await connection.query(rows()`
    UPDATE resources r SET position = n.position - 1, type = n.type, stream = n.stream, hooks = n.hooks, deleted_at = NULL
    FROM unnest(${texts(names)}, ${texts(definition.resources.map((resource) => resource.type))},
        ${sql.array(
          definition.resources.map((resource) => isTriggerStream(typeOf(resource, definition))),
          'bool',
        )}, ${sql.array(
          names.map((name) => reachableHooks(definition, name).length > 0),
          'bool',
        )})
      WITH ORDINALITY AS n (name, type, stream, hooks, position)
    WHERE r.pipeline_id = ${pipeline} AND r.name = n.name`);
  await connection.query(rows()`
    UPDATE resources SET deleted_at = now()
    WHERE pipeline_id = ${pipeline} AND deleted_at IS NULL AND name <> ALL(${texts(names)})`);
  await saveTimers(connection, toSave);
  return switched;
}

async function makeMissing(connection: Transaction, { pipeline, definition, webhookKey }: ResourcesToSave) {
  const known = await connection.anyFirst(rows<{ name: string }>()`
    SELECT name FROM resources WHERE pipeline_id = ${pipeline}`);
  const missing = definition.resources.filter((resource) => !known.includes(resource.name));
  if (missing.length === 0) return;
  const scopes = await connection.anyFirst(rows<{ id: number }>()`
    INSERT INTO check_scopes (pipeline_id) SELECT ${pipeline} FROM generate_series(1, ${missing.length}) RETURNING id`);
  const made = await connection.any(rows<{ id: number; generation: number }>()`
    INSERT INTO resources (pipeline_id, scope_id, name, type, position)
    SELECT ${pipeline}, * FROM unnest(
      ${ids(scopes)}, ${texts(missing.map((resource) => resource.name))},
      ${texts(missing.map((resource) => resource.type))}, ${sql.array(
        missing.map(() => 0),
        'int4',
      )})
    RETURNING id, webhook_generation AS generation`);
  const hashes = made.map(({ id, generation }) => webhookTokenHash(webhookToken(webhookKey, id, generation)));
  await connection.query(rows()`
    WITH owned AS (
      UPDATE check_scopes s SET resource_id = r.id FROM resources r WHERE r.scope_id = s.id AND s.id = ANY(${ids(scopes)}))
    UPDATE resources r SET webhook_hash = n.hash
    FROM unnest(${ids(made.map((resource) => resource.id))}, ${texts(hashes)}) AS n (id, hash) WHERE r.id = n.id`);
}

interface Timer {
  name: string;
  timer: CheckTimer;
  schedule: Schedule | null;
  webhook: Schedule | null;
  check_group: string;
  checked_by: 'pod' | 'operator' | 'nothing';
  next: number | null;
  request: boolean;
  keep: boolean;
}

async function saveTimers(connection: Transaction, toSave: ResourcesToSave): Promise<void> {
  const { pipeline } = toSave;
  const now = await connection.oneFirst(rows<{ now: Date }>()`SELECT now()`);
  const timers = timersOf(toSave, now.getTime());
  await connection.query(rows()`
    UPDATE check_scopes s SET live = false, requested_at = NULL, requested_cause = NULL
    FROM resources r WHERE r.scope_id = s.id AND r.pipeline_id = ${pipeline} AND r.deleted_at IS NOT NULL AND s.live`);
  await connection.query(rows()`
    UPDATE check_scopes s SET live = true, timer = n.timer, usual_schedule = n.schedule, webhook_schedule = n.webhook,
      schedule = CASE WHEN n.keep AND s.webhook_works THEN coalesce(n.webhook, n.schedule) ELSE n.schedule END,
      webhook_works = n.keep AND s.webhook_works, check_group = n.check_group,
      checked_by = n.checked_by,
      next_check_at = CASE WHEN n.keep THEN s.next_check_at ELSE to_timestamp(n.next / 1000.0) END,
      requested_at = CASE WHEN n.request THEN coalesce(s.requested_at, now()) ELSE s.requested_at END,
      requested_cause = CASE WHEN n.request THEN coalesce(s.requested_cause, 'schedule') ELSE s.requested_cause END,
      failures = CASE WHEN n.keep THEN s.failures ELSE 0 END
    FROM jsonb_to_recordset(${sql.jsonb(timers)}) AS n
      (name text, timer text, schedule jsonb, webhook jsonb, check_group text, checked_by text, next double precision, request boolean, keep boolean)
    JOIN resources r ON r.pipeline_id = ${pipeline} AND r.name = n.name
    WHERE s.id = r.scope_id`);
}

function timersOf({ pipeline, previous, definition }: ResourcesToSave, now: number): Timer[] {
  const { added, changed } = differenceBetween(previous ?? undefined, definition).resources;
  const fresh = new Set([...added, ...changed]);
  const groups = checkGroups(definition).filter((group) => group.timedByOperator);
  const byOperator = new Set(groups.flatMap((group) => group.resources));
  return definition.resources.map((resource) => ({
    ...timerOf(resource, definition, { pipeline, now, byOperator: byOperator.has(resource.name) }),
    keep: !fresh.has(resource.name),
    request: fresh.has(resource.name) && firstCheckAtOnce(resource, definition),
  }));
}

/** So that a new pipeline has versions soon, whatever its schedule. A `cron` resource fires at its times only. */
function firstCheckAtOnce(resource: Resource, definition: Pipeline): boolean {
  return resource.schedule !== undefined && typeOf(resource, definition).check !== undefined;
}

function timerFor(own: CheckTimer, byOperator: boolean): CheckTimer {
  return own === 'cronjob' && byOperator ? 'operator' : own;
}

function timerOf(
  resource: Resource,
  definition: Pipeline,
  { pipeline, now, byOperator }: { pipeline: number; now: number; byOperator: boolean },
): Omit<Timer, 'keep' | 'request'> {
  const type = typeOf(resource, definition);
  const { schedule } = resource;
  const timer = timerFor(checkTimer(resource, type), byOperator);
  const cause = isBuiltInCron(type) ? 'manual' : 'schedule';
  const next =
    schedule === undefined || timer === 'none'
      ? undefined
      : nextCheck({ schedule, pipeline, cause, due: now, at: now }, cronNext);
  return {
    name: resource.name,
    timer,
    schedule: schedule ?? null,
    webhook: resource.webhookSchedule ?? null,
    check_group: checkGroupKey(resource, type) ?? '',
    checked_by: type.check === undefined ? (isBuiltInCron(type) ? 'operator' : 'nothing') : 'pod',
    next: next ?? null,
  };
}

function typeOf(resource: Resource, definition: Pipeline) {
  const type = definition.resourceTypes.find((candidate) => candidate.name === resource.type);
  if (type === undefined) throw new Error(`Resource ${resource.name} has no type in its own definition.`);
  return type;
}
