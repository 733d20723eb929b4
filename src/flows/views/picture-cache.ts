import type { Graph } from '#domain/graph/graph.ts';
import { createCache, type Cache } from './cache.ts';
import type { DrawingRefused, OverviewState } from './overview-ports.ts';
import { FRESH_MS } from './pipeline-lookup.ts';

const MAX_STATES = 100;
const MAX_GRAPHS = 48;
/** Limit for all drawn pictures together. */
const MAX_PICTURE_BYTES = 32 * 1024 * 1024;

export interface StateFound {
  state: OverviewState;
  /** Hash of the state, a part of the ETags. */
  digest: string;
  /** ETags of the pictures of this state that were requested, by format, shape and revision. */
  tags: Map<string, string>;
}

/** Drawn pictures, and the states and graphs that they are drawn from. */
export interface PictureCaches {
  /** By pipeline id. */
  states: Cache<StateFound>;
  /** By revision and shape. */
  graphs: Cache<Graph>;
  /** By ETag. */
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
      // A refusal is returned, but not stored: the next request tries again.
      skips: (picture) => 'refused' in picture,
    }),
  };
}
