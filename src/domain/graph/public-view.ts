import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Step } from '#domain/pipeline/steps.ts';

/**
 * The structure of a pipeline that the public may see: only names and connections. Fields are copied one by
 * one, so that a new field of the definition stays private until somebody adds it here. Parameters, commands,
 * images, variables, messages and schedules are never public.
 */
export interface PublicStructure {
  jobs: { name: string; steps: PublicStructureStep[] }[];
  resourceTypes: { id: string; name: string }[];
}

export interface PublicStructureStep {
  kind: Step['kind'];
  /** Name of a get, task or put; `<type>.<label>` of a notification; type of a service. */
  name?: string;
  /** The resource of a get or put. */
  resource?: string;
  /** The jobs that the version of a get must have passed. */
  passed?: string[];
  /** Whether a new version for a get starts a build. */
  trigger?: boolean;
  /** The steps of a `parallel`, or the steps of all branches of an `if`, in order. */
  steps?: PublicStructureStep[];
}

export function publicStructure({ jobs, resourceTypes }: Pipeline): PublicStructure {
  return {
    jobs: jobs.map(({ name, steps }) => ({ name, steps: steps.map(publicStep) })),
    resourceTypes: resourceTypes.map(({ name }) => ({ id: name, name })),
  };
}

function publicStep(step: Step): PublicStructureStep {
  const { kind } = step;
  if (kind === 'parallel') return { kind, steps: step.steps.map(publicStep) };
  if (kind === 'branch') return { kind, steps: step.branches.flatMap(({ steps }) => steps.map(publicStep)) };
  if (kind === 'get') {
    const { name, resource, passed, trigger } = step;
    return { kind, name, resource, passed: [...passed], trigger };
  }
  if (kind === 'put') return { kind, name: step.name, resource: step.resource };
  if (kind === 'notify') return { kind, name: step.notification };
  return { kind, name: kind === 'service' ? step.type : step.name };
}
