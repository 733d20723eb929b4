import type { Choice, Known } from './choose-set.ts';
import { NEWEST, type BuildRequest, type GetFacts, type JobFacts } from './facts.ts';
import { listed, type Reason } from './reasons.ts';
import { openBuilds } from './supersede.ts';
import { whyHeld } from './why-unmet.ts';

/** What stands against any automatic build of a job. */
export function hindrances(
  job: JobFacts,
  { paused, choice }: { paused: boolean; choice?: Choice },
): Reason[] {
  return [
    ...whyPaused({ pipeline: paused, job: job.paused, name: job.name }),
    ...(choice?.missing ?? []).map(({ reason }) => reason),
  ];
}

/** A pause of the pipeline pauses each of its jobs, and people may unpause one of them before the others. */
export function whyPaused(paused: { pipeline: boolean; job: boolean; name: string }): Reason[] {
  if (!paused.job) return [];
  if (paused.pipeline)
    return [{ code: 'PipelinePaused', message: `The pipeline is paused, and with it ${paused.name}.` }];
  return [{ code: 'JobPaused', message: `Job ${paused.name} is paused.` }];
}

/** Why a job whose inputs are all there gets no build. */
export function whyIdle(
  job: JobFacts,
  { known, choice, ready }: { known: Known; choice: Choice; ready: boolean },
): Reason[] {
  if (!job.gets.some((get) => get.trigger))
    return [
      {
        code: 'NoTrigger',
        message: `No get of ${job.name} has trigger = true: it runs only when somebody asks for it.`,
      },
    ];
  const first: Reason = (ready ? whyNotYet(job) : undefined) ?? {
    code: 'NothingNew',
    message: 'Up to date: every version has been built.',
  };
  const more = job.gets.flatMap((get, index) => whyNotNewest(get, choice.versions[index], known));
  return [...whyHooksRun(job, known), first, ...more];
}

/** The newest set waits for builds that have not ended. */
function whyNotYet(job: JobFacts): Reason | undefined {
  const numbers = openBuilds(job).map(({ number }) => number);
  const [number] = numbers;
  if (number === undefined) return undefined;
  const when = numbers.length === 1 ? `build ${number} ends` : `one of the builds ${listed(numbers)} ends`;
  return {
    code: 'BuildActive',
    message: `New versions are ready; they are taken when ${when}.`,
    data: { build: { job: job.name, number } },
  };
}

/** New versions are there that trigger nothing yet. */
function whyHooksRun({ gets }: JobFacts, known: Known): Reason[] {
  const triggers = new Set(gets.filter((get) => get.trigger).map((get) => get.resource));
  return [...triggers].flatMap((id) => {
    const { name, held } = known.resource(id);
    return held === undefined ? [] : [whyHeld(name, held)];
  });
}

/** A trigger takes something older than the newest version there is. */
function whyNotNewest(get: GetFacts, version: number | undefined, known: Known): Reason[] {
  const { name, newest, pinned } = known.resource(get.resource);
  const { idOf } = known;
  if (!get.trigger || newest === undefined || version === undefined || version >= newest) return [];
  if (pinned !== undefined) {
    const pin = idOf(pinned.version);
    const message = `${name} is pinned to version ${pin}; newer versions trigger nothing.`;
    return [{ code: 'Pinned', message, data: { resource: name, version: pin } }];
  }
  const jobs = get.passed.filter(({ job }) => {
    const found = known.passes.newest({ upstream: job, resource: get.resource, atMost: NEWEST, fixed: [] });
    return !('version' in found) || found.version < newest;
  });
  if (jobs.length === 0) return [];
  const names = jobs.map((job) => job.name);
  const message = `The newest version of ${name}, ${idOf(newest)}, has not passed ${listed(names)} yet.`;
  return [{ code: 'NewestNotPassed', message, data: { resource: name, version: idOf(newest), jobs: names } }];
}

/** Why a request for a certain version cannot be granted whatever the other inputs are. */
export function whyNotVersion(
  job: JobFacts,
  { version }: BuildRequest,
  { taking, known }: { taking: number; known: Known },
): Reason[] {
  if (version === undefined) return [];
  const id = known.idOf(version.version);
  if (taking === 0)
    return [
      {
        code: 'NotTaken',
        message: `${job.name} has no get of the resource without passed.`,
        data: { version: id },
      },
    ];
  if (!version.disabled) return [];
  return [
    {
      code: 'VersionDisabled',
      message: `Version ${id} is disabled.`,
      data: { version: id },
    },
  ];
}
