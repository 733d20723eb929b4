import type { Graph } from '#domain/graph/graph.ts';
import type { NodeLook } from '#domain/graph/look.ts';
import type { Doing, Ended } from '#domain/graph/state.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { PipelineName } from '#flows/names.ts';

/* What a pipeline is shown from: names and states, and nothing else of it. */

export interface ShownPipeline extends PipelineName {
  id: number;
  public: boolean;
  paused: boolean;
  /** Row id; its definition never changes. */
  revision: number;
}

export interface ShownState {
  /** In the order of the file. */
  jobs: { id: number; name: string; paused: boolean; ended?: Ended; doing: Doing[] }[];
  resources: { id: number; name: string; type: string; pinned: boolean; failing: boolean }[];
}

export interface ShowStore {
  /** Costs the same whether there is one or not. */
  shown(name: PipelineName): Promise<ShownPipeline | undefined>;
  state(pipeline: number): Promise<ShownState>;
  definition(revision: number): Promise<Pipeline>;
  /** The resource of the pipeline that the version is of. */
  resourceOfVersion(pipeline: number, version: number): Promise<string | undefined>;
}

export interface PictureToDraw {
  graph: Graph;
  looks: ReadonlyMap<string, NodeLook>;
  /** Of the pipeline, for those who cannot see the picture. */
  name: string;
}

/** Why there is no picture: a stable word, and a sentence for people. */
export interface DrawingRefused {
  refused: { reason: 'too-large' | 'time-limit' | 'fault' | 'busy'; message: string };
}

export interface Drawing {
  svg(picture: PictureToDraw): Promise<{ svg: string } | DrawingRefused>;
  png(picture: PictureToDraw): Promise<{ png: Uint8Array } | DrawingRefused>;
}
