import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { findSecretNames, replaceSecretPlaceholders } from '#domain/pipeline/secret-placeholder.ts';
import { planBuild, type BuildToPlan } from '#domain/planning/plan-build.ts';
import { planChecks } from '#domain/planning/plan-checks.ts';
import { planHooks } from '#domain/planning/plan-hooks.ts';
import type { CheckRun, Plan } from '#domain/planning/plan.ts';
import { planWithoutSecrets, whyWithoutSecrets, withoutSecrets } from '#domain/planning/withhold-secrets.ts';
import type { CheckRunFacts } from '#flows/pods/workloads.ts';
import type { AttemptFacts } from './ports.ts';
import type { SecretsAnswer, TeamSecrets } from './session-ports.ts';

/** Work with its secrets filled in, or why that failed. */
export type Filled<T> = { answer: 'filled'; work: T } | Exclude<SecretsAnswer, { answer: 'read' }>;

export async function planWithSecrets(facts: AttemptFacts, secrets: TeamSecrets): Promise<Filled<Plan>> {
  const bare = { ...facts, versions: facts.versions.map(() => ({})) };
  const { definition, job, versions } = facts;
  const why = whyWithoutSecrets(definition, job, versions);
  const part = partOfBuild(facts);
  if (why === undefined) return await fillSecrets({ facts, bare, plan: planAttempt, part }, secrets);
  const empty = withoutSecrets(definition);
  const plan = (known: AttemptFacts): Plan => planWithoutSecrets(attemptOf(known), empty, why);
  return await fillSecrets({ facts, bare, plan, part }, secrets);
}

export async function checkRunWithSecrets(
  facts: CheckRunFacts,
  secrets: TeamSecrets,
): Promise<Filled<CheckRun>> {
  const { checks, hooks } = facts;
  const bare = {
    ...facts,
    checks: checks.map(({ scope, resource }) => ({ scope, resource })),
    ...(hooks && { hooks: { ...hooks, versions: hooks.versions.map(({ id }) => ({ id, fields: {} })) } }),
  };
  return await fillSecrets({ facts, bare, plan: planRun, part: partOfRun(facts) }, secrets);
}

const planAttempt = (facts: AttemptFacts): Plan => planBuild(attemptOf(facts));

function attemptOf(facts: AttemptFacts): BuildToPlan {
  const { id, team, pipeline, job, number, attempt, definition, versions } = facts;
  const build = { id: String(id), team, pipeline, job, number, attempt };
  return { build, pipeline: definition, versions };
}

function planRun(facts: CheckRunFacts): CheckRun {
  const { run, team, pipeline, definition, checks, hooks } = facts;
  const known = { run: String(run), team, name: pipeline, pipeline: definition };
  if (hooks !== undefined) {
    const versions = hooks.versions.map(({ id, fields }) => ({ id: String(id), fields }));
    return planHooks({ ...known, ...hooks, versions });
  }
  return planChecks({
    ...known,
    checks: checks.map(({ scope, ...check }) => ({ ...check, scope: String(scope) })),
  });
}

interface ToFill<F, W> {
  facts: F;
  /** The same facts without fields of versions. */
  bare: F;
  plan: (facts: F) => W;
  /** The part of the definition that the plan uses. */
  part: Pipeline;
}

function partOfBuild({ definition, job }: AttemptFacts): Pipeline {
  const jobs = definition.jobs.filter(({ name }) => name === job);
  const taken = new Set(jobs.flatMap(({ steps }) => steps.flatMap((step) => resourcesIn(step))));
  return { ...definition, jobs, resources: definition.resources.filter(({ name }) => taken.has(name)) };
}

function resourcesIn(step: Pipeline['jobs'][number]['steps'][number]): string[] {
  return 'resource' in step ? [step.resource] : [];
}

/** Hooks may be those of any job that a version can reach, so they need the whole definition. */
function partOfRun({ definition, checks, hooks }: CheckRunFacts): Pipeline {
  if (hooks !== undefined) return definition;
  const checked = new Set(checks.map(({ resource }) => resource));
  return { ...definition, jobs: [], resources: definition.resources.filter(({ name }) => checked.has(name)) };
}

/**
 * Replaces placeholders of secrets in the definition before versions are added. Version fields come from
 * outside: text in them that looks like a placeholder must not read a Secret. Only the part of the definition
 * that the plan uses is searched. The replacement works on JSON text, with each value JSON-encoded.
 */
async function fillSecrets<
  F extends { namespace: string; definition: Pipeline },
  W extends { secrets: string[] },
>({ facts, bare, plan, part }: ToFill<F, W>, secrets: TeamSecrets): Promise<Filled<W>> {
  const names = findSecretNames(JSON.stringify(plan(bare)));
  if (names.length === 0) return { answer: 'filled', work: plan(facts) };
  const read = await secrets.read(facts.namespace, names);
  if (read.answer !== 'read') return read;
  const { values } = read;
  const text = JSON.stringify(part);
  const definition: Pipeline = JSON.parse(
    replaceSecretPlaceholders(text, (name) => inJson(values.get(name))),
  );
  const work = plan({ ...facts, definition });
  return {
    answer: 'filled',
    work: { ...work, secrets: [...new Set([...work.secrets, ...values.values()])] },
  };
}

function inJson(value: string | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value).slice(1, -1);
}
