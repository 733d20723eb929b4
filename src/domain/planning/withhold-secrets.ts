import { defined } from '#defined';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { replaceSecretPlaceholders } from '#domain/pipeline/secret-placeholder.ts';
import { getsOf } from '#domain/pipeline/steps.ts';
import { jobIn, resourceIn, resourceTypeIn } from './find-in-pipeline.ts';
import { planBuild, type BuildToPlan } from './plan-build.ts';
import { replaceSteps, stepsIn } from './plan-tree.ts';
import type { Plan, PlanStep } from './plan.ts';

type Versions = readonly Readonly<Record<string, string>>[];

/**
 * Why a build of these versions gets no secrets and no identity tokens. Undefined: it gets them. Anyone who
 * opens a pull request from a fork decides what the build runs, so a version with `fork` gets no secrets
 * unless its resource has `fork_secrets = true`.
 */
export function whyWithoutSecrets(pipeline: Pipeline, job: string, versions: Versions): string | undefined {
  const { steps, identity } = jobIn(pipeline, job);
  const fork = getsOf(steps).find(
    ({ resource }, index) =>
      versions[index]?.['fork'] === 'true' &&
      resourceIn(pipeline, resource).params['fork_secrets'] !== 'true',
  );
  if (fork === undefined) return undefined;
  return (
    `${fork.resource} has a pull request from a fork, so steps get ` +
    `${identity === undefined ? '' : 'no identity token, and '}empty strings for secrets, ` +
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
 * types keep their secrets: they run scripts of Millrace, and none of the code that they fetch. If the
 * pipeline replaces the runner of these scripts, no get keeps any.
 */
export function planWithoutSecrets(
  { pipeline, ...toPlan }: BuildToPlan,
  empty: Pipeline,
  notice: string,
): Plan {
  const { steps: stepsWithSecrets, containers } = planBuild({ ...toPlan, pipeline });
  const withSecretsById = new Map(stepsIn(stepsWithSecrets).map((step) => [step.id, step]));
  const { identity: _, ...planOfEmpty } = planBuild({ ...toPlan, pipeline: empty });
  const steps = replaceSteps(planOfEmpty.steps, (step) =>
    isBuiltInGet(pipeline, step) ? { ...step, ...fieldsWithSecrets(withSecretsById.get(step.id)) } : step,
  );
  const notices = [notice, ...(planOfEmpty.notice === undefined ? [] : [planOfEmpty.notice])].join(' ');
  // The containers of a Pod do not depend on the versions of its build (`podContainersOf`), so they are those
  // of a plan with secrets.
  return { ...planOfEmpty, containers, steps, notice: notices };
}

/** The fields of a get that may hold secrets. Its hooks are left out: they run commands of the pipeline. */
const fieldsWithSecrets = (step: PlanStep | undefined): Partial<PlanStep> =>
  step ? { env: step.env, ...defined({ command: step.command }) } : {};

function isBuiltInGet(pipeline: Pipeline, { kind, resource }: PlanStep): boolean {
  if (kind !== 'get' || resource === undefined) return false;
  const type = resourceTypeIn(pipeline, resource);
  return type.builtIn && type.pull?.runner === 'shell';
}
