import type { PipelineName } from '#flows/names.ts';
import { kept } from './cache.ts';
import type { ShownPipeline, ShowStore } from './show-ports.ts';

/**
 * For so long nobody asks the database again, however many look: what was public is shown no longer than that
 * after it is not.
 */
export const FRESH_MS = 1000;
const MOST_PIPELINES = 1000;

/**
 * The pipeline, if who asks may see it. `undefined` costs the same whether it is not there or not theirs to
 * see.
 */
export interface FindShown {
  find: (name: PipelineName, member: boolean) => Promise<ShownPipeline | undefined>;
  /** For a stranger and without waiting; also undefined where the database must be asked. */
  atHand: (name: PipelineName) => ShownPipeline | undefined;
}

export function findShown(store: Pick<ShowStore, 'shown'>, now: () => number): FindShown {
  const pipelines = kept<ShownPipeline | undefined>({
    most: MOST_PIPELINES,
    fresh: { for: FRESH_MS, now },
  });
  return {
    async find({ team, pipeline }, member) {
      const name = { team, pipeline };
      return seenBy(member, await pipelines.get(keyOf(name), () => store.shown(name)));
    },
    atHand: (name) => seenBy(false, pipelines.atHand(keyOf(name))),
  };
}

function seenBy(member: boolean, found: ShownPipeline | undefined): ShownPipeline | undefined {
  return found !== undefined && (found.public || member) ? found : undefined;
}

/** Names come from paths, and may have anything in them. */
export const keyOf = ({ team, pipeline }: PipelineName): string => `${team.length} ${team}${pipeline}`;
