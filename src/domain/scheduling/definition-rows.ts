import { defined } from '#defined';
import type { Approval, Input, Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';
import { getsOf, type GetStep } from '#domain/pipeline/steps.ts';
import { takesEvery } from '#domain/pipeline/takes-every.ts';
import { canonicalText, describeScopeChange, scopeKeyOf } from './check-scope.ts';
import type { CronNext } from './next-check.ts';
import { reachableHooks } from './reachable-hooks.ts';
import { resourceTimers, type ResourceTimer, type TimersToSave } from './resource-timers.ts';
import type { Gate } from './vote.ts';

/** What the database stores about a definition besides its text, for the scheduler and the checks. */
export interface DefinitionRows {
  resources: ResourceRow[];
  histories: HistoryKey[];
  timers: ResourceTimer[];
  jobs: JobRow[];
  gets: GetRow[];
}

export interface ResourceRow {
  name: string;
  type: string;
  /** Versions of the resource come from puts of the team's pipelines and from people, not from checks. */
  stream: boolean;
  /** A new version runs `on_trigger` hooks. */
  hooks: boolean;
}

/** Identifies the history of a resource. Equal keys mean the same history. */
export interface HistoryKey {
  resource: string;
  key: string;
  /** The key in the previous revision. Equal to `key` if that revision lacks the resource. */
  formerKey: string;
  /** A short description of the change, if the history is another one. */
  change: string;
}

interface JobRow {
  name: string;
  position: number;
  concurrency: number | null;
  serialGroups: string[];
  interruptible: boolean;
  supersede: boolean;
  allowFailure: boolean;
  disableRetry: boolean;
  approval: Gate | null;
  inputs: Input[];
}

export interface GetRow {
  job: string;
  position: number;
  /** Index of the get among the gets of the same resource in the job, from 0. */
  nth: number;
  name: string;
  resource: string;
  trigger: boolean;
  every: boolean;
  passed: string[];
}

/** `before`: the previous revision with the current names, even if the pipeline was deleted since. */
export function definitionRows(
  toSave: TimersToSave & { before: Pipeline | undefined },
  cronNext: CronNext,
): DefinitionRows {
  const { definition, before } = toSave;
  return {
    resources: resourceRows(definition),
    histories: historyKeys(before, definition),
    timers: resourceTimers(toSave, cronNext),
    jobs: definition.jobs.map(jobRow),
    gets: definition.jobs.flatMap(getRows),
  };
}

function resourceRows(definition: Pipeline): ResourceRow[] {
  const types = new Map(definition.resourceTypes.map((type) => [type.name, type]));
  return definition.resources.map(({ name, type }) => {
    const resourceType = types.get(type);
    if (resourceType === undefined) throw new Error(`Resource ${name} has no type in its own definition.`);
    const hooks = reachableHooks(definition, name).length > 0;
    return { name, type, stream: isTriggerStream(resourceType), hooks };
  });
}

function historyKeys(before: Pipeline | undefined, definition: Pipeline): HistoryKey[] {
  return definition.resources.flatMap(({ name }) => {
    const scope = scopeKeyOf(definition, name);
    if (scope === undefined) return [];
    const formerScope = scopeKeyOf(before, name);
    const change =
      formerScope === undefined ? 'it was defined otherwise before' : describeScopeChange(formerScope, scope);
    return [
      {
        resource: name,
        key: canonicalText(scope),
        formerKey: canonicalText(formerScope ?? scope),
        change: `${name}: another history (${change})`,
      },
    ];
  });
}

function jobRow(job: Job, position: number): JobRow {
  const { name, concurrency, serialGroups = [], approval, inputs = [] } = job;
  const { interruptible = false, supersede = true, allowFailure = false, disableRetry = false } = job;
  return {
    name,
    position,
    concurrency: concurrency ?? null,
    serialGroups,
    interruptible,
    supersede,
    allowFailure,
    disableRetry,
    approval: approval === undefined ? null : gateOf(approval),
    inputs,
  };
}

function gateOf({ approvals, timeoutSeconds, notByTrigger }: Approval): Gate {
  return {
    approvals,
    ...defined({ timeoutSeconds, notByTrigger }),
  };
}

function getRows(job: Job): GetRow[] {
  const counts = new Map<string, number>();
  return getsOf(job.steps).map((get: GetStep, position) => {
    const nth = counts.get(get.resource) ?? 0;
    counts.set(get.resource, nth + 1);
    const { name, resource, trigger, passed } = get;
    return { job: job.name, position, nth, name, resource, trigger, every: takesEvery(get), passed };
  });
}
