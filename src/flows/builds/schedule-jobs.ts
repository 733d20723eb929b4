import type { BuildRef } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import { decideAndWrite } from './decide-with-pages.ts';
import type { BuildStore } from './ports.ts';
import type { MadeBuild, PipelineTransaction } from './schedule-ports.ts';

interface Ports {
  builds: Pick<BuildStore, 'pipelinesToSchedule' | 'withPipeline' | 'wakeLateTriggers'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

export interface BuildsScheduled {
  builds: BuildRef[];
  /** Some versions wait for their hooks. */
  held: boolean;
  /**
   * More jobs wait for a decision, or more builds are due, than this decision could handle: call again at
   * once.
   */
  more: boolean;
  /** Pipelines without a decision because of an error. The next call tries these pipelines again. */
  failures: { pipeline: number; error: unknown }[];
}

const PIPELINES_PER_READ = 50;

/**
 * Decides on every pipeline that `pipelinesToSchedule` returns, including those with requests that arrive
 * meanwhile. Skips a pipeline whose decision failed.
 */
export async function scheduleJobs(ports: Ports): Promise<BuildsScheduled> {
  const decided: BuildsScheduled[] = [];
  await ports.builds.wakeLateTriggers();
  for (;;) {
    const failures = decided.flatMap((decision) => decision.failures);
    const pipelines = await ports.builds.pipelinesToSchedule(PIPELINES_PER_READ + failures.length);
    const failed = new Set(failures.map(({ pipeline }) => pipeline));
    const toDecide = pipelines.filter((pipeline) => !failed.has(pipeline));
    if (toDecide.length === 0) {
      const builds = decided.flatMap((decision) => decision.builds);
      return { builds, held: decided.some(({ held }) => held), more: false, failures };
    }
    for (const pipeline of toDecide) decided.push(await schedulePipeline(pipeline, ports));
  }
}

/** Decides on one pipeline, then notifies the agents of superseded builds. The caller starts new builds. */
export async function schedulePipeline(
  pipeline: number,
  {
    builds,
    notifications,
    now,
  }: Pick<Ports, 'notifications' | 'now'> & { builds: Pick<BuildStore, 'withPipeline'> },
): Promise<BuildsScheduled> {
  try {
    const at = now();
    const { interrupted, ...made } = await builds.withPipeline(
      pipeline,
      async (tx) => await decidePipeline(tx, at),
    );
    for (const build of interrupted) notifications.notify({ topic: 'cancel', build });
    if (made.builds.length > 0) notifications.notify({ topic: 'status', pipeline });
    return { ...made, failures: [] };
  } catch (error) {
    return { builds: [], held: false, more: false, failures: [{ pipeline, error }] };
  }
}

type PipelineDecided = Omit<BuildsScheduled, 'failures'> & {
  /** Row ids of superseded builds: ended if they had not started, otherwise asked to stop. */
  interrupted: number[];
};

/** Decides on the jobs of the pipeline that wait for a decision. */
export async function decidePipeline(
  tx: PipelineTransaction,
  at: Date,
  options?: Parameters<typeof decideAndWrite>[2],
): Promise<PipelineDecided> {
  const { facts, decision, written } = await decideAndWrite(tx, at, options);
  return {
    builds: written.made.map(buildRefOf),
    interrupted: written.interrupted,
    held: facts.resources.some((resource) => resource.held !== undefined),
    more: facts.more || decision.unfinished.length > 0,
  };
}

export function buildRefOf({ team, pipeline, job, number }: MadeBuild): BuildRef {
  return { team, pipeline, job, number };
}
