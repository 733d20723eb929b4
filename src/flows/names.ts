export interface PipelineName {
  team: string;
  pipeline: string;
}

export type JobName = PipelineName & { job: string };

export type ResourceName = PipelineName & { resource: string };

export type BuildRef = JobName & { number: string };
