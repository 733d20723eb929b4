import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { replaceSecretPlaceholders } from '#domain/pipeline/secret-placeholder.ts';
import { resourceOf, stepsToRun, typeOf } from './containers.ts';
import { planBuild, type BuildToPlan } from './plan-build.ts';
import type { Plan } from './plan.ts';

type Versions = readonly Readonly<Record<string, string>>[];

/**
 * Why a build of these versions gets no secrets; undefined when it gets them. Whoever can open a request from
 * a fork writes what the build runs, so a version marked `fork` takes the secrets away, unless its resource
 * says `fork_secrets = true`.
 */
export function whyWithoutSecrets(pipeline: Pipeline, job: string, versions: Versions): string | undefined {
  const gets = stepsToRun(pipeline, job).filter((step) => step.kind === 'get');
  const fork = gets.find(
    ({ resource }, index) =>
      versions[index]?.['fork'] === 'true' &&
      resourceOf(pipeline, resource).params['fork_secrets'] !== 'true',
  );
  if (fork === undefined) return undefined;
  return `${fork.resource} has a request from a fork: steps get empty texts for secrets, but for gets of built-in types. With fork_secrets = true in the resource they get the secrets.`;
}

/** The definition with nothing in the place of secrets. */
export function withoutSecrets(pipeline: Pipeline): Pipeline {
  const empty: Pipeline = JSON.parse(replaceSecretPlaceholders(JSON.stringify(pipeline), () => ''));
  return empty;
}

/**
 * The plan of a build that gets no secrets. `empty` is the definition without them; of `pipeline` come only
 * the gets of built-in types, which run scripts of ours and nothing of what they bring.
 */
export function planWithoutSecrets(
  { build, pipeline, versions }: BuildToPlan,
  empty: Pipeline,
  notice: string,
): Plan {
  const whole = planBuild({ build, pipeline, versions });
  const bare = planBuild({ build, pipeline: empty, versions });
  const steps = bare.steps.map((step, index) =>
    isOurs(pipeline, step.resource, step.kind) ? (whole.steps[index] ?? step) : step,
  );
  return { ...bare, steps, notice };
}

function isOurs(pipeline: Pipeline, resource: string | undefined, kind: string): boolean {
  if (kind !== 'get' || resource === undefined) return false;
  const type = typeOf(pipeline, resource);
  return type.builtIn && type.pull?.runner === 'shell';
}
