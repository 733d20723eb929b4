import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { replaceSecretPlaceholders } from '#domain/pipeline/secret-placeholder.ts';
import { resourceIn, resourceTypeIn, stepsToRun } from './containers.ts';
import { planBuild, type BuildToPlan } from './plan-build.ts';
import type { Plan } from './plan.ts';

type Versions = readonly Readonly<Record<string, string>>[];

/**
 * Why a build of these versions gets no secrets. Undefined: it gets them. Anyone who opens a pull request
 * from a fork decides what the build runs, so a version with `fork` gets no secrets unless its resource has
 * `fork_secrets = true`.
 */
export function whyWithoutSecrets(pipeline: Pipeline, job: string, versions: Versions): string | undefined {
  const gets = stepsToRun(pipeline, job).filter((step) => step.kind === 'get');
  const fork = gets.find(
    ({ resource }, index) =>
      versions[index]?.['fork'] === 'true' &&
      resourceIn(pipeline, resource).params['fork_secrets'] !== 'true',
  );
  if (fork === undefined) return undefined;
  return (
    `${fork.resource} has a pull request from a fork, so steps get empty strings for secrets, ` +
    'except gets of built-in types. Set fork_secrets = true in the resource to pass the secrets.'
  );
}

/** The definition with empty strings in place of secrets. */
export function withoutSecrets(pipeline: Pipeline): Pipeline {
  const empty: Pipeline = JSON.parse(replaceSecretPlaceholders(JSON.stringify(pipeline), () => ''));
  return empty;
}

/**
 * The plan of a build that gets no secrets. `empty` is the definition without secrets. Only gets of built-in
 * types keep theirs: they run scripts of Millrace, and nothing of what they fetch.
 */
export function planWithoutSecrets(
  { build, pipeline, versions }: BuildToPlan,
  empty: Pipeline,
  notice: string,
): Plan {
  const whole = planBuild({ build, pipeline, versions });
  const bare = planBuild({ build, pipeline: empty, versions });
  const steps = bare.steps.map((step, index) =>
    isBuiltInGet(pipeline, step.resource, step.kind) ? (whole.steps[index] ?? step) : step,
  );
  return { ...bare, steps, notice };
}

function isBuiltInGet(pipeline: Pipeline, resource: string | undefined, kind: string): boolean {
  if (kind !== 'get' || resource === undefined) return false;
  const type = resourceTypeIn(pipeline, resource);
  return type.builtIn && type.pull?.runner === 'shell';
}
