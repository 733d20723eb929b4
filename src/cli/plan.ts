import { closestName } from '#domain/language/suggest.ts';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { pickPipeline, type PickOptions } from './pick-pipeline.ts';
import { planTree } from './plan-tree.ts';
import { renderTree } from './render-tree.ts';
import { CommandError, EXIT, painter, type Exit, type Terminal } from './terminal.ts';

export interface PlanVerbOptions extends PickOptions {
  /** Absent: the only job. */
  job?: string;
}

/** Prints what a build of the job would do. */
export async function plan(file: string, options: PlanVerbOptions, terminal: Terminal): Promise<Exit> {
  const picked = await pickPipeline(file, options, terminal);
  if (!picked) return EXIT.failure;
  const job = findJob(picked.pipeline, options.job);
  terminal.out(renderTree(planTree(picked.pipeline, job), painter(terminal)));
  return EXIT.success;
}

export function findJob({ jobs }: Pipeline, jobName?: string): Job {
  const [first, second] = jobs;
  if (jobName === undefined) {
    if (first !== undefined && second === undefined) return first;
    throw new CommandError(whichJob(jobs));
  }
  const job = jobs.find(({ name }) => name === jobName);
  if (!job) throw new CommandError(noSuchJob(jobName, jobs));
  return job;
}

function whichJob(jobs: readonly Job[]): string {
  if (jobs.length === 0) return 'the pipeline has no jobs';
  return `name a job with --job: ${joinNames(jobs.map(({ name }) => name))}`;
}

/**
 * If the name is that of a group of jobs, from a block with `for_each` or `matrix`, lists the jobs of the
 * group.
 */
function noSuchJob(jobName: string, jobs: readonly { name: string; group?: { name: string } }[]): string {
  const names = jobs.map(({ name }) => name);
  const instances = jobs.flatMap(({ name, group }) => (group?.name === jobName ? [name] : []));
  if (instances.length > 0)
    return `${jobName} is a group of ${instances.length} jobs: choose one of ${joinNames(instances)}`;
  const near = closestName(jobName, names);
  const advice =
    near === undefined
      ? `there are ${names.length === 0 ? 'none' : joinNames(names)}`
      : `did you mean ${near}?`;
  return `there is no job ${jobName}; ${advice}`;
}

const MAX_LISTED_JOBS = 20;

function joinNames(names: readonly string[]): string {
  const more = names.length > MAX_LISTED_JOBS ? [`and ${names.length - MAX_LISTED_JOBS} more`] : [];
  return [...names.slice(0, MAX_LISTED_JOBS), ...more].join(', ');
}
