import { defined } from '#defined';
import type { ActiveStatus, EndedStatus, GraphState } from '#domain/graph/state.ts';

/** The parts of the event `pipeline` that the graph needs. */
export interface PipelineEventData {
  pipeline: { revision?: number };
  jobs: {
    name: string;
    paused: boolean;
    outcome?: EndedStatus;
    doing?: ActiveStatus;
    latest_build_number?: string;
  }[];
  resources: {
    name: string;
    /** Members get who pinned it and what the last check failed with, the public whether it is pinned. */
    pinned?: boolean;
    pinned_by?: string;
    check_error?: string;
    /** How many are known. For members. */
    versions?: number;
  }[];
}

export function graphStateOf({ jobs, resources }: PipelineEventData): GraphState {
  return {
    jobs: new Map(
      jobs.map(({ name, paused, outcome, doing }) => [
        name,
        { paused, ...defined({ ended: outcome, doing }) },
      ]),
    ),
    resources: new Map(
      resources.map(({ name, pinned = false, pinned_by, check_error }) => [
        name,
        { pinned: pinned || pinned_by !== undefined, failing: check_error !== undefined },
      ]),
    ),
  };
}

/** Changes when the graph may have changed: the public gets no revision, but the names. */
export function structureOf({ pipeline, jobs, resources }: PipelineEventData): string {
  const names = [...jobs, ...resources].map(({ name }) => name);
  return JSON.stringify([pipeline.revision, names]);
}
