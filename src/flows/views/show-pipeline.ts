import { badgeOf, type Badge } from '#domain/graph/badge.ts';
import { graphOf, type GraphOptions } from '#domain/graph/graph-of.ts';
import type { Graph } from '#domain/graph/graph.ts';
import type { Layout } from '#domain/graph/layout.ts';
import { nodeStyles } from '#domain/graph/node-style.ts';
import { publicStructure, type PublicStructure } from '#domain/graph/public-view.ts';
import { stateOfJob, type GraphState, type JobState } from '#domain/graph/state.ts';
import { writeDot } from '#domain/graph/write-dot.ts';
import type { PipelineName } from '#flows/names.ts';
import type {
  Drawing,
  DrawingRefused,
  OverviewPipeline,
  OverviewState,
  OverviewStore,
  PictureToDraw,
} from './overview-ports.ts';
import { createPictureCaches, type PictureCaches, type StateFound } from './picture-cache.ts';
import { pipelineKey, pipelineLookup } from './pipeline-lookup.ts';

/** Which graph of a pipeline is drawn. */
type GraphShape = Required<GraphOptions>;

export interface PictureOptions extends GraphShape {
  format: 'svg' | 'png' | 'dot';
  /** Row id: show the path of this version and fade the rest. */
  version?: number;
}

interface Picture {
  /** An ETag: a digest of everything that determines the image, known without drawing it. */
  tag: string;
  public: boolean;
  draw(): Promise<{ bytes: Uint8Array } | DrawingRefused>;
}

/** A graph with its layout but without states, for programs that draw it themselves. */
export interface PlacedGraph extends Pick<Picture, 'tag' | 'public'> {
  place(): Promise<{ graph: Graph; layout: Layout } | DrawingRefused>;
}

/** A picture that is drawn already. */
interface CachedPicture extends Pick<Picture, 'tag'> {
  bytes: Uint8Array;
}

export interface Overview extends PublicStructure {
  pipeline: OverviewPipeline;
  state: OverviewState;
}

/** Graph, picture and badge of a pipeline. `undefined`: not found, or the viewer may not see the pipeline. */
export interface Overviews {
  overview(name: PipelineName, isMember: boolean): Promise<Overview | undefined>;
  /** `no-version`: the pipeline has no such version. */
  picture(
    name: PipelineName,
    isMember: boolean,
    options: PictureOptions,
  ): Promise<Picture | 'no-version' | undefined>;
  placedGraph(name: PipelineName, isMember: boolean, shape: GraphShape): Promise<PlacedGraph | undefined>;
  /**
   * The cached picture of a public pipeline, without reading the database or drawing. Undefined if the
   * picture is not cached or shows the path of a version.
   */
  cachedPicture(name: PipelineName, options: PictureOptions): CachedPicture | undefined;
  badge(
    name: PipelineName & { job?: string },
    isMember: boolean,
  ): Promise<(Badge & { public: boolean }) | undefined>;
}

interface Ports {
  store: OverviewStore;
  drawing: Drawing;
  /** Returns a digest that is short enough for an ETag. */
  digest: (text: string) => string;
  encode: (text: string) => Uint8Array;
  /** Milliseconds. */
  now: () => number;
  /** The release of Millrace. It is part of the ETags, because another release may draw differently. */
  release: string;
}

export function showPipelines(ports: Ports): Overviews {
  const caches = createPictureCaches(ports.now);
  const lookup = pipelineLookup(ports.store, ports.now);
  const { find } = lookup;
  const stateOf = async ({ id }: OverviewPipeline) =>
    await caches.states.get(String(id), async () => {
      const state = await ports.store.state(id);
      return { state, digest: ports.digest(JSON.stringify(state)), tags: new Map() };
    });
  return {
    async overview(name, isMember) {
      const pipeline = await find(name, isMember);
      if (pipeline === undefined) return undefined;
      const structure = publicStructure(await ports.store.definition(pipeline.revision));
      return { pipeline, ...structure, state: (await stateOf(pipeline)).state };
    },
    async picture(name, isMember, options) {
      const pipeline = await find(name, isMember);
      return (
        pipeline &&
        (await findPicture({ ports, caches, pipeline, options, stateFound: await stateOf(pipeline) }))
      );
    },
    async placedGraph(name, isMember, shape) {
      const pipeline = await find(name, isMember);
      return pipeline && placedGraphOf({ ports, caches, pipeline }, shape);
    },
    cachedPicture: (name, options) => findCachedPicture(caches, lookup.cached(name), options),
    async badge({ job, ...name }, isMember) {
      const pipeline = await find(name, isMember);
      if (pipeline === undefined) return undefined;
      const jobs = (await stateOf(pipeline)).state.jobs.filter(
        ({ name: jobName }) => job === undefined || jobName === job,
      );
      if (job !== undefined && jobs.length === 0) return undefined;
      return { ...badgeOf(job ?? pipeline.pipeline, jobs.map(jobStateOf)), public: pipeline.public };
    },
  };
}

