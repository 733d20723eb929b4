import { setTimeout as sleep } from 'node:timers/promises';
import { created, type Build, type pipelineApi } from './gateway.ts';

/** Builds of one measurement. */
const SAMPLES = 5;
/** The noise of a busy machine, in milliseconds. */
const NOISE_MS = 1000;

/** Milliseconds from creating a build of `work` to its first step. */
async function startTime(api: ReturnType<typeof pipelineApi>): Promise<number> {
  let build: Build = created(await api.trigger('work'));
  while (build.started_at === undefined) {
    await sleep(100);
    build = await api.build('work', build.number);
  }
  return Date.parse(build.started_at) - Date.parse(build.created_at);
}

/** The median of some builds of `work`, one after the other. */
export async function usualStart(api: ReturnType<typeof pipelineApi>): Promise<number> {
  const times: number[] = [];
  for (let one = 0; one < SAMPLES; one += 1) {
    times.push(await startTime(api));
    await sleep(500);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? Infinity;
}

/** The most that a start may take beside another team: twice as long as alone, and the machine's noise. */
export const allowedStart = (alone: number): number => 2 * alone + NOISE_MS;
