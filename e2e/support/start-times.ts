import { setTimeout as sleep } from 'node:timers/promises';
import { created, type Build, type pipelineApi } from './gateway.ts';

/** The number of builds per measurement. */
const SAMPLES = 5;
/**
 * Time for a busy machine, in milliseconds. The benchmarks have exact figures. This bound only finds a team
 * that waits for the builds of another team.
 */
const NOISE_MS = 10_000;

/** Milliseconds from creating a build of `work` to its first step. */
async function startTime(api: ReturnType<typeof pipelineApi>): Promise<number> {
  let build: Build = created(await api.trigger('work'));
  while (build.started_at === undefined) {
    await sleep(100);
    build = await api.build('work', build.number);
  }
  return Date.parse(build.started_at) - Date.parse(build.created_at);
}

/** The median start time of `SAMPLES` builds of `work`, one after another. */
export async function medianStart(api: ReturnType<typeof pipelineApi>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    times.push(await startTime(api));
    await sleep(500);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? Infinity;
}

/** The longest acceptable start beside another team: twice the time alone, plus the machine's noise. */
export const maxStart = (alone: number): number => 2 * alone + NOISE_MS;
