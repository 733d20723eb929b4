import { setTimeout as sleep } from 'node:timers/promises';
import { created, pipelineApi, type GatewayAnswer } from '#e2e/support/gateway.ts';
import { watchPods, type PodEvent } from './cluster-client.ts';
import { millisecondsOf } from './step-times.ts';

export const END_STATUSES = new Set(['succeeded', 'failed', 'cancelled']);

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

const POLL_MS = 250;

/**
 * Runs `atATime` builds in parallel until `total` have ended; returns builds per second. Throws if one of
 * them does not succeed. A gateway on a busy machine answers some triggers with 503 and some reads with an
 * error; those requests are sent again.
 */
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
      const number = await triggerUntilAccepted(() => api.trigger(names.job));
      let status = '';
      while (!END_STATUSES.has(status)) {
        await sleep(POLL_MS);
        ({ status } = await api.build(names.job, number).catch(() => ({ status: '' })));
      }
      if (status !== 'succeeded') throw new Error(`${names.job} #${number} is ${status}`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, lane));
  return total / ((performance.now() - start) / 1000);
};

async function triggerUntilAccepted(trigger: () => Promise<GatewayAnswer>): Promise<string> {
  for (;;) {
    const answer = await trigger();
    if (answer.status !== 503) return created(answer).number;
    await sleep(POLL_MS);
  }
}
