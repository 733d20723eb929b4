import type { Pipeline, Step } from '#domain/pipeline/pipeline.ts';

/**
 * A pipeline as strangers may see it: the names of what it is made of, and how it hangs together. Nothing is
 * taken from it but what is named here, so that a field that is added to the definition stays inside: no
 * parameters, commands, images, variables, messages or schedules.
 */
export interface PublicStructure {
  jobs: { name: string; steps: PublicStep[] }[];
  resourceTypes: { id: string; name: string }[];
}

export interface PublicStep {
  kind: Step['kind'];
  /** Of a get, task or put; of a notification `<type>.<label>`, of a service its type. */
  name?: string;
  /** Of a get or put. */
  resource?: string;
  /** Of a get: jobs that the version passed, and whether a new one starts the job. */
  passed?: string[];
  trigger?: boolean;
  /** Of a group, or of all branches one after the other. */
  steps?: PublicStep[];
}

export function publicStructure({ jobs, resourceTypes }: Pipeline): PublicStructure {
  return {
    jobs: jobs.map(({ name, steps }) => ({ name, steps: steps.map(publicStep) })),
    resourceTypes: resourceTypes.map(({ name }) => ({ id: name, name })),
  };
}

function publicStep(step: Step): PublicStep {
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
