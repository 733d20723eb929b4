import { badgeOf, type Badge } from '#domain/graph/badge.ts';
import { graphOf } from '#domain/graph/graph-of.ts';
import type { Graph } from '#domain/graph/graph.ts';
import { looksOf } from '#domain/graph/look.ts';
import { publicStructure, type PublicStructure } from '#domain/graph/public-view.ts';
import { stateOfJob, type GraphState, type JobState } from '#domain/graph/state.ts';
import { writeDot } from '#domain/graph/write-dot.ts';
import type { PipelineName } from '#flows/names.ts';
import { kept, type Kept } from './cache.ts';
import { findShown, FRESH_MS, keyOf } from './find-shown.ts';
import type {
  Drawing,
  DrawingRefused,
  PictureToDraw,
  ShownPipeline,
  ShownState,
  ShowStore,
} from './show-ports.ts';

export interface PictureWanted {
  format: 'svg' | 'png' | 'dot';
  hideIntermediates: boolean;
  groupParallel: boolean;
  /** The way of this version; the others are faded. */
  version?: number;
}

interface PictureFound {
  /**
   * Equal tags, equal pictures: of everything that the picture is made from, so that nothing is drawn to know
   * it.
   */
  tag: string;
  public: boolean;
  draw(): Promise<{ bytes: Uint8Array } | DrawingRefused>;
}

/** A picture that somebody has just had. */
interface PictureAtHand extends Pick<PictureFound, 'tag'> {
  bytes: Uint8Array;
}

export interface PublicView extends PublicStructure {
  pipeline: ShownPipeline;
  state: ShownState;
}

/**
 * What a pipeline is shown as. `undefined`: there is none, or it is not public and who asks is no member:
 * nobody can tell which.
 */
export interface Shows {
  publicView(name: PipelineName, member: boolean): Promise<PublicView | undefined>;
  /** `no-version`: it is not the pipeline's. */
  picture(
    name: PipelineName,
    member: boolean,
    wanted: PictureWanted,
  ): Promise<PictureFound | 'no-version' | undefined>;
  /**
   * The same picture for a stranger, when nothing need be asked or drawn for it; undefined says nothing about
   * whether there is one.
   */
  pictureAtHand(name: PipelineName, wanted: PictureWanted): PictureAtHand | undefined;
  badge(
    name: PipelineName & { job?: string },
    member: boolean,
  ): Promise<(Badge & { public: boolean }) | undefined>;
}

interface Ports {
  store: ShowStore;
  drawing: Drawing;
  /** Of a text, short enough for an ETag. */
  digest: (text: string) => string;
  encode: (text: string) => Uint8Array;
  /** Milliseconds. */
  now: () => number;
  /** Of the program: it may draw otherwise than the one before. */
  release: string;
}

const MOST_STATES = 100;
const MOST_GRAPHS = 48;
/** Of finished pictures. */
const MOST_BYTES = 32 * 1024 * 1024;

interface StateFound {
  state: ShownState;
  digest: string;
  /** Of pictures that were asked for. */
  tags: Map<string, string>;
}

interface Caches {
  states: Kept<StateFound>;
  graphs: Kept<Graph>;
  drawn: Kept<{ bytes: Uint8Array } | DrawingRefused>;
}

export function showPipelines(ports: Ports): Shows {
  const fresh = { for: FRESH_MS, now: ports.now };
  const caches: Caches = {
    states: kept({ most: MOST_STATES, fresh }),
    graphs: kept({ most: MOST_GRAPHS }),
    drawn: kept({
      most: MOST_BYTES,
      sizeOf: (one) => ('bytes' in one ? one.bytes.length : 0),
      forgets: (one) => 'refused' in one,
    }),
  };
  const shown = findShown(ports.store, ports.now);
  const { find } = shown;
  const stateOf = async ({ id }: ShownPipeline) =>
    await caches.states.get(String(id), async () => {
      const state = await ports.store.state(id);
      return { state, digest: ports.digest(JSON.stringify(state)), tags: new Map() };
    });
  return {
    async publicView(name, member) {
      const pipeline = await find(name, member);
      if (pipeline === undefined) return undefined;
      const structure = publicStructure(await ports.store.definition(pipeline.revision));
      return { pipeline, ...structure, state: (await stateOf(pipeline)).state };
    },
    async picture(name, member, wanted) {
      const pipeline = await find(name, member);
      return (
        pipeline && (await findPicture({ ports, caches, pipeline, wanted, found: await stateOf(pipeline) }))
      );
    },
    pictureAtHand: (name, wanted) => findAtHand(caches, shown.atHand(name), wanted),
    async badge({ job, ...name }, member) {
      const pipeline = await find(name, member);
      if (pipeline === undefined) return undefined;
      const jobs = (await stateOf(pipeline)).state.jobs.filter(
        (one) => job === undefined || one.name === job,
      );
      if (job !== undefined && jobs.length === 0) return undefined;
      return { ...badgeOf(job ?? pipeline.pipeline, jobs.map(stateOfShown)), public: pipeline.public };
    },
  };
}

