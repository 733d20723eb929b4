import type { PipelineName } from '#flows/names.ts';
import { createCache } from './cache.ts';
import type { OverviewPipeline, OverviewStore } from './overview-ports.ts';

/** How long views are cached. After a pipeline becomes private, the public may see it for this long. */
export const FRESH_MS = 1000;
const MAX_PIPELINES = 1000;

/**
 * Finds a pipeline if the viewer may see it. For anyone else, a private pipeline takes as long as one that
 * does not exist.
 */
export interface PipelineLookup {
  find: (name: PipelineName, isMember: boolean) => Promise<OverviewPipeline | undefined>;
  /**
   * A public pipeline from the cache, without reading the database. Undefined if it is not cached, private or
   * unknown.
   */
  cached: (name: PipelineName) => OverviewPipeline | undefined;
}

export function pipelineLookup(store: Pick<OverviewStore, 'pipeline'>, now: () => number): PipelineLookup {
  const pipelines = createCache<OverviewPipeline | undefined>({
    maxSize: MAX_PIPELINES,
    maxAge: { ms: FRESH_MS, now },
  });
  return {
    async find({ team, pipeline }, isMember) {
      const name = { team, pipeline };
      return ifVisible(isMember, await pipelines.get(pipelineKey(name), () => store.pipeline(name)));
    },
    cached: (name) => ifVisible(false, pipelines.cached(pipelineKey(name))),
  };
}

function ifVisible(isMember: boolean, pipeline: OverviewPipeline | undefined): OverviewPipeline | undefined {
  return pipeline !== undefined && (pipeline.public || isMember) ? pipeline : undefined;
}

/**
 * A key that is different for different pipelines, whatever characters the names have: they come from URLs.
 */
export const pipelineKey = ({ team, pipeline }: PipelineName): string => `${team.length} ${team}${pipeline}`;
