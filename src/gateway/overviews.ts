import { hash } from 'node:crypto';
import { createPictures, type Pictures } from '#adapters/images/pictures.ts';
import { VERSION } from '#config';
import type { CardStore } from '#flows/views/card-ports.ts';
import type { OverviewStore } from '#flows/views/overview-ports.ts';
import type { Views } from '#flows/views/ports.ts';
import { publicViews, type PublicViews } from '#flows/views/public-views.ts';
import { showCards, type PipelineCards } from '#flows/views/show-cards.ts';
import { showPipelines, type Overviews } from '#flows/views/show-pipeline.ts';

export interface ClosableOverviews {
  overviews: Overviews;
  publicViews: PublicViews;
  cards: PipelineCards;
  previews: Pictures['previews'];
  /** Ends the drawing process. */
  close(): Promise<void>;
}

const now = (): number => performance.now();

/** Opens the views of pipelines. The drawing process starts with the first picture. */
export function openOverviews(store: OverviewStore & CardStore, views: Views): ClosableOverviews {
  const drawing = createPictures();
  const overviews = showPipelines({
    store,
    drawing,
    digest: (text) => hash('sha256', text, 'base64url').slice(0, 27),
    encode: (text) => Buffer.from(text),
    now,
    release: VERSION,
  });
  return {
    overviews,
    previews: drawing.previews,
    publicViews: publicViews({ store, views, now }),
    cards: showCards({ store, now }),
    close: () => drawing.close(),
  };
}
