import { defined } from '#defined';
import type { SecretsResponse } from '#domain/build/agent-protocol.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { fillSecretPlaceholders } from '#domain/pipeline/secret-placeholder.ts';
import { actionsOf, hookActionsOf } from '#domain/pipeline/steps.ts';
import { findOperation, markOperations, secretNamesOf, type Operation } from '#domain/planning/operations.ts';
import { planBuild, type BuildToPlan } from '#domain/planning/plan-build.ts';
import { planChecks } from '#domain/planning/plan-checks.ts';
import { planHooks } from '#domain/planning/plan-hooks.ts';
import { planNotificationRun, type NotificationsToSend } from '#domain/planning/plan-notifications.ts';
import { planSecretGets } from '#domain/planning/plan-secret-gets.ts';
import type { CheckRun, Plan } from '#domain/planning/plan.ts';
import { MAX_FILLED_CHARACTERS, TOO_LONG_OPERATION } from '#domain/planning/secret-limits.ts';
import { planWithoutSecrets, whyWithoutSecrets, withoutSecrets } from '#domain/planning/withhold-secrets.ts';
import type { CheckRunFacts } from '#flows/pods/workloads.ts';
import type { AttemptFacts } from './ports.ts';
import { lookUpSecrets, type GivenSecrets } from './read-secrets.ts';
import type { SecretOwner, TeamSecrets, Unavailable } from './session-ports.ts';

/** Facts about the Pods and the installation that plans contain. */
export interface RunLocation {
  /** Working directory of the steps: an absolute path. Absent: that of Pods. */
  workdir?: string;
  /** Address of the installation. Absent: the installation has none. */
  externalUrl?: string | undefined;
}

/**
 * The plan of a build with placeholders in place of secrets. Operations with placeholders have
 * `needsSecrets`.
 */
export function planForAgent(facts: AttemptFacts, location: RunLocation = {}): Plan {
  const { bare, plan } = attemptToFill(facts, location);
  return markOperations(plan(facts), plan(bare));
}

/** As `planForAgent`, for checks, hooks of versions, and notifications of builds. */
export function runForAgent(facts: CheckRunFacts, location: RunLocation = {}): CheckRun {
  const { bare, plan } = runToFill(facts, location);
  return markOperations(plan(facts), plan(bare));
}

/** `run`: the agent first runs gets of secret types. `unknown`: the work has no such operation. */
export type OperationFilled =
  | (SecretsResponse & { answer: 'filled' | 'run' })
  | { answer: 'unknown' }
  | Unavailable;

/** The operation that the agent asks for. */
export interface OperationRequest {
  id: string;
  /** Values that the agent got by running the gets of secret types. */
  given: GivenSecrets;
}

export async function fillStep(
  facts: AttemptFacts,
  request: OperationRequest,
  secrets: TeamSecrets,
  location: RunLocation = {},
): Promise<OperationFilled> {
  return await fillOperation(attemptToFill(facts, location), request, secrets);
}

export async function fillCheck(
  facts: CheckRunFacts,
  request: OperationRequest,
  secrets: TeamSecrets,
  location: RunLocation = {},
): Promise<OperationFilled> {
  return await fillOperation(runToFill(facts, location), request, secrets);
}

/** Work to plan, first with placeholders and then with the secrets of one operation. */
interface ToFill<Facts, PlannedWork> {
  facts: Facts;
  /** The same facts without text from outside: fields of versions, values of inputs. */
  bare: Facts;
  plan: (facts: Facts) => PlannedWork;
  /** The part of the definition that the plan uses. */
  usedDefinition: Pipeline;
}

function attemptToFill(facts: AttemptFacts, location: RunLocation): ToFill<AttemptFacts, Plan> {
  const { inputs: _, ...withoutInputs } = facts;
  const bare = { ...withoutInputs, versions: facts.versions.map(() => ({})) };
  const { definition, job, versions } = facts;
  const whyWithheld = whyWithoutSecrets(definition, job, versions);
  const plan = (factsToPlan: AttemptFacts): Plan => {
    const build = buildToPlan(factsToPlan, location);
    if (whyWithheld === undefined) return planBuild(build);
    return planWithoutSecrets(build, withoutSecrets(definition), whyWithheld);
  };
  return { facts, bare, plan, usedDefinition: definitionForBuild(facts) };
}

function runToFill(facts: CheckRunFacts, location: RunLocation): ToFill<CheckRunFacts, CheckRun> {
  const { checks, hooks, notifications } = facts;
  const bareHooks = hooks && { ...hooks, versions: hooks.versions.map(({ id }) => ({ id, fields: {} })) };
  const bareNotifications = notifications && withoutOutsideText(notifications);
  const bare = {
    ...facts,
    checks: checks.map(({ scope, resource }) => ({ scope, resource })),
    ...defined({ hooks: bareHooks, notifications: bareNotifications }),
  };
  const plan = (factsToPlan: CheckRunFacts): CheckRun => planRun(factsToPlan, facts.definition, location);
  return { facts, bare, plan, usedDefinition: definitionForRun(facts) };
}

