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
    /** Only the public gets `pinned`. Members get `pinned_by` and `check_error` instead. */
    pinned?: boolean;
    pinned_by?: string;
    check_error?: string;
    /** How many versions are known. Only members get this. */
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

/**
 * A text that changes when the graph may have changed. For the public, which gets no revision, it has only
 * names.
 */
export function structureOf({ pipeline, jobs, resources }: PipelineEventData): string {
  const names = [...jobs, ...resources].map(({ name }) => name);
  return JSON.stringify([pipeline.revision, names]);
}
