import { hash } from 'node:crypto';
import { drawBadge } from '#adapters/images/draw-badge.ts';
import { createPictures } from '#adapters/images/pictures.ts';
import type { PublicApi } from '#adapters/http/public-api.ts';
import { VERSION } from '#config';
import { showLists } from '#flows/show-lists.ts';
import { showPipelines } from '#flows/show-pipeline.ts';
import type { ShowStore } from '#flows/show-ports.ts';
import type { Views } from '#flows/views.ts';

export interface ClosableShows extends Pick<
  PublicApi,
  'publicView' | 'picture' | 'pictureAtHand' | 'badge' | 'shown'
> {
  /** Ends the process that draws. */
  close(): Promise<void>;
}

const now = (): number => performance.now();

/** Pipelines as everybody may see them; the process that draws is started with the first picture. */
export function openShows(store: ShowStore, views: Views): ClosableShows {
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
    ...shows,
    shown: showLists({ store, views, now }),
    async badge(name, member) {
      const found = await shows.badge(name, member);
      return found && { svg: drawBadge(found), public: found.public };
    },
    close: () => drawing.close(),
  };
}
