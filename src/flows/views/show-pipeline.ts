import { badgeOf, type Badge } from '#domain/graph/badge.ts';
import { graphOf } from '#domain/graph/graph-of.ts';
import type { Graph } from '#domain/graph/graph.ts';
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

export interface PictureOptions {
  format: 'svg' | 'png' | 'dot';
  hideIntermediates: boolean;
  groupParallel: boolean;
  /** Row id: show the path of this version and fade the rest. */
  version?: number;
}

interface Picture {
  /** An ETag: a digest of everything that determines the image, known without drawing it. */
  tag: string;
  public: boolean;
  draw(): Promise<{ bytes: Uint8Array } | DrawingRefused>;
}

/** A picture that is drawn already. */
interface CachedPicture extends Pick<Picture, 'tag'> {
  bytes: Uint8Array;
}

export interface Overview extends PublicStructure {
  pipeline: OverviewPipeline;
  state: OverviewState;
}

/** Graph, picture and badge of a pipeline. `undefined`: it does not exist, or the viewer may not see it. */
export interface Overviews {
  overview(name: PipelineName, member: boolean): Promise<Overview | undefined>;
  /** `no-version`: the pipeline has no such version. */
  picture(
    name: PipelineName,
    member: boolean,
    options: PictureOptions,
  ): Promise<Picture | 'no-version' | undefined>;
  /** For the public, without asking the database or drawing; undefined if it is not cached. */
  cachedPicture(name: PipelineName, options: PictureOptions): CachedPicture | undefined;
  badge(
    name: PipelineName & { job?: string },
    member: boolean,
  ): Promise<(Badge & { public: boolean }) | undefined>;
}

interface Ports {
  store: OverviewStore;
  drawing: Drawing;
  /** Short enough for an ETag. */
  digest: (text: string) => string;
  encode: (text: string) => Uint8Array;
  /** Milliseconds. */
  now: () => number;
  /** Millrace's release: another one may draw differently. */
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
    async overview(name, member) {
      const pipeline = await find(name, member);
      if (pipeline === undefined) return undefined;
      const structure = publicStructure(await ports.store.definition(pipeline.revision));
      return { pipeline, ...structure, state: (await stateOf(pipeline)).state };
    },
    async picture(name, member, options) {
      const pipeline = await find(name, member);
      return (
        pipeline && (await findPicture({ ports, caches, pipeline, options, found: await stateOf(pipeline) }))
      );
    },
    cachedPicture: (name, options) => findCachedPicture(caches, lookup.cached(name), options),
    async badge({ job, ...name }, member) {
      const pipeline = await find(name, member);
      if (pipeline === undefined) return undefined;
      const jobs = (await stateOf(pipeline)).state.jobs.filter(
        (one) => job === undefined || one.name === job,
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
  const found = tag === undefined ? undefined : drawn.cached(tag);
  if (tag === undefined || found === undefined || 'refused' in found) return undefined;
  return { tag, bytes: found.bytes };
}

interface PictureRequest {
  ports: Ports;
  caches: PictureCaches;
  pipeline: OverviewPipeline;
  options: PictureOptions;
  found: StateFound;
}

async function findPicture(request: PictureRequest): Promise<Picture | 'no-version'> {
  const { ports, caches, pipeline, options, found } = request;
  const { format, version } = options;
  const resource = version === undefined ? '' : await ports.store.resourceOfVersion(pipeline.id, version);
  if (resource === undefined) return 'no-version';
  const parts = [
    ports.release,
    pipeline.team,
    pipeline.pipeline,
    pipeline.revision,
    format,
    optionsOf(options),
    resource,
    found.digest,
  ];
  const tag = ports.digest(JSON.stringify(parts));
  if (version === undefined) found.tags.set(tagKey(pipeline, options), tag);
  const draw = async () => {
    const picture = await pictureOf(request, resource === '' ? undefined : resource);
    return await drawIn(ports, format, picture);
  };
  return { tag, public: pipeline.public, draw: () => caches.drawn.get(tag, draw) };
}

const optionsOf = ({ hideIntermediates, groupParallel }: PictureOptions): string =>
  `${Number(hideIntermediates)}${Number(groupParallel)}`;

/** Names a picture among those of one state. */
const tagKey = (pipeline: OverviewPipeline, options: PictureOptions): string =>
  `${options.format} ${optionsOf(options)} ${pipeline.revision} ${pipelineKey(pipeline)}`;

async function pictureOf(
  { ports, caches, pipeline, options, found }: PictureRequest,
  resource?: string,
): Promise<PictureToDraw> {
  const definition = await ports.store.definition(pipeline.revision);
  const { hideIntermediates, groupParallel } = options;
  const graph = async (how: { hideIntermediates: boolean; groupParallel: boolean }): Promise<Graph> =>
    await caches.graphs.get(`${pipeline.revision} ${JSON.stringify(how)}`, async () =>
      graphOf(definition, how),
    );
  const shown = await graph({ hideIntermediates, groupParallel });
  const whole =
    resource === undefined ? undefined : await graph({ hideIntermediates: false, groupParallel: false });
  const followed = whole && resource !== undefined ? { whole, resource } : undefined;
  return {
    graph: shown,
    styles: nodeStyles(shown, graphState(found.state), followed),
    name: pipeline.pipeline,
  };
}

async function drawIn(
  { drawing, encode }: Ports,
  format: PictureOptions['format'],
  picture: PictureToDraw,
): Promise<{ bytes: Uint8Array } | DrawingRefused> {
  if (format === 'dot') return { bytes: encode(writeDot(picture.graph, picture.name, picture.styles)) };
  if (format === 'png') {
    const painted = await drawing.png(picture);
    return 'png' in painted ? { bytes: painted.png } : painted;
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

export function jobStateOf({ paused, ended, doing }: OverviewState['jobs'][number]): JobState {
  const builds = [...(ended === undefined ? [] : [ended]), ...doing].map((status) => ({
    number: '1',
    status,
  }));
  return stateOfJob(builds, paused);
}
