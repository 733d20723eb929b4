import type { Graph } from '#domain/graph/graph.ts';
import type { Layout } from '#domain/graph/layout.ts';
import type { NodeStyle } from '#domain/graph/node-style.ts';
import type { ActiveStatus, EndedStatus } from '#domain/graph/state.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { PipelineName } from '#flows/names.ts';

/* What overviews, pictures and badges of pipelines need from outside. */

export interface OverviewPipeline extends PipelineName {
  id: number;
  public: boolean;
  paused: boolean;
  /** Row id of the current revision. The definition of a revision never changes. */
  revision: number;
}

export interface OverviewState {
  /** In the order of the file. `doing`: statuses of the builds that have not ended. */
  jobs: { id: number; name: string; paused: boolean; ended?: EndedStatus; doing: ActiveStatus[] }[];
  resources: { id: number; name: string; type: string; pinned: boolean; failing: boolean }[];
}

export interface OverviewStore {
  /** Takes about as long whether the pipeline exists or not. */
  pipeline(name: PipelineName): Promise<OverviewPipeline | undefined>;
  state(pipeline: number): Promise<OverviewState>;
  definition(revision: number): Promise<Pipeline>;
  /** Name of the version's resource; undefined if the version is not of this pipeline. */
  resourceOfVersion(pipeline: number, version: number): Promise<string | undefined>;
}

export interface PictureToDraw {
  graph: Graph;
  styles: ReadonlyMap<string, NodeStyle>;
  /** Name of the pipeline, for the image's text alternative. */
  name: string;
}

/** Why there is no picture: a stable code, and a sentence for people. */
export interface DrawingRefused {
  refused: { reason: 'too-large' | 'time-limit' | 'fault' | 'busy'; message: string };
}

export interface Drawing {
  layout(graph: Graph): Promise<{ layout: Layout } | DrawingRefused>;
  svg(picture: PictureToDraw): Promise<{ svg: string } | DrawingRefused>;
  png(picture: PictureToDraw): Promise<{ png: Uint8Array } | DrawingRefused>;
}
