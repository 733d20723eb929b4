import { findSecretNames, replaceSecretPlaceholders } from '#domain/pipeline/secret-placeholder.ts';
import { planBuild } from '#domain/planning/plan-build.ts';
import { planChecks } from '#domain/planning/plan-checks.ts';
import type { CheckRun, Plan } from '#domain/planning/plan.ts';
import type { AttemptFacts, CheckRunFacts } from '#flows/ports.ts';
import type { TeamSecrets } from './team-secrets.ts';

/** A plan with its secrets in place, or a sentence for each that has no value. */
export type Filled<T> = { work: T; missing?: undefined } | { work?: undefined; missing: string[] };

export function planOf(facts: AttemptFacts): Plan {
  const { id, team, pipeline, job, number, attempt, definition, versions } = facts;
  const build = { id: String(id), team, pipeline, job, number, attempt };
  return planBuild({ build, pipeline: definition, versions });
}

export function checkRunOf(facts: CheckRunFacts): CheckRun {
  const { run, team, pipeline, definition, checks } = facts;
  return planChecks({
    run: String(run),
    team,
    name: pipeline,
    pipeline: definition,
    checks: checks.map(({ scope, ...check }) => ({ ...check, scope: String(scope) })),
  });
}

/**
 * Puts values for placeholders, wherever they stand. Placeholders are words, so they are found and replaced in the plan's JSON, with
 * the value written as JSON writes it.
 */
export async function fillSecrets<T extends { secrets: string[] }>(
  work: T,
  namespace: string,
  secrets: TeamSecrets,
): Promise<Filled<T>> {
  const text = JSON.stringify(work);
  const names = findSecretNames(text);
  if (names.length === 0) return { work };
  const { values, missing } = await secrets.read(namespace, names);
  if (missing.length > 0) return { missing };
  const filled: T = JSON.parse(replaceSecretPlaceholders(text, (name) => inJson(values.get(name))));
  return { work: { ...filled, secrets: [...new Set([...work.secrets, ...values.values()])] } };
}

function inJson(value: string | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value).slice(1, -1);
}
