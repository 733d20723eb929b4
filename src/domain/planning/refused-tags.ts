import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { checkGroups } from '#domain/scheduling/check-groups.ts';
import { formatList } from '#domain/scheduling/reasons.ts';
import { isPlacementRefusal, placePod, type PlacementRefusal, type TagRules } from './choose-nodes.ts';

/** One refusal for each job and each check group of the pipeline whose tags allow it no Pod. */
export function refusedTags(
  pipeline: Pipeline,
  rules: TagRules,
  labelOf: (tag: string) => string,
): PlacementRefusal[] {
  const podsWithTags = [
    ...pipeline.jobs.map(({ name, tags = [] }) => ({ work: `job ${name}`, tags })),
    ...checkGroups(pipeline).map(({ resources, tags }) => ({
      work: `check of ${formatList(resources)}`,
      tags,
    })),
  ];
  return podsWithTags.flatMap(({ work, tags }) => {
    const placement = placePod(tags, rules, labelOf);
    if (!isPlacementRefusal(placement)) return [];
    return [{ reason: placement.reason, message: `${work}: ${placement.message}` }];
  });
}
