import type { PipelineFacts } from '#flows/pipelines/ports.ts';

/** The build that ended last among the newest build of each job. */
export interface LastBuild {
  job: string;
  number: string;
  status: string;
  endedAt: Date;
}

export function lastBuildOf(facts: PipelineFacts): LastBuild | undefined {
  return facts.jobs
    .flatMap(({ name, lastBuild }) =>
      lastBuild?.endedAt === undefined ? [] : [{ ...lastBuild, job: name, endedAt: lastBuild.endedAt }],
    )
    .toSorted((a, b) => b.endedAt.getTime() - a.endedAt.getTime())[0];
}
