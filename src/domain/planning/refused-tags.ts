import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { checkGroups } from '#domain/scheduling/check-groups.ts';
import { formatList } from '#domain/scheduling/reasons.ts';
import { isMisplaced, placePod, type Misplaced, type TagRules } from './place-pod.ts';

/**
 * The jobs and checks of a pipeline that no Pod can be made for, because of their tags: one sentence for
 * each.
 */
export function refusedTags(
  pipeline: Pipeline,
  rules: TagRules,
  labelOf: (tag: string) => string,
): Misplaced[] {
  const wanted = [
    ...pipeline.jobs.map(({ name, tags = [] }) => ({ what: `job ${name}`, tags })),
    ...checkGroups(pipeline).map(({ resources, tags }) => ({
      what: `check of ${formatList(resources)}`,
      tags,
    })),
  ];
  return wanted.flatMap(({ what, tags }) => {
    const place = placePod(tags, rules, labelOf);
    if (!isMisplaced(place)) return [];
    return [{ reason: place.reason, message: `${what}: ${place.message}` }];
  });
}