function findCachedPicture(
  { states, drawn }: PictureCaches,
  pipeline: OverviewPipeline | undefined,
  options: PictureOptions,
): CachedPicture | undefined {
  if (options.version !== undefined || pipeline === undefined) return undefined;
  const tag = states.cached(String(pipeline.id))?.tags.get(tagKey(pipeline, options));
  const picture = tag === undefined ? undefined : drawn.cached(tag);
  if (tag === undefined || picture === undefined || 'refused' in picture) return undefined;
  return { tag, bytes: picture.bytes };
}

interface GraphRequest {
  ports: Ports;
  caches: PictureCaches;
  pipeline: OverviewPipeline;
}

interface PictureRequest extends GraphRequest {
  options: PictureOptions;
  stateFound: StateFound;
}

async function findPicture(request: PictureRequest): Promise<Picture | 'no-version'> {
  const { ports, caches, pipeline, options, stateFound } = request;
  const { format, version } = options;
  // An empty name means that the picture follows no version.
  const resource = version === undefined ? '' : await ports.store.resourceOfVersion(pipeline.id, version);
  if (resource === undefined) return 'no-version';
  const parts = [
    ports.release,
    pipeline.team,
    pipeline.pipeline,
    pipeline.revision,
    format,
    shapeKey(options),
    resource,
    stateFound.digest,
  ];
  const tag = ports.digest(JSON.stringify(parts));
  if (version === undefined) stateFound.tags.set(tagKey(pipeline, options), tag);
  const draw = async () => {
    const picture = await pictureOf(request, resource === '' ? undefined : resource);
    return await drawIn(ports, format, picture);
  };
  return { tag, public: pipeline.public, draw: () => caches.drawn.get(tag, draw) };
}

const shapeKey = ({ hideIntermediates, groupParallel }: GraphShape): string =>
  `${Number(hideIntermediates)}${Number(groupParallel)}`;

/** The key of a picture among the pictures of one state. */
const tagKey = (pipeline: OverviewPipeline, options: PictureOptions): string =>
  `${options.format} ${shapeKey(options)} ${pipeline.revision} ${pipelineKey(pipeline)}`;

function placedGraphOf(request: GraphRequest, { hideIntermediates, groupParallel }: GraphShape): PlacedGraph {
  const { ports, pipeline } = request;
  const shape = { hideIntermediates, groupParallel };
  const parts = [
    ports.release,
    pipeline.team,
    pipeline.pipeline,
    pipeline.revision,
    'graph',
    shapeKey(shape),
  ];
  return {
    tag: ports.digest(JSON.stringify(parts)),
    public: pipeline.public,
    async place() {
      const graph = await findGraph(request, shape);
      const placed = await ports.drawing.layout(graph);
      return 'layout' in placed ? { graph, layout: placed.layout } : placed;
    },
  };
}

async function findGraph({ ports, caches, pipeline }: GraphRequest, shape: GraphShape): Promise<Graph> {
  return await caches.graphs.get(`${pipeline.revision} ${shapeKey(shape)}`, async () =>
    graphOf(await ports.store.definition(pipeline.revision), shape),
  );
}

async function pictureOf(request: PictureRequest, resource?: string): Promise<PictureToDraw> {
  const { pipeline, options, stateFound } = request;
  const { hideIntermediates, groupParallel } = options;
  const graph = await findGraph(request, { hideIntermediates, groupParallel });
  const state = graphState(stateFound.state);
  const name = pipeline.pipeline;
  if (resource === undefined) return { graph, styles: nodeStyles(graph, state), name };
  const whole = await findGraph(request, { hideIntermediates: false, groupParallel: false });
  return { graph, styles: nodeStyles(graph, state, { whole, resource }), name };
}

async function drawIn(
  { drawing, encode }: Ports,
  format: PictureOptions['format'],
  picture: PictureToDraw,
): Promise<{ bytes: Uint8Array } | DrawingRefused> {
  if (format === 'dot') return { bytes: encode(writeDot(picture.graph, picture.name, picture.styles)) };
  if (format === 'png') {
    const drawn = await drawing.png(picture);
    return 'png' in drawn ? { bytes: drawn.png } : drawn;
  }
  const drawn = await drawing.svg(picture);
  return 'svg' in drawn ? { bytes: encode(drawn.svg) } : drawn;
}

function graphState({ jobs, resources }: OverviewState): GraphState {
  return {
    jobs: new Map(jobs.map((job) => [job.name, jobStateOf(job)])),
    resources: new Map(resources.map(({ name, pinned, failing }) => [name, { pinned, failing }])),
  };
}

export function jobStateOf({
  paused,
  ended,
  doing,
}: Pick<OverviewState['jobs'][number], 'paused' | 'ended' | 'doing'>): JobState {
  const statuses = ended === undefined ? doing : [ended, ...doing];
  // `stateOfJob` needs numbers only to find the newest ended build, and here at most one build has ended.
  const builds = statuses.map((status) => ({ number: '1', status }));
  return stateOfJob(builds, paused);
}