function findAtHand(
  { states, drawn }: Caches,
  pipeline: ShownPipeline | undefined,
  wanted: PictureWanted,
): PictureAtHand | undefined {
  if (wanted.version !== undefined || pipeline === undefined) return undefined;
  const tag = states.atHand(String(pipeline.id))?.tags.get(tagKey(pipeline, wanted));
  const found = tag === undefined ? undefined : drawn.atHand(tag);
  if (tag === undefined || found === undefined || 'refused' in found) return undefined;
  return { tag, bytes: found.bytes };
}

interface Finding {
  ports: Ports;
  caches: Caches;
  pipeline: ShownPipeline;
  wanted: PictureWanted;
  found: StateFound;
}

async function findPicture(finding: Finding): Promise<PictureFound | 'no-version'> {
  const { ports, caches, pipeline, wanted, found } = finding;
  const { format, version } = wanted;
  const resource = version === undefined ? '' : await ports.store.resourceOfVersion(pipeline.id, version);
  if (resource === undefined) return 'no-version';
  const parts = [
    ports.release,
    pipeline.team,
    pipeline.pipeline,
    pipeline.revision,
    format,
    optionsOf(wanted),
    resource,
    found.digest,
  ];
  const tag = ports.digest(JSON.stringify(parts));
  if (version === undefined) found.tags.set(tagKey(pipeline, wanted), tag);
  const draw = async () => {
    const picture = await pictureOf(finding, resource === '' ? undefined : resource);
    return await drawIn(ports, format, picture);
  };
  return { tag, public: pipeline.public, draw: () => caches.drawn.get(tag, draw) };
}

const optionsOf = ({ hideIntermediates, groupParallel }: PictureWanted): string =>
  `${Number(hideIntermediates)}${Number(groupParallel)}`;

/** What the tag is made of, without the state that it stands beside. */
const tagKey = (pipeline: ShownPipeline, wanted: PictureWanted): string =>
  `${wanted.format} ${optionsOf(wanted)} ${pipeline.revision} ${keyOf(pipeline)}`;

async function pictureOf(
  { ports, caches, pipeline, wanted, found }: Finding,
  resource?: string,
): Promise<PictureToDraw> {
  const definition = await ports.store.definition(pipeline.revision);
  const { hideIntermediates, groupParallel } = wanted;
  const graph = async (options: { hideIntermediates: boolean; groupParallel: boolean }): Promise<Graph> =>
    await caches.graphs.get(`${pipeline.revision} ${JSON.stringify(options)}`, async () =>
      graphOf(definition, options),
    );
  const shown = await graph({ hideIntermediates, groupParallel });
  const whole =
    resource === undefined ? undefined : await graph({ hideIntermediates: false, groupParallel: false });
  const followed = whole && resource !== undefined ? { whole, resource } : undefined;
  return { graph: shown, looks: looksOf(shown, graphState(found.state), followed), name: pipeline.pipeline };
}

async function drawIn(
  { drawing, encode }: Ports,
  format: PictureWanted['format'],
  picture: PictureToDraw,
): Promise<{ bytes: Uint8Array } | DrawingRefused> {
  if (format === 'dot') return { bytes: encode(writeDot(picture.graph, picture.name, picture.looks)) };
  if (format === 'png') {
    const painted = await drawing.png(picture);
    return 'png' in painted ? { bytes: painted.png } : painted;
  }
  const drawn = await drawing.svg(picture);
  return 'svg' in drawn ? { bytes: encode(drawn.svg) } : drawn;
}

function graphState({ jobs, resources }: ShownState): GraphState {
  return {
    jobs: new Map(jobs.map((job) => [job.name, stateOfShown(job)])),
    resources: new Map(resources.map(({ name, pinned, failing }) => [name, { pinned, failing }])),
  };
}

export function stateOfShown({ paused, ended, doing }: ShownState['jobs'][number]): JobState {
  const builds = [...(ended === undefined ? [] : [ended]), ...doing].map((status) => ({
    number: '1',
    status,
  }));
  return stateOfJob(builds, paused);
}
