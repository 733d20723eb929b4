import type {
  Command,
  GetStep,
  Job,
  Pipeline,
  PutStep,
  ResourceType,
  TaskStep,
} from '#domain/pipeline/pipeline.ts';
import { fillTemplates } from './fill-templates.ts';
import type { PlanContainer } from './plan.ts';

/** Name of the container with the worker image: git, jq, curl, ssh and bash. */
export const WORKER = 'worker';

/**
 * The step containers of a job's Pod: first the worker if a step runs in it, then one per distinct image, in
 * the order of the steps. Names depend on the job only. A job that pulls nothing and runs nothing has none.
 */
export function containersOf(pipeline: Pipeline, job: string): PlanContainer[] {
  return containersFor(stepsToRun(pipeline, job).map((step) => commandOf(pipeline, step)));
}

/** The same for checks that share a Pod. */
export function checkContainersOf(pipeline: Pipeline, resources: string[]): PlanContainer[] {
  return containersFor(resources.map((name) => resourceTypeIn(pipeline, name).check));
}

/** The same for any commands that share a Pod. */
export function containersFor(commands: (Command | undefined)[]): PlanContainer[] {
  const running = commands.filter((command) => command !== undefined).filter(isRunnable);
  const images = new Set(running.flatMap((command) => (command.runner === 'docker' ? [command.image] : [])));
  const worker = running.some((command) => command.runner !== 'docker');
  return [
    ...(worker ? [{ name: WORKER }] : []),
    ...[...images].map((image, index) => ({ name: containerName(image, index + 1), image })),
  ];
}

/** Whether a command runs a program. An empty path means none. */
export function isRunnable(command: Command): boolean {
  if (command.runner === 'custom') return fillTemplates(command).path !== '';
  return command.runner !== 'exec' || command.path !== '';
}

function containerName(image: string, position: number): string {
  const last = image.split('/').at(-1) ?? '';
  const word = (last.split(/[:@]/)[0] ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '');
  return word === '' ? `image-${position}` : `image-${position}-${word}`;
}

function jobOf(pipeline: Pipeline, name: string): Job {
  const job = pipeline.jobs.find((candidate) => candidate.name === name);
  if (!job) throw new Error(`the pipeline has no job ${name}`);
  return job;
}

/** Steps that this version of Millrace can run. */
export type RunnableStep = GetStep | TaskStep | PutStep;

/** A job's steps, in order. Throws for other kinds of steps: `notYetRun` refuses such pipelines before. */
export function stepsToRun(pipeline: Pipeline, name: string): RunnableStep[] {
  return jobOf(pipeline, name).steps.map((step) => {
    if (step.kind === 'get' || step.kind === 'task' || step.kind === 'put') return step;
    throw new Error(`job ${name} has a ${step.kind} step, which cannot be run yet`);
  });
}

export function resourceIn(pipeline: Pipeline, name: string): Pipeline['resources'][number] {
  const resource = pipeline.resources.find((candidate) => candidate.name === name);
  if (!resource) throw new Error(`the pipeline has no resource ${name}`);
  return resource;
}

export function resourceTypeIn(pipeline: Pipeline, resource: string): ResourceType {
  const name = resourceIn(pipeline, resource).type;
  const type = pipeline.resourceTypes.find((candidate) => candidate.name === name);
  if (!type) throw new Error(`the pipeline has no resource type ${name}`);
  return type;
}

/** The command of a step. Undefined: its resource type has no such operation. */
export function commandOf(pipeline: Pipeline, step: RunnableStep): Command | undefined {
  if (step.kind === 'task') return step.run;
  const type = resourceTypeIn(pipeline, step.resource);
  return step.kind === 'get' ? type.pull : type.push;
}
