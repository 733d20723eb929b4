import { defined } from '#defined';
import { isGood } from '#domain/scheduling/build-changes.ts';
import {
  MAX_PASSED_VERSIONS,
  MAX_PASSED_WAITING,
  MAX_UNUSED_VERSIONS,
  NEWEST,
  PASSED_AT_EDGE,
  type BuildRequest,
  type Facts,
  type GetFacts,
  type GoodBuild,
  type GoodBuildPage,
  type GoodBuildPosition,
  type HeldVersions,
  type JobFacts,
  type NeededPage,
  type ResourceFacts,
  type ResourceVersion,
  type UsedVersionPage,
} from '#domain/scheduling/facts.ts';
import { originalNumber } from '#domain/scheduling/retry-build.ts';
import {
  activeAutomatic,
  findOrThrow,
  goodBuilds,
  hasUsed,
  isEnabled,
  isQueued,
  jobOf,
  newestOf,
  passedAll,
  placeOf,
  resourceOf,
  type History,
  type HistoryGet,
  type HistoryJob,
  type HistoryResource,
} from './history.ts';

/** The facts that a store gathers first. `rows`: the size of a page. */
export function gatherFacts(history: History, jobs: readonly number[], rows: number): Facts {
  const decidedJobs = jobs.map((id) => jobOf(history, id));
  const gets = decidedJobs.flatMap((job) => job.gets);
  const passes = new Map<string, GoodBuildPage>();
  const used = new Map<string, UsedVersionPage>();
  for (const job of decidedJobs)
    for (const [get, { resource, passed }] of job.gets.entries()) {
      used.set(`${job.id} ${get}`, usedPage(history, { job: job.id, get, from: NEWEST }, rows));
      for (const upstream of passed)
        passes.set(
          `${upstream} ${resource}`,
          goodBuildPage(history, { upstream, resource, from: { version: NEWEST, build: NEWEST } }, rows),
        );
    }
  return {
    paused: history.paused,
    resources: [...new Set(gets.map(({ resource }) => resource))].map((id) => resourceFacts(history, id)),
    jobs: decidedJobs.map((job) => jobFacts(history, job)),
    passes: [...passes.values()],
    used: [...used.values()],
    ids: new Map(history.resources.flatMap(({ versions }) => versions.map(({ id, place }) => [place, id]))),
  };
}

/** The facts with the missing pages added. */
export function gatherMore(
  history: History,
  facts: Facts,
  { needs, rows }: { needs: NeededPage[]; rows: number },
): Facts {
  const passes = [...facts.passes];
  const used = [...facts.used];
  for (const need of needs)
    if (need.kind === 'passes') passes.push(goodBuildPage(history, need, rows));
    else used.push(usedPage(history, need, rows));
  return { ...facts, passes, used };
}

function resourceFacts(history: History, id: number): ResourceFacts {
  const { name, pinned, versions } = resourceOf(history, id);
  const newest = newestOf(history, id, true);
  const placeIn = (version: number): number => placeOf(history, { resource: id, version });
  const held = heldOf(resourceOf(history, id));
  return {
    id,
    name,
    disabled: versions.some(({ disabled }) => disabled),
    ...(newest === undefined ? {} : { newest: placeIn(newest) }),
    ...(pinned === undefined ? {} : { pinned: pinOf(history, { resource: id, version: pinned }) }),
    ...defined({ held }),
  };
}

function pinOf(history: History, pinned: ResourceVersion): NonNullable<ResourceFacts['pinned']> {
  const elsewhere = !resourceOf(history, pinned.resource).versions.some(({ id }) => id === pinned.version);
  const disabled = !elsewhere && !isEnabled(history, pinned);
  return { version: placeOf(history, pinned), disabled, unknown: elsewhere, elsewhere };
}

function heldOf({ versions, held = [] }: HistoryResource): HeldVersions | undefined {
  if (held.length === 0) return undefined;
  const from = Math.min(...held);
  const newest = versions.findLast(({ id, disabled }) => id < from && !disabled)?.place;
  return { from, until: new Date(0), ...defined({ newest }) };
}

function jobFacts(history: History, job: HistoryJob): JobFacts {
  const active = activeAutomatic(history, job.id);
  return {
    id: job.id,
    name: job.name,
    paused: job.paused,
    interruptible: job.interruptible,
    ...defined({ concurrency: job.concurrency }),
    supersede: job.supersede !== false,
    approval: job.gate !== undefined,
    gets: job.gets.map((_, position) => getFacts(history, job, position)),
    requests: job.requests.map((request) => ({
      ...request,
      ...(request.version && { version: { ...request.version, version: placeOf(history, request.version) } }),
      ...(request.after && { after: afterOf(history, job, request) }),
    })),
    active: active
      .filter((build) => !isQueued(build))
      .slice(0, job.concurrency ?? 1)
      .map(({ id, number }) => ({ id, number })),
    queued: active.filter((build) => isQueued(build)).map(({ id, number }) => ({ id, number })),
  };
}

