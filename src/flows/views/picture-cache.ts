import type { Graph } from '#domain/graph/graph.ts';
import { createCache, type Cache } from './cache.ts';
import type { DrawingRefused, OverviewState } from './overview-ports.ts';
import { FRESH_MS } from './pipeline-lookup.ts';

const MAX_STATES = 100;
const MAX_GRAPHS = 48;
/** Limit for all finished pictures together. */
const MAX_PICTURE_BYTES = 32 * 1024 * 1024;

export interface StateFound {
  state: OverviewState;
  digest: string;
  /** ETags of pictures that were requested. */
  tags: Map<string, string>;
}

/** Drawn pictures, and the states and graphs that they are drawn from. */
export interface PictureCaches {
  states: Cache<StateFound>;
  graphs: Cache<Graph>;
  drawn: Cache<{ bytes: Uint8Array } | DrawingRefused>;
}

/** `now`: milliseconds. */
export function createPictureCaches(now: () => number): PictureCaches {
  return {
    states: createCache({ maxSize: MAX_STATES, maxAge: { ms: FRESH_MS, now } }),
    graphs: createCache({ maxSize: MAX_GRAPHS }),
    drawn: createCache({
      maxSize: MAX_PICTURE_BYTES,
      sizeOf: (picture) => ('bytes' in picture ? picture.bytes.length : 0),
      skips: (picture) => 'refused' in picture,
    }),
  };
}
