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

/** Where the work runs. */
export interface SecretPlace {
  /** Working directory of the steps: an absolute path. Absent: that of Pods. */
  workdir?: string;
  /** Address of the installation. Absent: it has none. */
  externalUrl?: string | undefined;
}

/** The plan of a build with placeholders in place of secrets, in which operations that name them say so. */
export function planForAgent(facts: AttemptFacts, place: SecretPlace = {}): Plan {
  const { bare, plan } = attemptToFill(facts, place);
  return markOperations(plan(facts), plan(bare));
}

/** The same for checks, hooks of versions, and notifications of builds. */
export function runForAgent(facts: CheckRunFacts, place: SecretPlace = {}): CheckRun {
  const { bare, plan } = runToFill(facts, place);
  return markOperations(plan(facts), plan(bare));
}

/** `unknown`: the work has no such operation. */
export type OperationFilled =
  | (SecretsResponse & { answer: 'filled' | 'run' })
  | { answer: 'unknown' }
  | Unavailable;

/** What the agent asks for. */
export interface WantedOperation {
  id: string;
  given: GivenSecrets;
}

export async function fillStep(
  facts: AttemptFacts,
  wanted: WantedOperation,
  secrets: TeamSecrets,
  place: SecretPlace = {},
): Promise<OperationFilled> {
  return await fillOperation(attemptToFill(facts, place), wanted, secrets);
}

export async function fillCheck(
  facts: CheckRunFacts,
  wanted: WantedOperation,
  secrets: TeamSecrets,
  place: SecretPlace = {},
): Promise<OperationFilled> {
  return await fillOperation(runToFill(facts, place), wanted, secrets);
}

function attemptToFill(facts: AttemptFacts, place: SecretPlace): ToFill<AttemptFacts, Plan> {
  const { inputs: _, ...withoutInputs } = facts;
  const bare = { ...withoutInputs, versions: facts.versions.map(() => ({})) };
  const { definition, job, versions } = facts;
  const why = whyWithoutSecrets(definition, job, versions);
  const part = partOfBuild(facts);
  if (why === undefined) return { facts, bare, plan: planAttempt(place), part };
  const empty = withoutSecrets(definition);
  return { facts, bare, plan: (known) => planWithoutSecrets(attemptOf(known, place), empty, why), part };
}

function runToFill(facts: CheckRunFacts, place: SecretPlace): ToFill<CheckRunFacts, CheckRun> {
  const { checks, hooks, notifications } = facts;
  const bare = {
    ...facts,
    ...(notifications && { notifications: withoutGivenText(notifications) }),
    checks: checks.map(({ scope, resource }) => ({ scope, resource })),
    ...(hooks && { hooks: { ...hooks, versions: hooks.versions.map(({ id }) => ({ id, fields: {} })) } }),
  };
  return { facts, bare, plan: planRunWith(facts, place), part: partOfRun(facts) };
}

const planAttempt =
  (place: SecretPlace) =>
  (facts: AttemptFacts): Plan =>
    planBuild(attemptOf(facts, place));

function attemptOf(facts: AttemptFacts, { workdir, externalUrl }: SecretPlace): BuildToPlan {
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

/** Versions and inputs come from outside. */
function withoutGivenText({ job, builds }: NotificationsToSend): NotificationsToSend {
  return {
    job,
    builds: builds.map((build) => ({ ...build, versions: build.versions.map(() => ({})), inputs: {} })),
  };
}

/** `bare`: the facts with placeholders of secrets. */
const planRunWith =
  (bare: CheckRunFacts, place: SecretPlace) =>
  (facts: CheckRunFacts): CheckRun =>
    planRun(facts, bare.definition, place);

function planRun(facts: CheckRunFacts, placeholders: Pipeline, { workdir }: SecretPlace): CheckRun {
  const { run, team, pipeline, definition, checks, hooks, notifications } = facts;
  const known = { run: String(run), team, name: pipeline, pipeline: definition };
  if (notifications !== undefined)
    return planNotificationRun({ ...known, ...notifications, empty: withoutSecrets(placeholders) });
  if (hooks !== undefined) {
    const versions = hooks.versions.map(({ id, fields }) => ({ id: String(id), fields }));
    return planHooks({ ...known, ...hooks, versions });
  }
  return planChecks({
    ...known,
    ...defined({ caches: facts.caches, workdir }),
    checks: checks.map(({ scope, ...check }) => ({ ...check, scope: String(scope) })),
  });
}

interface ToFill<F, W> {
  facts: F;
  /** The same facts without text from outside: fields of versions, values of inputs. */
  bare: F;
  plan: (facts: F) => W;
  /** The part of the definition that the plan uses. */
  part: Pipeline;
}

function partOfBuild({ definition, job }: AttemptFacts): Pipeline {
  const jobs = definition.jobs.filter(({ name }) => name === job);
  const actions = jobs.flatMap((one) => [...actionsOf(one.steps), ...hookActionsOf(one)]);
  const taken = new Set(actions.flatMap((action) => ('resource' in action ? [action.resource] : [])));
  return { ...definition, jobs, resources: definition.resources.filter(({ name }) => taken.has(name)) };
}

/** Hooks may be those of any job that a version can reach, so they need the whole definition. */
function partOfRun({ definition, checks, hooks, notifications }: CheckRunFacts): Pipeline {
  if (hooks !== undefined || notifications !== undefined) return definition;
  const checked = new Set(checks.map(({ resource }) => resource));
  return { ...definition, jobs: [], resources: definition.resources.filter(({ name }) => checked.has(name)) };
}

/**
 * Reads the secrets that one operation names, and plans it with them. Their placeholders in the definition are
 * replaced before versions and inputs are added. Both come from outside: text in them that looks like a
 * placeholder must not read a Secret. The replacement works on JSON text, with each value JSON-encoded, of the
 * part of the definition that the plan uses.
 */
async function fillOperation<F extends SecretOwner & { definition: Pipeline }, W extends Plan | CheckRun>(
  { facts, bare, plan, part }: ToFill<F, W>,
  { id, given }: WantedOperation,
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
  const valueOf = (name: string): string | undefined => inJson(values.get(name));
  const text = fillSecretPlaceholders(JSON.stringify(part), valueOf, MAX_FILLED_CHARACTERS);
  if (text === undefined)
    return { answer: 'filled', operation: refused(withPlaceholders, TOO_LONG_OPERATION), masks: [] };
  const definition: Pipeline = JSON.parse(text);
  const operation = findOperation(plan({ ...facts, definition }), id);
  if (operation === undefined) return { answer: 'unknown' };
  const refusal = missing.size === 0 ? undefined : [...missing.values()].join(' ');
  const masks = [...values].flatMap(([name, value]) => (plain?.has(name) === true ? [] : value));
  return { answer: 'filled', operation: refused(operation, refusal), masks: [...new Set(masks)] };
}

function refused(operation: Operation, refusal: string | undefined): Operation {
  return { ...operation, hooks: undefined, ...defined({ refusal }) };
}

function inJson(value: string | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value).slice(1, -1);
}
