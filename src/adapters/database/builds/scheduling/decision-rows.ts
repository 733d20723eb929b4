import type { BuildDecision, Decision } from '#domain/scheduling/decision.ts';
import type { MadeBuild, WriteOptions } from '#flows/builds/schedule-ports.ts';
import type { GatheredJob } from './gather.ts';

/** A build as the INSERT returns it. */
export interface MadeRow {
  id: number;
  job: number;
  number: number;
}

/**
 * Turns a decision into rows. Must take linear time, because the caller holds the pipeline's lock. The builds
 * of a job get consecutive numbers: under that lock, no other transaction numbers builds of the job.
 */
export function rowsOf(
  jobs: readonly GatheredJob[],
  decision: Decision,
  startAtOnce: WriteOptions['startAtOnce'],
) {
  const byId = new Map(jobs.map((job) => [job.facts.id, job]));
  const nextNumbers = new Map(jobs.map((job) => [job.facts.id, job.nextNumber]));
  const causes = new Map<string, BuildDecision['cause']>();
  const numbered = decision.builds.map((build) => {
    const job = byId.get(build.job);
    const number = nextNumbers.get(build.job);
    if (job === undefined || number === undefined)
      throw new Error(`Decided on job ${build.job}, whose facts were not read.`);
    nextNumbers.set(build.job, number + 1);
    causes.set(`${build.job} ${number}`, build.cause);
    return { build, job, number };
  });
  const unfinished = new Set(decision.unfinished);
  return {
    builds: numbered.map((numberedBuild, position) => ({
      ...toBuild(numberedBuild, position),
      at_once: numberedBuild.build.state === 'pending' && startAtOnce.has(numberedBuild.build.job),
    })),
    inputs: numbered.flatMap(toInputs),
    superseded: numbered.flatMap(({ build: { supersedes = [] }, number }) =>
      supersedes.map((id) => ({ id, message: `Build ${number} took its place.` })),
    ),
    seen: jobs.map(({ facts: { id }, nextNumber, requested }) => ({
      job: id,
      next: nextNumbers.get(id) ?? nextNumber,
      // An unfinished job stays one request behind, so that the next decision takes it again.
      seen: unfinished.has(id) ? requested - 1 : requested,
    })),
    toMadeBuild: ({ id, job, number }: MadeRow): MadeBuild => {
      const gathered = byId.get(job);
      const cause = causes.get(`${job} ${number}`);
      return {
        id,
        team: gathered?.team ?? '',
        pipeline: gathered?.pipeline ?? '',
        job: gathered?.facts.name ?? '',
        number: String(number),
        ...(cause?.kind === 'manual' ? { request: cause.request } : {}),
      };
    },
  };
}

interface NumberedBuild {
  build: BuildDecision;
  job: GatheredJob;
  number: number;
}

function toBuild(
  { build: { state, cause, inputs = {}, supersedes = [] }, job, number }: NumberedBuild,
  position: number,
) {
  const superseded = state === 'superseded';
  return {
    position,
    job: job.facts.id,
    revision: job.revision,
    number,
    cause,
    inputs,
    gate: job.approval ?? null,
    superseded,
    supersedes,
    status: superseded ? 'cancelled' : state,
  };
}

function toInputs({ build, job, number }: NumberedBuild) {
  return build.versions.map((version, position) => ({
    job: build.job,
    number,
    position,
    name: job.gets[position]?.name ?? '',
    resource: job.gets[position]?.resource ?? 0,
    nth: job.gets[position]?.nth ?? 0,
    version,
  }));
}
