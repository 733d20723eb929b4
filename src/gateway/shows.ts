import { hash } from 'node:crypto';
import { createPictures } from '#adapters/images/pictures.ts';
import { VERSION } from '#config';
import type { OverviewStore } from '#flows/views/overview-ports.ts';
import type { Views } from '#flows/views/ports.ts';
import { publicViews, type PublicViews } from '#flows/views/public-views.ts';
import { showPipelines, type Overviews } from '#flows/views/show-pipeline.ts';

export interface ClosableShows {
  shows: Overviews;
  publicViews: PublicViews;
  /** Ends the process that draws. */
  close(): Promise<void>;
}

const now = (): number => performance.now();

/** Pipelines as everybody may see them; the process that draws is started with the first picture. */
export function openShows(store: OverviewStore, views: Views): ClosableShows {
  const drawing = createPictures();
  const shows = showPipelines({
    store,
    drawing,
    digest: (text) => hash('sha256', text, 'base64url').slice(0, 27),
    encode: (text) => Buffer.from(text),
    now,
    release: VERSION,
  });
  return {
    shows,
    publicViews: publicViews({ store, views, now }),
    close: () => drawing.close(),
  };
}
