import { kept } from './kept.ts';
import type { PipelineName } from './ports.ts';
import type { ShowStore, ShownPipeline } from './show-ports.ts';

/** For so long nobody asks the database again, however many look. */
export const FRESH_MS = 1000;
const MOST_PIPELINES = 1000;

/** The pipeline, if who asks may see it. `undefined` costs the same whether it is not there or not theirs to see. */
export type FindShown = (name: PipelineName, member: boolean) => Promise<ShownPipeline | undefined>;

export function findShown(store: Pick<ShowStore, 'shown'>, now: () => number): FindShown {
  const pipelines = kept<ShownPipeline | undefined>({
    most: MOST_PIPELINES,
    fresh: { for: FRESH_MS, now },
  });
  return async ({ team, pipeline }, member) => {
    const name = { team, pipeline };
    const found = await pipelines.get(JSON.stringify(name), () => store.shown(name));
    return found !== undefined && (found.public || member) ? found : undefined;
  };
}
