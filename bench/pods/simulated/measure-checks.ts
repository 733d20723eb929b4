import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { difference } from '#bench/api-writes.ts';
import { applyPipelines, gitPipeline, taskJob, untilLoaded } from '#bench/pods/installation.ts';
import { costOf, type Cost } from '#bench/process-cost.ts';
import { table } from '#bench/table.ts';
import { MAX_CHECK_PODS } from '#flows/checks/check-slots.ts';
import { capacityOf, summariseClaims, type Claim, type Spread } from './claims.ts';
import type { Installed } from './installed.ts';

const INTERVAL_MS = 10_000;
const FIRST_CHECKS_MS = 120_000;
const SETTLE_MS = 15_000;

export interface ChecksToMeasure {
  resources: number;
  perPipeline: number;
  seconds: number;
}

/**
 * Measures checks every 10 s in Pods: how many Pods, how late the checks are, and whether any of them stalls.
 */
export async function measureChecks(installed: Installed, load: ChecksToMeasure): Promise<void> {
  const { client, pool } = installed;
  const pipelines = Math.ceil(load.resources / load.perPipeline);
  await recordClaims(pool);
  await applyPipelines(client, { count: pipelines }, (number) => pipelineText(number, load.perPipeline));
  await untilLoaded(pool, pipelines, installed.ended);
  await untilChecked(pool, FIRST_CHECKS_MS);
  await sleep(SETTLE_MS);
  const before = await installed.writes();
  const from = Date.now();
  const [operator, gateway, overdue] = await Promise.all([
    costOf(installed.operator, load.seconds),
    costOf(installed.gateway, load.seconds),
    overdueWithin(pool, load.seconds),
  ]);
  const to = Date.now();
  const writes = difference(before, await installed.writes());
  // Waits for the last results.
  await sleep(5000);
  const summary = summariseClaims(await claimsIn(pool), from, to);
  const { perSecond, roundMs } = capacityOf(MAX_CHECK_PODS, pipelines, summary.held.median);
  const lines = [
    [
      'resources, pipelines, and so Pods wanted',
      `${load.resources}, ${pipelines}, ${(pipelines * 1000) / INTERVAL_MS}/s`,
    ],
    ['Pods made', `${summary.perSecond.toFixed(1)}/s, ${summary.pods} in ${load.seconds} s`],
    ['resources per Pod', summary.resourcesPerPod.toFixed(2)],
    ['Pods at a time, most', `${summary.maxPods} of ${MAX_CHECK_PODS}`],
    ['a Pod holds its slot: median, p90, most', spreadText(summary.held)],
    [
      `so ${MAX_CHECK_PODS} at a time allow`,
      `${perSecond.toFixed(1)}/s, a round in ${(roundMs / 1000).toFixed(1)} s`,
    ],
    ['due → claimed, median, p90, most', spreadText(summary.late)],
    ['due → result recorded, median, p90, most', spreadText(summary.known)],
    [
      'checks claimed',
      `${((summary.checks * INTERVAL_MS) / (to - from) / load.resources).toFixed(2)} per resource in ` +
        `${INTERVAL_MS / 1000} s`,
    ],
    ['overdue by two intervals, most at one time', `${overdue}`],
    ['pipelines with ChecksStalled at the end', `${await stalledPipelines(client)}`],
    ['most frequent errors of checks', await failedChecks(pool)],
    ['API writes per Pod', sharesText(writes, summary.pods)],
    ['operator', costText(operator)],
    ['internal gateway', costText(gateway)],
  ];
  console.log(table([`checks @every 10s, ${load.perPipeline} per pipeline`, ''], lines));
}

/**
 * Pipelines of two kinds, alternating: checks in the worker image, whose Pods use a nonce, and checks in
 * another image, whose Pods have a token.
 */
function pipelineText(number: number, resources: number): string {
  if (number % 2 === 0) return gitPipeline(number, { resources, every: '10s' });
  const type =
    'resource_type "probe" {\n  check "docker" {\n    image = "localhost/probe:1"\n    cmd   = "true"\n  }\n}\n';
  const names = Array.from({ length: resources }, (_, n) => `r${n}`);
  const texts = names.map((name) => `resource "probe" "${name}" {\n  check_interval = "@every 10s"\n}\n`);
  return [type, ...texts, ...names.map((name) => taskJob(`job-${name}`, `"probe" "${name}"`))].join('');
}

