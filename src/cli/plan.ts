import { closestName } from '#domain/language/suggest.ts';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { pickPipeline, type PickOptions } from './pick-pipeline.ts';
import { planTree } from './plan-tree.ts';
import { renderTree } from './render-tree.ts';
import { CommandError, EXIT, painter, type Exit, type Terminal } from './terminal.ts';

export interface PlanVerbOptions extends PickOptions {
  job: string;
}

/** Prints what a build of the job would do. */
export async function plan(file: string, options: PlanVerbOptions, terminal: Terminal): Promise<Exit> {
  const picked = await pickPipeline(file, options, terminal);
  if (!picked) return EXIT.failure;
  const job = findJob(picked.pipeline, options.job);
  terminal.out(renderTree(planTree(picked.pipeline, job), painter(terminal)));
  return EXIT.success;
}

export function findJob({ jobs }: Pipeline, wanted: string): Job {
  const job = jobs.find(({ name }) => name === wanted);
  if (!job) throw new CommandError(noSuchJob(wanted, jobs));
  return job;
}

/** The label of a block with `for_each` or `matrix` names a group of jobs: then lists its jobs. */
function noSuchJob(wanted: string, jobs: readonly { name: string; group?: { name: string } }[]): string {
  const names = jobs.map(({ name }) => name);
  const instances = jobs.flatMap(({ name, group }) => (group?.name === wanted ? [name] : []));
  if (instances.length > 0)
    return `${wanted} is a group of ${instances.length} jobs: choose one of ${list(instances)}`;
  const near = closestName(wanted, names);
  const advice =
    near === undefined ? `there are ${names.length === 0 ? 'none' : list(names)}` : `did you mean ${near}?`;
  return `there is no job ${wanted}; ${advice}`;
}

const MAX_LISTED_JOBS = 20;

function list(names: readonly string[]): string {
  const more = names.length > MAX_LISTED_JOBS ? [`and ${names.length - MAX_LISTED_JOBS} more`] : [];
  return [...names.slice(0, MAX_LISTED_JOBS), ...more].join(', ');
}
