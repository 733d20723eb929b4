import { setTimeout as sleep } from 'node:timers/promises';
import { rows } from '#adapters/database/connection/pool.ts';
import { difference } from '#bench/api-writes.ts';
import { applyPipelines, gitPipeline, untilLoaded } from '#bench/pods/installation.ts';
import { costOf } from '#bench/process-cost.ts';
import { table } from '#bench/table.ts';
import type { Installed } from './installed.ts';
import { costText, failedChecks, sharesText, untilChecked } from './measure-checks.ts';

const PER_PIPELINE = 5;
const FIRST_CHECKS_MS = 600_000;
/** Longer than the 30 s after which an unused compiler process ends. */
const REST_MS = 45_000;

export interface IdleToMeasure {
  pipelines: number;
  seconds: number;
}

/** Measures what the operator costs with many pipelines after their first checks, while no check is due. */
export async function measureIdle(
  installed: Installed,
  { pipelines, seconds }: IdleToMeasure,
): Promise<void> {
  const { client, pool } = installed;
  const empty = await costOf(installed.operator, seconds);
  const before = await installed.writes();
  const startedAt = performance.now();
  const config = (number: number): string => gitPipeline(number, { resources: PER_PIPELINE, every: '24h' });
  await applyPipelines(client, { count: pipelines }, config);
  await untilLoaded(pool, pipelines, installed.ended);
  const applied = performance.now() - startedAt;
  await untilChecked(pool, FIRST_CHECKS_MS);
  const checked = performance.now() - startedAt;
  console.error(
    `all are applied after ${(applied / 1000).toFixed(0)} s and checked after ${(checked / 1000).toFixed(0)} s`,
  );
  await sleep(REST_MS);
  const pods = await pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM check_runs`);
  const writes = difference(before, await installed.writes());
  const idle = await costOf(installed.operator, seconds);
  const lines = [
    ['nothing at all', costText(empty)],
    [`${pipelines} pipelines applied after`, `${(applied / 1000).toFixed(0)} s`],
    [
      `… and ${pipelines * PER_PIPELINE} resources checked for the first time after`,
      `${(checked / 1000).toFixed(0)} s, in ${pods} Pods, ${((pods * 1000) / checked).toFixed(1)}/s`,
    ],
    [`API writes a pipeline until ${REST_MS / 1000} s after that`, sharesText(writes, pipelines)],
    ['most frequent errors of checks', await failedChecks(pool)],
    ['nothing due', costText(idle)],
  ];
  console.log(table(['operator', ''], lines));
}
