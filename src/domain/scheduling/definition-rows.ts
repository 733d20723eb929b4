import type { Approval, GetStep, Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';
import { getsOf } from '#domain/pipeline/steps.ts';
import { takesEvery } from '#domain/pipeline/takes-every.ts';
import { canonicalText, scopeKeyOf, tellScopeChange } from './check-scope.ts';
import type { CronNext } from './next-check.ts';
import { reachableHooks } from './reachable-hooks.ts';
import { resourceTimers, type ResourceTimer, type TimersToSave } from './resource-timers.ts';
import type { Gate } from './vote.ts';

/** A definition as it is stored beside its text: what the scheduler and the checks look at. */
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
  /** Its versions are puts of the team's pipelines. */
  stream: boolean;
  /** A new version fires hooks. */
  hooks: boolean;
}

/** Which history a resource has: equal keys, equal history. */
export interface HistoryKey {
  resource: string;
  key: string;
  /** By the definition before. */
  formerKey: string;
  /** What changed, in a few words, should it have another history. */
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
}

export interface GetRow {
  job: string;
  position: number;
  /** Which get of its resource it is in the job. */
  nth: number;
  name: string;
  resource: string;
  trigger: boolean;
  every: boolean;
  passed: string[];
}

/** `before`: of the revision before, whether the pipeline was there or not, with today's names. */
export function definitionRows(
  saving: TimersToSave & { before: Pipeline | undefined },
  cronNext: CronNext,
): DefinitionRows {
  const { definition, before } = saving;
  return {
    resources: resourceRows(definition),
    histories: historyKeys(before, definition),
    timers: resourceTimers(saving, cronNext),
    jobs: definition.jobs.map(jobRow),
    gets: definition.jobs.flatMap(getRows),
  };
}

function resourceRows(definition: Pipeline): ResourceRow[] {
  const types = new Map(definition.resourceTypes.map((type) => [type.name, type]));
  return definition.resources.map(({ name, type }) => {
    const known = types.get(type);
    if (known === undefined) throw new Error(`Resource ${name} has no type in its own definition.`);
    const hooks = reachableHooks(definition, name).length > 0;
    return { name, type, stream: isTriggerStream(known), hooks };
  });
}

function historyKeys(before: Pipeline | undefined, definition: Pipeline): HistoryKey[] {
  return definition.resources.flatMap(({ name }) => {
    const after = scopeKeyOf(definition, name);
    if (after === undefined) return [];
    const old = scopeKeyOf(before, name);
    const change = old === undefined ? 'it was defined otherwise before' : tellScopeChange(old, after);
    return [
      {
        resource: name,
        key: canonicalText(after),
        formerKey: canonicalText(old ?? after),
        change: `${name}: another history (${change})`,
      },
    ];
  });
}

function jobRow(job: Job, position: number): JobRow {
  const { name, concurrency, serialGroups = [], approval } = job;
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
  };
}

function gateOf({ approvals, timeoutSeconds, notByTrigger }: Approval): Gate {
  return {
    approvals,
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(notByTrigger === undefined ? {} : { notByTrigger }),
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
