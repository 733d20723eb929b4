import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { createPipeline } from '#e2e/support/fixtures.ts';
import { pipelineApi } from '#e2e/support/gateway.ts';
import { measureBuild } from './builds.ts';
import type { PrintRow } from './print-row.ts';
import { gapsBetween, stepsJob, timesIn } from './step-times.ts';

const COUNTS = [1, 5, 20];
/** Their `date` knows nanoseconds. */
const IMAGES = ['localhost/millrace-postgres:dev', 'localhost/millrace:dev'];
const DATE = 'date +%s%N';

interface Measured {
  title: string;
  job: string;
  text: string;
  outcomes: number[];
  /** Milliseconds from the process of a step to that of the next. */
  gaps: number[];
}

/**
 * Builds of 1, 5 and 20 steps, in the worker image and in three images in turn. Each step prints the time of
 * its process, so the time between two steps is what Millrace adds plus the cost of the process. A step with
 * a loop, in a build of the same round, has only the cost of the process.
 */
export async function measureSteps(team: string, runs: number, printRow: PrintRow): Promise<void> {
  const loop = jobOf('a loop', 'loop', [`for i in $(seq 20); do sh -c '${DATE}'; done`], []);
  const jobs = COUNTS.flatMap((count) => {
    const commands = Array.from({ length: count }, () => DATE);
    return [
      jobOf(`steps: ${count}, one image`, `one-image-${count}`, commands, []),
      jobOf(`steps: ${count}, three images`, `three-images-${count}`, commands, IMAGES),
    ];
  });
  const all = [loop, ...jobs];
  await createPipeline(team, 'steps', all.map(({ text }) => text).join('\n'));
  // The first round fills caches.
  for (const job of all) await measureRound(team, job);
  for (const job of all) Object.assign(job, { outcomes: [], gaps: [] });
  for (let round = 0; round < runs; round += 1) for (const job of all) await measureRound(team, job);
  const cost = summarise(loop.gaps);
  printRow('a loop in one step: from one process to the next', inMilliseconds(cost));
  for (const { title, outcomes, gaps } of jobs) {
    printRow(`${title}: trigger sent → outcome recorded`, inMilliseconds(summarise(outcomes)));
    if (gaps.length === 0) continue;
    const gap = summarise(gaps);
    printRow('  from the process of a step to that of the next', inMilliseconds(gap));
    printRow(
      '  overhead of a step: less the cost in the loop',
      `${(gap.median - cost.median).toFixed(1)} ms`,
      '≤ 15 ms',
    );
  }
}

function jobOf(title: string, job: string, commands: string[], images: string[]): Measured {
  return { title, job, text: stepsJob(job, commands, images), outcomes: [], gaps: [] };
}

async function measureRound(team: string, { job, outcomes, gaps }: Measured): Promise<void> {
  const { number, outcome } = await measureBuild(team, 'steps', job);
  outcomes.push(outcome);
  gaps.push(...gapsBetween(timesIn(await pipelineApi(team, 'steps').log(job, number))));
}
