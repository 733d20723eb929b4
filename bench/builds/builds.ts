import { setTimeout as sleep } from 'node:timers/promises';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { watchPods, type PodEvent } from './cluster-client.ts';

const FINAL = new Set(['succeeded', 'failed', 'cancelled']);

export interface BuildRun {
  number: string;
  pod: string;
  /** On the clock of `performance.now()`. */
  sentAt: number;
  /** Milliseconds from sending the trigger request. */
  answered: number;
  /** From the answer, which comes when the trigger is written. */
  podObject: number;
  /** When the first step's process printed the time; absent for steps that print nothing. */
  firstProcess?: number;
  outcome: number;
}

/**
 * Triggers one build and follows it to its recorded outcome. The outcome is asked for every 5 ms once the Pod
 * runs: no sooner, since on a small machine the asking would take the time that it measures.
 */
export const measureBuild = async (team: string, pipeline: string, job: string): Promise<BuildRun> => {
  const api = pipelineApi(team, pipeline);
  const pods: PodEvent[] = [];
  const stop = await watchPods(team, (event) => pods.push(event));
  const wall = Date.now();
  const start = performance.now();
  const { number } = created(await api.trigger(job));
  const answered = performance.now() - start;
  const isMine = ({ labels, at }: PodEvent): boolean =>
    at >= start && labels['millrace.dev/job'] === job && labels['millrace.dev/build'] === number;
  while (!pods.some((event) => event.phase !== 'Pending' && isMine(event))) await sleep(2);
  let status = '';
  while (!FINAL.has(status)) {
    ({ status } = await api.build(job, number));
    await sleep(5);
  }
  const outcome = performance.now() - start;
  stop();
  if (status !== 'succeeded') throw new Error(`${pipeline}/${job} #${number} is ${status}`);
  const added = pods.find((event) => event.type === 'ADDED' && isMine(event));
  if (added === undefined) throw new Error(`the watch did not show the Pod of ${pipeline}/${job} #${number}`);
  const printed = /^(\d{19})$/m.exec(await api.log(job, number))?.[1];
  return {
    number,
    pod: added.name,
    sentAt: start,
    answered,
    podObject: added.at - start - answered,
    ...(printed === undefined ? {} : { firstProcess: Number(BigInt(printed) / 1000n) / 1000 - wall }),
    outcome,
  };
};

/** Keeps `atATime` builds going until `total` have ended; answers builds per second. */
export const measureThroughput = async (
  names: { team: string; pipeline: string; job: string },
  total: number,
  atATime: number,
): Promise<number> => {
  const api = pipelineApi(names.team, names.pipeline);
  let left = total;
  const start = performance.now();
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { number } = created(await api.trigger(names.job));
      let status = '';
      while (!FINAL.has(status)) {
        await sleep(250);
        ({ status } = await api.build(names.job, number));
      }
    }
  };
  await Promise.all(Array.from({ length: atATime }, lane));
  return total / ((performance.now() - start) / 1000);
};