/**
 * The upstream requests of the same trigger that were not refused, each as its job and whether the build of
 * the request, or a retry of that build, is good.
 */
function afterOf(
  history: History,
  job: HistoryJob,
  { id, version }: BuildRequest,
): NonNullable<BuildRequest['after']> {
  const passed = job.gets
    .filter(({ resource, trigger }) => trigger && resource === version?.resource)
    .flatMap((get) => get.passed);
  const requestsOfTrigger =
    (history.cascades ?? []).find((requests) => requests.some(({ request }) => request === id)) ?? [];
  return requestsOfTrigger
    .filter((upstream) => passed.includes(upstream.job))
    .flatMap(({ request, job: upstreamJob }) => {
      const build = history.builds.find(({ cause }) => cause.kind === 'manual' && cause.request === request);
      const isOpen = jobOf(history, upstreamJob).requests.some(({ id: openId }) => openId === request);
      if (build === undefined) return isOpen ? [{ job: upstreamJob, good: false }] : [];
      const buildAndRetries = history.builds.filter(
        (candidate) =>
          candidate.job === upstreamJob && originalNumber(candidate.number) === originalNumber(build.number),
      );
      return [{ job: upstreamJob, good: buildAndRetries.some(({ status }) => isGood(status)) }];
    });
}

function getFacts(history: History, job: HistoryJob, position: number): GetFacts {
  const get = findOrThrow(job.gets, (_, index) => index === position, `get ${position}`);
  const { resource, trigger, every, baseline } = get;
  return {
    resource,
    trigger,
    every,
    baseline,
    passed: get.passed.map((id) => ({ job: id, name: jobOf(history, id).name })),
    unused: trigger && every ? unusedVersions(history, { ...get, job: job.id, get: position }) : [],
  };
}

function unusedVersions(
  history: History,
  { job, get, resource, passed, baseline, settled, floor = 0 }: HistoryGet & { job: number; get: number },
): number[] {
  const { versions, pinned } = resourceOf(history, resource);
  const unused = versions
    .filter(
      ({ id, place, disabled }) =>
        !disabled &&
        id > Math.max(baseline, settled) &&
        place >= floor &&
        (pinned === undefined || pinned === id),
    )
    .filter(({ id }) => !hasUsed(history, job, { get, version: id }));
  const [first] = passed;
  if (first === undefined)
    return unused
      .toSorted((a, b) => a.id - b.id)
      .slice(0, MAX_UNUSED_VERSIONS + 1)
      .map(({ place }) => place);
  const passedVersions = goodBuildRows(history, { upstream: first, resource }).map(({ version }) => version);
  const edge = passedVersions.slice(MAX_PASSED_VERSIONS - PASSED_AT_EDGE, MAX_PASSED_VERSIONS);
  const waiting = new Set(unused.map(({ place }) => place));
  const areManyWaiting = edge.length === PASSED_AT_EDGE && edge.every((version) => waiting.has(version));
  const newest = new Set(passedVersions.slice(0, areManyWaiting ? MAX_PASSED_WAITING : MAX_PASSED_VERSIONS));
  return unused
    .filter(({ id, place }) => newest.has(place) && passedAll(history, passed, { resource, version: id }))
    .slice(0, MAX_UNUSED_VERSIONS)
    .map(({ place }) => place);
}

interface ListName {
  upstream: number;
  resource: number;
}

function goodBuildPage(
  history: History,
  { upstream, resource, from }: ListName & { from: GoodBuildPosition },
  rows: number,
): GoodBuildPage {
  const matching = goodBuildRows(history, { upstream, resource }).filter(
    ({ version, build }) => version < from.version || (version === from.version && build <= from.build),
  );
  return { upstream, resource, from, rows: matching.slice(0, rows), end: matching.length <= rows };
}

function goodBuildRows(history: History, { upstream, resource }: ListName): GoodBuild[] {
  const enabled = (taken: ResourceVersion): boolean => isEnabled(history, taken);
  return goodBuilds(history, upstream)
    .flatMap(({ id, takes }) => {
      const also = takes
        .filter(enabled)
        .map((taken) => ({ resource: taken.resource, version: placeOf(history, taken) }));
      const versions = new Set(
        also.filter((taken) => taken.resource === resource).map(({ version }) => version),
      );
      return [...versions].map((version) => ({ version, build: id, also }));
    })
    .toSorted((a, b) => b.version - a.version || b.build - a.build);
}

function usedPage(
  history: History,
  { job, get, from }: { job: number; get: number; from: number },
  rows: number,
): UsedVersionPage {
  const matching = resourceOf(history, jobOf(history, job).gets[get]?.resource ?? 0)
    .versions.map(({ id }) => id)
    .filter((version) => version <= from && hasUsed(history, job, { get, version }))
    .toSorted((a, b) => b - a);
  return { job, get, from, versions: matching.slice(0, rows), end: matching.length <= rows };
}
