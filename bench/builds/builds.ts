import { setTimeout as sleep } from 'node:timers/promises';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { watchPods, type PodEvent } from './cluster-client.ts';
import { millisecondsOf } from './step-times.ts';

export const END_STATUSES = new Set(['succeeded', 'failed', 'cancelled', 'warning']);

export interface BuildRun {
  number: string;
  pod: string;
  /** A time of `performance.now()`. */
  sentAt: number;
  /** Milliseconds from sending the trigger request to its answer. */
  answered: number;
  /**
   * Milliseconds from the answer to the Pod object. The gateway answers once the trigger is committed.
   * Negative if the watch shows the Pod before the answer arrives.
   */
  podObject: number;
  /** Milliseconds from sending to the first time that the log contains. Absent if it contains none. */
  firstProcess?: number;
  /** Milliseconds from sending until the API shows the outcome. */
  outcome: number;
}

/**
 * Triggers one build and follows it to its recorded outcome. Throws if the build does not succeed. Polls for
 * the outcome with pauses of 5 ms, but only once the Pod is no longer pending: on a small machine, earlier
 * polling would slow down what it measures.
 */
export const measureBuild = async (team: string, pipeline: string, job: string): Promise<BuildRun> => {
  const api = pipelineApi(team, pipeline);
  const pods: PodEvent[] = [];
  const stop = await watchPods(team, (event) => pods.push(event));
  const startOnWallClock = Date.now();
  const start = performance.now();
  const { number } = created(await api.trigger(job));
  const answered = performance.now() - start;
  const isOfBuild = ({ labels, at }: PodEvent): boolean =>
    at >= start && labels['millrace.dev/job'] === job && labels['millrace.dev/build'] === number;
  while (!pods.some((event) => event.phase !== 'Pending' && isOfBuild(event))) await sleep(2);
  let status = '';
  while (!END_STATUSES.has(status)) {
    await sleep(5);
    ({ status } = await api.build(job, number));
  }
  const outcome = performance.now() - start;
  stop();
  if (status !== 'succeeded') throw new Error(`${pipeline}/${job} #${number} is ${status}`);
  const added = pods.find((event) => event.type === 'ADDED' && isOfBuild(event));
  if (added === undefined) throw new Error(`the watch did not show the Pod of ${pipeline}/${job} #${number}`);
  const printed = /^(\d{19})$/m.exec(await api.log(job, number))?.[1];
  return {
    number,
    pod: added.name,
    sentAt: start,
    answered,
    podObject: added.at - start - answered,
    ...(printed === undefined ? {} : { firstProcess: millisecondsOf(printed) - startOnWallClock }),
    outcome,
  };
};