/** Creates a trigger in Postgres that records when each check was due, claimed and answered. */
async function recordClaims(pool: DatabasePool): Promise<void> {
  await pool.query(rows()`
    CREATE TABLE measured_claims (scope bigint, run bigint, due timestamptz, claimed timestamptz, ended timestamptz)`);
  await pool.query(rows()`CREATE INDEX ON measured_claims (scope, run)`);
  await pool.query(rows()`
    CREATE FUNCTION note_claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF OLD.run_id IS NULL AND NEW.run_id IS NOT NULL THEN
        INSERT INTO measured_claims VALUES (NEW.id, NEW.run_id, coalesce(OLD.requested_at,
        OLD.next_check_at), clock_timestamp());
      ELSIF OLD.run_id IS NOT NULL AND NEW.run_id IS NULL THEN
        UPDATE measured_claims SET ended = clock_timestamp() WHERE scope = NEW.id AND run = OLD.run_id;
      END IF;
      RETURN NULL;
    END $$`);
  await pool.query(rows()`
    CREATE TRIGGER note_claim AFTER UPDATE OF run_id ON check_scopes FOR EACH ROW EXECUTE FUNCTION note_claim()`);
}

async function claimsIn(pool: DatabasePool): Promise<Claim[]> {
  const found = await pool.any(rows<{
    scope: number;
    run: number;
    due: Date;
    claimed: Date;
    ended: Date | null;
  }>()`
    SELECT * FROM measured_claims WHERE due IS NOT NULL`);
  return found.map(({ scope, run, due, claimed, ended }) => ({
    scope,
    run,
    due: due.getTime(),
    claimed: claimed.getTime(),
    ...(ended === null ? {} : { ended: ended.getTime() }),
  }));
}

/** Waits until each resource with checks in Pods has been checked once. Throws after `timeoutMs`. */
export async function untilChecked(pool: DatabasePool, timeoutMs: number): Promise<void> {
  const limit = Date.now() + timeoutMs;
  for (;;) {
    const left = await pool.oneFirst(rows<{ count: number }>()`
      SELECT count(*) FROM check_scopes WHERE live AND checked_by = 'pod' AND last_checked_at IS NULL`);
    if (left === 0) return;
    if (Date.now() > limit) throw new Error(`${left} resources are not checked after ${timeoutMs / 1000} s`);
    await sleep(500);
  }
}

/**
 * The largest number of resources whose check has been due for more than two intervals and does not run, as
 * for the condition ChecksStalled. Looks once a second.
 */
async function overdueWithin(pool: DatabasePool, seconds: number): Promise<number> {
  let max = 0;
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1000);
    const overdue = await pool.oneFirst(rows<{ count: number }>()`
      SELECT count(*) FROM check_scopes WHERE live AND run_id IS NULL AND timer = 'operator'
        AND now() > next_check_at + ${2 * INTERVAL_MS} * interval '1 millisecond'`);
    max = Math.max(max, overdue);
  }
  return max;
}

async function stalledPipelines(client: ApiClient): Promise<number> {
  let stalled = 0;
  const answer = await client.list(KINDS.pipelines, {}, (pipelines) => {
    stalled += pipelines.filter((pipeline) =>
      pipeline.status?.conditions?.some(({ type, status }) => type === 'ChecksStalled' && status === 'True'),
    ).length;
  });
  orThrow(answer, 'listing the pipelines');
  return stalled;
}

/** The three most frequent errors of checks and check Pods, each with its count. */
export async function failedChecks(pool: DatabasePool): Promise<string> {
  const errors = await pool.any(rows<{ error: string; count: number }>()`
    SELECT left(coalesce(error, last_error), 80) AS error, count(*) FROM (
      SELECT error, NULL AS last_error FROM check_runs WHERE error IS NOT NULL
      UNION ALL SELECT NULL, last_error FROM check_scopes WHERE last_error IS NOT NULL) AS found
      GROUP BY 1 ORDER BY 2 DESC LIMIT 3`);
  return errors.length === 0 ? 'none' : errors.map(({ error, count }) => `${count}: ${error}`).join('; ');
}

/**
 * Counts per unit of work, such as writes per build: the total, then each share of at least 0.01, the largest
 * first.
 */
export function sharesText(counts: Record<string, number>, units: number): string {
  const entries = Object.entries(counts).map(([name, count]): [string, number] => [name, count / units]);
  const total = entries.reduce((sum, [, share]) => sum + share, 0);
  const parts = entries
    .filter(([, share]) => share >= 0.01)
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, share]) => `${name} ${share.toFixed(2)}`);
  return `${total.toFixed(2)}: ${parts.join(', ')}`;
}

export function costText({ cpuPercent, rss, peakRss }: Cost): string {
  return `${cpuPercent.toFixed(1)} % of a core, ${rss} MiB, at most ${peakRss} MiB`;
}

function spreadText({ median, p90, max }: Spread): string {
  return [median, p90, max].map((ms) => `${(ms / 1000).toFixed(2)} s`).join(', ');
}
