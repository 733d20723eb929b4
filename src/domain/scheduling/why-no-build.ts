import type { ChosenSet } from './choose-set.ts';
import { NEWEST, type BuildRequest, type GetFacts, type JobFacts } from './facts.ts';
import { formatList, type Reason } from './reasons.ts';
import type { Snapshot } from './snapshot.ts';
import { openAutomaticBuilds } from './supersede.ts';
import { whyHeld } from './why-unmet.ts';

/** What prevents any build of a job: a pause, and with `choice` also inputs that have no version. */
export function blockersOf(
  job: JobFacts,
  { paused, choice }: { paused: boolean; choice?: ChosenSet },
): Reason[] {
  return [
    ...whyPaused({ pipeline: paused, job: job.paused, name: job.name }),
    ...(choice?.missing ?? []).map(({ reason }) => reason),
  ];
}

/**
 * Why no build of the job is created or started. Empty: the job is not paused. Pausing a pipeline pauses each
 * of its jobs, and people may then unpause single jobs, so only `job` decides.
 */
export function whyPaused(paused: { pipeline: boolean; job: boolean; name: string }): Reason[] {
  if (!paused.job) return [];
  if (paused.pipeline)
    return [{ code: 'PipelinePaused', message: `The pipeline is paused, and job ${paused.name} with it.` }];
  return [{ code: 'JobPaused', message: `Job ${paused.name} is paused.` }];
}

/** Why a job gets no automatic build although nothing blocks it. */
export function whyIdle(
  job: JobFacts,
  { snapshot, choice, isDue }: { snapshot: Snapshot; choice: ChosenSet; isDue: boolean },
): Reason[] {
  if (!job.gets.some((get) => get.trigger)) {
    const message = `No get of ${job.name} has trigger = true: it runs only when somebody triggers it.`;
    return [{ code: 'NoTrigger', message }];
  }
  const mainReason: Reason = (isDue ? whyBuildOpen(job) : undefined) ?? {
    code: 'NothingNew',
    message: 'Up to date: every version has been built.',
  };
  const older = job.gets.flatMap((get, index) => whyNotNewest(get, choice.versions[index], snapshot));
  return [...whyHooksRun(job, snapshot), mainReason, ...older];
}

/** Why the newest set gets no build: it waits for automatic builds that have not ended. */
function whyBuildOpen(job: JobFacts): Reason | undefined {
  const numbers = openAutomaticBuilds(job).map(({ number }) => number);
  const [number] = numbers;
  if (number === undefined) return undefined;
  const when =
    numbers.length === 1 ? `build ${number} ends` : `one of the builds ${formatList(numbers)} ends`;
  return {
    code: 'BuildActive',
    message: `New versions are ready. They are built when ${when}.`,
    data: { build: { job: job.name, number } },
  };
}

/** Why new versions trigger nothing yet: their hooks are running. */
function whyHooksRun({ gets }: JobFacts, snapshot: Snapshot): Reason[] {
  const triggers = new Set(gets.filter((get) => get.trigger).map((get) => get.resource));
  return [...triggers].flatMap((id) => {
    const { name, held } = snapshot.resource(id);
    return held === undefined ? [] : [whyHeld(name, held)];
  });
}

/** Why a trigger takes an older version than the newest one of its resource. */
function whyNotNewest(get: GetFacts, version: number | undefined, snapshot: Snapshot): Reason[] {
  const { name, newest, pinned } = snapshot.resource(get.resource);
  const { idOf } = snapshot;
  if (!get.trigger || newest === undefined || version === undefined || version >= newest) return [];
  if (pinned !== undefined) {
    const pin = idOf(pinned.version);
    const message = `${name} is pinned to version ${pin}; newer versions trigger nothing.`;
    return [{ code: 'Pinned', message, data: { resource: name, version: pin } }];
  }
  const jobs = get.passed
    .filter(({ job }) => !hasPassed({ upstream: job, resource: get.resource, version: newest }, snapshot))
    .map((job) => job.name);
  if (jobs.length === 0) return [];
  const message = `The newest version of ${name}, ${idOf(newest)}, has not passed ${formatList(jobs)} yet.`;
  return [{ code: 'NewestNotPassed', message, data: { resource: name, version: idOf(newest), jobs } }];
}

function hasPassed(
  { upstream, resource, version }: { upstream: number; resource: number; version: number },
  { goodBuilds }: Snapshot,
): boolean {
  const passed = goodBuilds.newestVersion({ upstream, resource, atMost: NEWEST, alsoTook: [] });
  return 'version' in passed && passed.version >= version;
}

/**
 * Why the requested version cannot be built, whatever the other inputs are. `takers`: number of gets that
 * take the version.
 */
export function whyNotVersion(
  job: JobFacts,
  { version }: BuildRequest,
  { takers, snapshot }: { takers: number; snapshot: Pick<Snapshot, 'idOf'> },
): Reason[] {
  if (version === undefined) return [];
  const id = snapshot.idOf(version.version);
  if (takers === 0) {
    const message = `${job.name} has no get of this resource without passed.`;
    return [{ code: 'NotTaken', message, data: { version: id } }];
  }
  if (!version.disabled) return [];
  return [{ code: 'VersionDisabled', message: `Version ${id} is disabled.`, data: { version: id } }];
}
