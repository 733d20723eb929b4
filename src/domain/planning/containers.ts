import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { ActionStep, HookAction, Hooks, Step } from '#domain/pipeline/steps.ts';
import { volumePathOf } from '#domain/pipeline/volume-paths.ts';
import {
  automaticNotifications,
  commandOf,
  jobIn,
  resourceIn,
  resourceTypeIn,
  typeOfNotification,
} from './find-in-pipeline.ts';
import { imageNeeds } from './image-needs.ts';
import type { PlanContainer, VolumePath } from './plan.ts';
import { containerWord, isRunnable, WORKER } from './runnable.ts';
import { serviceContainersOf } from './service-containers.ts';

/**
 * Limit for the containers of one pool: copies of one container for steps that run in parallel. Further
 * parallel steps wait until a container of the pool is free.
 */
const MAX_LANES = 8;

/**
 * A command that runs in a Pod. `volume`: the path that the command needs, because it is an operation of a
 * resource on a volume of the Team.
 */
interface CommandUse {
  command: Command;
  volume?: VolumePath;
  /** The resource that the command is an operation of, if the resource needs a container of its own. */
  resource?: string;
}

/**
 * The step containers of a job's Pod: first the worker if a command runs in it, then one for each distinct
 * image in the order of the commands, those of resources on volumes of the Team, those of resources whose
 * type has a protocol, and those of its services. Those for secrets are missing (see `podContainersOf`).
 * Steps that run in parallel have a container each, as far as MAX_LANES allows. Names depend on the
 * definition only. A job that runs no command has no containers.
 */
export function containersOf(pipeline: Pipeline, job: string): PlanContainer[] {
  const { steps, hooks } = jobIn(pipeline, job);
  const uses = [
    ...steps.flatMap((step) => usesOfStep(pipeline, step)),
    ...usesOfHooks(pipeline, hooks),
    ...automaticNotifications(pipeline, job).map(({ type }) => ({
      command: typeOfNotification(pipeline, type).notify,
    })),
  ];
  const poolSizes = poolSizesOf(pipeline, steps);
  const containers = containersForUses(uses).flatMap((container) => poolFor(container, poolSizes));
  return [...containers, ...serviceContainersOf(pipeline, steps)];
}

/** The step containers of a Pod that runs the checks of these resources. */
export function checkContainersOf(pipeline: Pipeline, resources: string[]): PlanContainer[] {
  const uses = resources.flatMap((name): CommandUse[] => {
    const command = resourceTypeIn(pipeline, name).check;
    return command ? [useOf(pipeline, command, { resource: name, writes: false })] : [];
  });
  return containersForUses(uses);
}

/** The step containers of a Pod that runs these commands one after another. */
export function containersFor(commands: (Command | undefined)[]): PlanContainer[] {
  return containersForUses(
    commands.filter((command) => command !== undefined).map((command) => ({ command })),
  );
}

/**
 * The containers that may run an operation of the resource: those that belong to it alone. If there are none,
 * or `resource` is undefined: those that belong to no resource.
 */
export function containersOfResource(
  containers: PlanContainer[],
  resource: string | undefined,
): PlanContainer[] {
  const ofResource = containers.filter((container) => ownerOf(container) === resource);
  return resource !== undefined && ofResource.length > 0
    ? ofResource
    : containers.filter((container) => ownerOf(container) === undefined);
}

/** The only resource whose operations run in the container. Undefined: other commands run in it. */
const ownerOf = ({ volume, resource }: PlanContainer): string | undefined => volume?.resource ?? resource;

function containersForUses(uses: readonly CommandUse[]): PlanContainer[] {
  const runnable = uses.filter(({ command }) => isRunnable(command));
  const sharedCommands = runnable.flatMap((use) => (isShared(use) ? [use.command] : []));
  const images = new Set(
    sharedCommands.flatMap((command) => (command.runner === 'docker' ? [command.image] : [])),
  );
  const needsWorker = sharedCommands.some((command) => command.runner !== 'docker');
  return [
    ...(needsWorker ? [{ name: WORKER }] : []),
    ...[...images].map((image, index) => ({
      name: containerName(image, index + 1),
      image,
      ...imageNeeds(image, sharedCommands),
    })),
    ...volumeContainers(runnable.flatMap(({ volume }) => volume ?? [])),
    ...resourceContainers(runnable),
  ];
}

const isShared = ({ volume, resource }: CommandUse): boolean =>
  volume === undefined && resource === undefined;

/** One container for each resource of a type with a protocol: `resource-1-semver-version`. */
function resourceContainers(uses: readonly CommandUse[]): PlanContainer[] {
  const owned = uses.flatMap(({ command, resource }) =>
    resource !== undefined && command.runner === 'docker' ? [{ resource, command }] : [],
  );
  return [...Map.groupBy(owned, ({ resource }) => resource)].flatMap(([resource, [first]], index) =>
    first === undefined
      ? []
      : {
          name: `resource-${index + 1}-${containerWord(resource)}`,
          image: first.command.image,
          ...imageNeeds(first.command.image, [first.command]),
          resource,
        },
  );
}

