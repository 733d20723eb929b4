import { defined } from '#defined';
import type { Command } from '#domain/pipeline/command.ts';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import {
  actionsOf,
  hookActionsOf,
  type GetStep,
  type HookAction,
  type Hooks,
  type PutStep,
  type Step,
} from '#domain/pipeline/steps.ts';
import { volumePathOf } from '#domain/pipeline/volume-paths.ts';
import { commandOf, jobIn, resourceIn, resourceTypeIn } from './find-in-pipeline.ts';
import { containersOfCommand } from './plan-command.ts';
import type { PlanContainer } from './plan.ts';

/** A resource with a cache, and the containers of the commands that use it. */
export interface CacheNeed {
  /** Name of the resource. For a cache of a job: `<job>:<cache>`. */
  resource: string;
  containers: string[];
  /**
   * The type of the resource is built in, so the author of the pipeline may not know of the cache. If the
   * Team has no volumes for caches, no message says that this cache is left out.
   */
  byDefault: boolean;
}

/** What was decided about one cache for one Pod. */
export interface CacheUse {
  /** Row id. */
  cache: number;
  /** Incremented when the cache is cleared: the next use starts with a new volume. */
  generation: number;
  resource: string;
  /** Why the Pod runs without the cache. Absent: the cache is mounted. */
  leftOut?: { reason: CacheRefusal; message: string };
}

type CacheRefusal =
  /** The Team has no volumes for caches. */
  | 'NotAllowed'
  /** Another build or check uses the cache. */
  | 'Busy'
  /** An earlier Pod of the same build waited too long for the volume of a cache. */
  | 'Waited'
  /** Recently, another Pod waited too long for the volume of this cache. */
  | 'Unavailable'
  /** The build runs code of a pull request from a fork. */
  | 'Fork'
  /** The team has reached its limit of cache volumes. */
  | 'TooMany'
  /** The API server refused the volume of the cache. */
  | 'Refused';

/** Folder of all caches, in the home directory of the user of the worker image. */
const CACHES = '/home/millrace/.cache/millrace/cache';

/**
 * `$CACHE_DIR` of a resource, or of a cache of a job. A slash replaces the colon of a job's cache, because
 * Kubernetes mounts nothing at a path with a colon.
 */
export function cacheFolder(owner: { team: string; pipeline: string }, resource: string): string {
  return `${CACHES}/${owner.team}/${owner.pipeline}/${resource.replace(':', '/')}`;
}

/** `$CACHE_DIR` of each resource whose cache is mounted. */
export function cacheFolders(
  owner: { team: string; pipeline: string },
  uses: readonly CacheUse[] = [],
): Map<string, string> {
  const mounted = uses.filter(({ leftOut }) => leftOut === undefined);
  return new Map(mounted.map(({ resource }) => [resource, cacheFolder(owner, resource)]));
}

/** Lines of the log that say which caches are left out, and why. */
export function cacheNotices(uses: readonly CacheUse[] = []): string[] {
  return uses.flatMap(({ resource, leftOut }) =>
    leftOut === undefined ? [] : [`${resource} has no cache in this build: ${leftOut.message}`],
  );
}

/**
 * The caches that a build of the job needs: those of the resources of its gets and puts, including those in
 * hooks, and the job's own caches.
 */
export function cachesOfBuild(
  pipeline: Pipeline,
  job: string,
  containers: readonly PlanContainer[],
): CacheNeed[] {
  const { steps, hooks } = jobIn(pipeline, job);
  const actions = [...actionsOf(steps), ...hookActionsOf({ steps, ...defined({ hooks }) })];
  const resourceNeeds = needsOf(
    actions
      .filter(usesResource)
      .map((step) => ({ resource: step.resource, commands: commandsWithCache(pipeline, step) })),
    { pipeline, containers },
  );
  return [...resourceNeeds, ...needsOfJob({ name: job, steps }, containers)];
}

/** Name of a cache of the job itself. No name of a resource has a colon. */
export const jobCacheName = (job: string, cache: string): string => `${job}:${cache}`;

/** The names of a job's own caches. */
export function cachesOfJob(steps: readonly Step[]): string[] {
  const names = steps.flatMap((step) =>
    step.kind === 'task' && step.cache !== undefined ? [step.cache] : [],
  );
  return [...new Set(names)];
}

/** Stands for the tasks that restore and save a cache: they run in a shell of the worker image. */
const CACHE_TASK: Command = { runner: 'shell', cmd: '' };

function needsOfJob(
  { name, steps }: Pick<Job, 'name' | 'steps'>,
  containers: readonly PlanContainer[],
): CacheNeed[] {
  return cachesOfJob(steps).map((cache) => ({
    resource: jobCacheName(name, cache),
    containers: containersOfCommand(CACHE_TASK, containers).toSorted(),
    byDefault: false,
  }));
}

/** The caches that a check Pod needs. Checks of built-in types need none. */
export function cachesOfChecks(
  pipeline: Pipeline,
  resources: readonly string[],
  containers: readonly PlanContainer[],
): CacheNeed[] {
  const types = resources.map((resource) => ({ resource, type: resourceTypeIn(pipeline, resource) }));
  return needsOf(
    types.flatMap(({ resource, type: { builtIn, check } }) =>
      builtIn || check === undefined ? [] : [{ resource, commands: [check] }],
    ),
    { pipeline, containers },
  );
}

/** Whether the resource has a cache. A resource on a volume of the Team has none. */
export function hasCache(pipeline: Pipeline, name: string): boolean {
  const resource = resourceIn(pipeline, name);
  return resource.cache && volumePathOf(resource, resourceTypeIn(pipeline, name)) === undefined;
}

interface ResourceCommands {
  resource: string;
  commands: Command[];
}

function needsOf(
  resourceCommands: readonly ResourceCommands[],
  { pipeline, containers }: { pipeline: Pipeline; containers: readonly PlanContainer[] },
): CacheNeed[] {
  const cached = resourceCommands.filter(({ resource }) => hasCache(pipeline, resource));
  return [...Map.groupBy(cached, ({ resource }) => resource)].flatMap(([resource, group]) => {
    const names = group.flatMap(({ commands }) =>
      commands.flatMap((command) => containersOfCommand(command, containers)),
    );
    const byDefault = resourceTypeIn(pipeline, resource).builtIn;
    return names.length === 0 ? [] : [{ resource, containers: [...new Set(names)].toSorted(), byDefault }];
  });
}

function usesResource<T extends { kind: string }>(
  step: T,
): step is T & (GetStep | PutStep | (HookAction & { kind: 'put' })) {
  return step.kind === 'get' || step.kind === 'put';
}

/** The commands that see `$CACHE_DIR`: the command of the step, and the commands in its hooks. */
function commandsWithCache(pipeline: Pipeline, step: GetStep | PutStep): Command[] {
  const stepCommand = commandOf(pipeline, step);
  const inHooks = Object.values<Hooks[keyof Hooks]>({ ...step.hooks }).flatMap((actions = []) =>
    actions.flatMap((action) => (action.kind === 'command' ? [action.run] : [])),
  );
  return [...(stepCommand ? [stepCommand] : []), ...inHooks];
}
