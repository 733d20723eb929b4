import type { InputValues } from '#domain/pipeline/input-values.ts';
import type { VersionSet } from './automatic-sets.ts';
import type { ChosenSet } from './choose-set.ts';
import type { Decision } from './decision.ts';
import type { BuildRequest, Facts, JobFacts } from './facts.ts';
import { whyQueueFull } from './queue-limits.ts';
import type { Reason } from './reasons.ts';
import type { Snapshot } from './snapshot.ts';
import { blockersOf, whyNotVersion } from './why-no-build.ts';
import { whyNotChecked } from './why-not-checked.ts';
import { inputsOfRequest } from './why-not-inputs.ts';

interface RequestContext {
  facts: Facts;
  snapshot: Snapshot;
  /** Builds of the pipeline that have not started. */
  queued: number;
}

/** What requests of people lead to. A request that still waits is in neither list. */
export interface RequestedSets {
  sets: VersionSet[];
  refused: Decision['refused'];
}

/**
 * A set for each request of a person, the oldest request first, or the reasons why not. A request waits while
 * the checks that it requested are running, unless it is refused whatever they find. Cascaded requests are
 * left out (see `cascadedSets`).
 */
export function requestedSets(job: JobFacts, choice: ChosenSet, context: RequestContext): RequestedSets {
  const answers: RequestedSets = { sets: [], refused: [] };
  const blockers = blockersOf(job, { paused: context.facts.paused });
  for (const request of job.requests.toSorted((a, b) => a.id - b.id)) {
    if (request.after !== undefined) continue;
    const inputs = inputsOfRequest(job, request);
    const blockingReasons = [
      ...('reasons' in inputs ? inputs.reasons : []),
      ...blockers,
      ...whyQueueFull(context.queued + answers.sets.length),
    ];
    if (request.checking === true && blockingReasons.length === 0) continue;
    const requestedVersions = versionsOfRequest(job, request);
    const reasons = [
      ...blockingReasons,
      ...whyNotVersion(job, request, { takers: requestedVersions.size, snapshot: context.snapshot }),
      ...choice.missing.filter(({ get }) => !requestedVersions.has(get)).map(({ reason }) => reason),
    ];
    if (reasons.length > 0 || !('values' in inputs)) answers.refused.push(refusalOf(request, reasons));
    else answers.sets.push({ ...setFor(request, choice, requestedVersions), ...valuesOf(job, inputs) });
  }
  return answers;
}

/**
 * The requested version by the position of its get: every get of the resource without `passed` takes the
 * version, whatever is pinned.
 */
function versionsOfRequest({ gets }: JobFacts, { version: requested }: BuildRequest): Map<number, number> {
  if (requested === undefined) return new Map();
  return new Map(
    gets.flatMap((get, position): [number, number][] =>
      get.resource === requested.resource && get.passed.length === 0 ? [[position, requested.version]] : [],
    ),
  );
}

function setFor(
  { id, by, checks = [] }: BuildRequest,
  choice: ChosenSet,
  requestedVersions: ReadonlyMap<number, number>,
): VersionSet {
  return {
    versions: choice.versions.flatMap(
      (version, position) => requestedVersions.get(position) ?? version ?? [],
    ),
    cause: { kind: 'manual', request: id, by, ...(checks.length > 0 && { checks }) },
  };
}

function valuesOf(
  { inputs = [] }: JobFacts,
  { values }: { values: InputValues },
): Pick<VersionSet, 'inputs'> {
  return inputs.length === 0 ? {} : { inputs: values };
}

function refusalOf(
  { id, checking, checks = [] }: BuildRequest,
  reasons: Reason[],
): Decision['refused'][number] {
  const unchecked = checking === true ? [] : whyNotChecked(checks);
  return { request: id, reasons: [...reasons, ...unchecked] };
}
