import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { createPipeline } from '#e2e/support/fixtures.ts';
import { pipelineApi } from '#e2e/support/gateway.ts';
import { measureBuild } from './builds.ts';
import type { PrintRow } from './print-row.ts';
import { gapsBetween, stepsJob, timesIn } from './step-times.ts';

const COUNTS = [1, 5, 20];
/** The images besides the worker image. Their `date` supports nanoseconds (`%N`). */
const IMAGES = ['localhost/millrace-postgres:dev', 'localhost/millrace:dev'];
const DATE = 'date +%s%N';

interface MeasuredJob {
  title: string;
  job: string;
  /** The job in HCL. */
  text: string;
  /** Milliseconds from the trigger until the outcome is recorded. */
  untilOutcome: number[];
  /** Milliseconds from the process of each step to that of the next. */
  gaps: number[];
}

/**
 * Measures builds of 1, 5 and 20 steps, all in the worker image, or in it and in `IMAGES` in turn. Each step
 * prints the time at which its process runs. The gap between two steps is the cost of a process and the
 * overhead of Millrace. A build with a loop inside one step shows the cost of a process alone, in the worker
 * image.
 */
export async function measureSteps(team: string, runs: number, printRow: PrintRow): Promise<void> {
  const loop = jobOf('a loop', 'loop', [`for i in $(seq 20); do sh -c '${DATE}'; done`], []);
  const jobs = COUNTS.flatMap((count) => {
    const commands = Array.from({ length: count }, () => DATE);
    return [
      jobOf(`steps: ${count}, one image`, `one-image-${count}`, commands, []),
      jobOf(`steps: ${count}, at most three images`, `three-images-${count}`, commands, IMAGES),
    ];
  });
  const loopAndJobs = [loop, ...jobs];
  await createPipeline(team, 'steps', loopAndJobs.map(({ text }) => text).join('\n'));
  // The first round fills caches and does not count.
  for (const job of loopAndJobs) await measureRound(team, job);
  for (const job of loopAndJobs) {
    job.untilOutcome = [];
    job.gaps = [];
  }
  for (let round = 0; round < runs; round += 1) for (const job of loopAndJobs) await measureRound(team, job);
  const cost = summarise(loop.gaps);
  printRow('a loop in one step: from one process to the next', inMilliseconds(cost));
  for (const { title, untilOutcome, gaps } of jobs) {
    printRow(`${title}: trigger sent → outcome recorded`, inMilliseconds(summarise(untilOutcome)));
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

function jobOf(title: string, job: string, commands: string[], images: string[]): MeasuredJob {
  return { title, job, text: stepsJob(job, commands, images), untilOutcome: [], gaps: [] };
}

async function measureRound(team: string, { job, untilOutcome, gaps }: MeasuredJob): Promise<void> {
  const { number, outcome } = await measureBuild(team, 'steps', job);
  untilOutcome.push(outcome);
  gaps.push(...gapsBetween(timesIn(await pipelineApi(team, 'steps').log(job, number))));
}