function buildToPlan(facts: AttemptFacts, { workdir, externalUrl }: RunLocation): BuildToPlan {
  const { id, team, pipeline, job, number, attempt, definition, versions } = facts;
  const { inputs, previousOutcome, defaultTimeoutSeconds, caches } = facts;
  const build = { id: String(id), team, pipeline, job, number, attempt };
  return {
    build,
    pipeline: definition,
    versions,
    ...defined({ inputs, previousOutcome, defaultTimeoutSeconds, caches, workdir, externalUrl }),
  };
}

/** Leaves out versions and inputs, whose text comes from outside. */
function withoutOutsideText({ job, builds }: NotificationsToSend): NotificationsToSend {
  return {
    job,
    builds: builds.map((build) => ({ ...build, versions: build.versions.map(() => ({})), inputs: {} })),
  };
}

/** `unfilled`: the definition with placeholders. In `facts.definition`, secrets may be filled in. */
function planRun(facts: CheckRunFacts, unfilled: Pipeline, { workdir }: RunLocation): CheckRun {
  const { run, team, pipeline, definition, checks, hooks, notifications } = facts;
  const common = { run: String(run), team, name: pipeline, pipeline: definition };
  if (notifications !== undefined)
    return planNotificationRun({ ...common, ...notifications, empty: withoutSecrets(unfilled) });
  if (hooks !== undefined) {
    const versions = hooks.versions.map(({ id, fields }) => ({ id: String(id), fields }));
    return planHooks({ ...common, ...hooks, versions });
  }
  return planChecks({
    ...common,
    ...defined({ caches: facts.caches, workdir }),
    checks: checks.map(({ scope, ...check }) => ({ ...check, scope: String(scope) })),
  });
}

function definitionForBuild({ definition, job }: AttemptFacts): Pipeline {
  const jobs = definition.jobs.filter(({ name }) => name === job);
  const actions = jobs.flatMap((planned) => [...actionsOf(planned.steps), ...hookActionsOf(planned)]);
  const used = new Set(actions.flatMap((action) => ('resource' in action ? [action.resource] : [])));
  return { ...definition, jobs, resources: definition.resources.filter(({ name }) => used.has(name)) };
}

/**
 * Hooks and notifications need the whole definition: a version can reach the hooks of any job, and a job can
 * send any notification.
 */
function definitionForRun({ definition, checks, hooks, notifications }: CheckRunFacts): Pipeline {
  if (hooks !== undefined || notifications !== undefined) return definition;
  const checked = new Set(checks.map(({ resource }) => resource));
  return { ...definition, jobs: [], resources: definition.resources.filter(({ name }) => checked.has(name)) };
}

/**
 * Reads the secrets that one operation names, and plans the operation with them. The placeholders are
 * replaced in the JSON text of the definition, which contains no versions and no inputs: their text comes
 * from outside, and text that looks like a placeholder must not read a secret.
 */
async function fillOperation<
  Facts extends SecretOwner & { definition: Pipeline },
  PlannedWork extends Plan | CheckRun,
>(
  { facts, bare, plan, usedDefinition }: ToFill<Facts, PlannedWork>,
  { id, given }: OperationRequest,
  secrets: TeamSecrets,
): Promise<OperationFilled> {
  const barePlan = plan(bare);
  const withPlaceholders = findOperation(barePlan, id);
  if (withPlaceholders === undefined) return { answer: 'unknown' };
  const read = await lookUpSecrets(secretNamesOf(withPlaceholders), { ...facts, given }, secrets);
  if (read.answer === 'run') {
    const gets = planSecretGets(read.lookups, barePlan.containers);
    return { answer: 'run', gets, masks: [...read.known] };
  }
  if (read.answer !== 'read') return read;
  const { values, plain, missing = new Map<string, string>() } = read;
  const valueOf = (name: string): string | undefined => encodedForJson(values.get(name));
  const text = fillSecretPlaceholders(JSON.stringify(usedDefinition), valueOf, MAX_FILLED_CHARACTERS);
  if (text === undefined)
    return { answer: 'filled', operation: withRefusal(withPlaceholders, TOO_LONG_OPERATION), masks: [] };
  const definition: Pipeline = JSON.parse(text);
  const operation = findOperation(plan({ ...facts, definition }), id);
  if (operation === undefined) return { answer: 'unknown' };
  const refusal = missing.size === 0 ? undefined : [...missing.values()].join(' ');
  const masks = [...values].flatMap(([name, value]) => (plain?.has(name) === true ? [] : value));
  return { answer: 'filled', operation: withRefusal(operation, refusal), masks: [...new Set(masks)] };
}

/** Adds the refusal, if there is one. Drops the hooks, because each is an operation of its own. */
function withRefusal(operation: Operation, refusal: string | undefined): Operation {
  return { ...operation, hooks: undefined, ...defined({ refusal }) };
}

function encodedForJson(value: string | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value).slice(1, -1);
}