/** One container for each resource on a volume: `volume-1-fs-data`. */
function volumeContainers(volumePaths: readonly VolumePath[]): PlanContainer[] {
  const byResource = Map.groupBy(volumePaths, ({ resource }) => resource);
  return [...byResource].map(([resource, paths], index) => ({
    name: `volume-${index + 1}-${containerWord(resource)}`,
    volume: { resource, path: paths[0]?.path ?? '', writes: paths.some(({ writes }) => writes) },
  }));
}

/** The name of the container of an image: `image-1-golang` for the first image of a Pod. */
function containerName(image: string, position: number): string {
  const last = image.split('/').at(-1) ?? '';
  const word = containerWord(last.split(/[:@]/)[0] ?? '');
  return word === '' ? `image-${position}` : `image-${position}-${word}`;
}

/** How many steps run in parallel in the containers of each pool, by `poolKey`. */
type PoolSizes = ReadonlyMap<string, number>;

/** Key of the pool of a command. Each command of a pool can run in each container of the pool. */
const poolKey = (image: string | undefined, owner: string | undefined): string =>
  owner === undefined ? `image ${image ?? ''}` : `resource ${owner}`;

/** The container, or as many copies as parallel steps need. */
function poolFor(container: PlanContainer, poolSizes: PoolSizes): PlanContainer[] {
  const stepCount = poolSizes.get(poolKey(container.image, ownerOf(container))) ?? 1;
  const count = Math.min(stepCount, MAX_LANES);
  if (count <= 1) return [container];
  return Array.from({ length: count }, (_, index) => ({
    ...container,
    name: index === 0 ? container.name : `${container.name}-lane-${index + 1}`,
    pool: container.name,
  }));
}

function poolSizesOf(pipeline: Pipeline, steps: readonly Step[]): PoolSizes {
  const sizes = new Map<string, number>();
  for (const group of groupsOf(steps)) {
    const poolsOfSteps = group.steps.flatMap((step) => [...poolsFor(usesOfStep(pipeline, step))]);
    for (const [pool, { length: stepCount }] of Map.groupBy(poolsOfSteps, (key) => key)) {
      const parallel = Math.min(stepCount, group.limit ?? stepCount);
      sizes.set(pool, Math.max(sizes.get(pool) ?? 1, parallel));
    }
  }
  return sizes;
}

/** The groups of parallel steps, including those in branches. */
function groupsOf(steps: readonly Step[]): (Step & { kind: 'parallel' })[] {
  return steps.flatMap((step) => {
    if (step.kind === 'parallel') return [step];
    return step.kind === 'branch' ? step.branches.flatMap((branch) => groupsOf(branch.steps)) : [];
  });
}

/** The keys of the pools of these commands, each once. */
function poolsFor(uses: CommandUse[]): Set<string> {
  const runnable = uses.filter(({ command }) => isRunnable(command));
  return new Set(
    runnable.map(({ command, volume, resource }) =>
      poolKey(command.runner === 'docker' ? command.image : undefined, volume?.resource ?? resource),
    ),
  );
}

/** Commands of a step and of its hooks, in order. */
function usesOfStep(pipeline: Pipeline, step: Step): CommandUse[] {
  switch (step.kind) {
    case 'service':
      return [];
    case 'branch':
      return step.branches.flatMap(({ steps }) => steps.flatMap((inner) => usesOfStep(pipeline, inner)));
    case 'parallel':
      return [
        ...step.steps.flatMap((inner) => usesOfStep(pipeline, inner)),
        ...usesOfHooks(pipeline, step.hooks),
      ];
    case 'get':
    case 'task':
    case 'put':
    case 'notify':
      return [...usesOfAction(pipeline, step), ...usesOfHooks(pipeline, step.hooks)];
    default:
      throw new Error('a step of unknown kind');
  }
}

function usesOfHooks(pipeline: Pipeline, hooks: Hooks = {}): CommandUse[] {
  const { onSuccess = [], onFailure = [], onCancel = [], ensure = [] } = hooks;
  return [...onSuccess, ...onFailure, ...onCancel, ...ensure].flatMap((action) =>
    usesOfAction(pipeline, action),
  );
}

function usesOfAction(pipeline: Pipeline, action: ActionStep | HookAction): CommandUse[] {
  const command = commandOf(pipeline, action);
  if (command === undefined) return [];
  if (action.kind !== 'get' && action.kind !== 'put') return [{ command }];
  return [useOf(pipeline, command, { resource: action.resource, writes: action.kind === 'put' })];
}

function useOf(
  pipeline: Pipeline,
  command: Command,
  { resource, writes }: Omit<VolumePath, 'path'>,
): CommandUse {
  const type = resourceTypeIn(pipeline, resource);
  if (type.protocol !== undefined) return { command, resource };
  const path = volumePathOf(resourceIn(pipeline, resource), type);
  return { command, ...(path !== undefined && { volume: { resource, path, writes } }) };
}
