import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline, ServiceType } from '#domain/pipeline/pipeline.ts';
import { fillImage } from '#domain/pipeline/service-image.ts';
import type { ServiceStep, Step } from '#domain/pipeline/steps.ts';
import { imageNeeds } from './image-needs.ts';
import type { PlanContainer } from './plan.ts';
import { containerWord, isRunnable } from './runnable.ts';

/** A service of a job, with the images of its commands filled in. */
export interface JobService {
  id: string;
  /** Label of its type. The second service of a type has the suffix `-2`. */
  name: string;
  step: ServiceStep;
  type: ServiceType;
}

/** All services of a job, including those in branches, in the order of the file. */
export function servicesOf(pipeline: Pipeline, steps: readonly Step[]): JobService[] {
  const countByType = new Map<string, number>();
  return serviceSteps(steps).map((step, index) => {
    const count = (countByType.get(step.type) ?? 0) + 1;
    countByType.set(step.type, count);
    const name = count === 1 ? step.type : `${step.type}-${count}`;
    return { id: `service.${index}`, name, step, type: withImages(serviceTypeIn(pipeline, step), step) };
  });
}

/** The services of a job, including those in branches. */
export function serviceSteps(steps: readonly Step[]): ServiceStep[] {
  return steps.flatMap((step) => {
    if (step.kind === 'service') return [step];
    return step.kind === 'branch' ? step.branches.flatMap((branch) => serviceSteps(branch.steps)) : [];
  });
}

function serviceTypeIn({ serviceTypes = [] }: Pipeline, { type: typeName }: ServiceStep): ServiceType {
  const type = serviceTypes.find(({ name }) => name === typeName);
  if (type === undefined) throw new Error(`the pipeline has no service type ${typeName}`);
  return type;
}

function withImages(type: ServiceType, { params }: ServiceStep): ServiceType {
  const fill = (command: Command): Command =>
    command.runner === 'docker' ? { ...command, image: fillImage(command.image, params) } : command;
  return {
    ...type,
    start: fill(type.start),
    stop: fill(type.stop),
    ...(type.ready && { ready: { ...type.ready, check: fill(type.ready.check) } }),
  };
}

/** A service has containers of its own, one for each image of its commands. */
export function serviceContainersOf(pipeline: Pipeline, steps: readonly Step[]): PlanContainer[] {
  return servicesOf(pipeline, steps).flatMap(containersOfService);
}

export function containersOfService({ id, name, type }: JobService): PlanContainer[] {
  const commands = [type.start, ...(type.ready ? [type.ready.check] : []), type.stop].filter(isRunnable);
  const images = new Set(
    commands.map((command) => (command.runner === 'docker' ? command.image : undefined)),
  );
  return [...images].map((image, index) => ({
    name: [containerName(id, name), ...(index === 0 ? [] : [`image-${index + 1}`])].join('-'),
    ...(image === undefined ? {} : { image, ...imageNeeds(image, commands) }),
    service: name,
  }));
}

/** The name of a container of a service: `service-1-postgresql` for the first service of a job. */
function containerName(id: string, name: string): string {
  const position = Number(id.split('.')[1]) + 1;
  const word = containerWord(name);
  return word === '' ? `service-${position}` : `service-${position}-${word}`;
}
