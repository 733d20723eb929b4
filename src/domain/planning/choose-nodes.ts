import { defined } from '#defined';
import { formatList } from '#domain/scheduling/reasons.ts';

/** Kubernetes quantities by resource, such as `cpu` or `memory`. */
export type Amounts = Record<string, number | string>;

/** A toleration, as in a Pod spec. */
interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal';
  value?: string;
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  tolerationSeconds?: number;
}

/** What a Team defines for one tag. */
export interface Worker {
  tag: string;
  /** Absent: the label of the tag. Empty: any node. */
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  resources?: { requests?: Amounts; limits?: Amounts };
  runtimeClassName?: string;
}

export interface TagRules {
  /** Name of the team. */
  name: string;
  /** Absent: all tags are allowed. */
  allowedTags?: readonly string[];
  workers: readonly Worker[];
}

/** Where a Pod may run, and its resources beyond those of every Pod of the team. */
export interface Placement {
  nodeSelector: Record<string, string>;
  tolerations: Toleration[];
  requests: Amounts;
  limits: Amounts;
  runtimeClassName?: string;
}

export interface PlacementRefusal {
  reason: 'TagNotAllowed' | 'TagsConflict';
  message: string;
}

/** The placement of a Pod without tags. */
export const ANYWHERE: Placement = { nodeSelector: {}, tolerations: [], requests: {}, limits: {} };

/**
 * Where a Pod with these tags may run, or why it may not. A pipeline only chooses among the tags that the
 * Team allows: apart from the labels of tags, the whole placement comes from the Team.
 */
export function placePod(
  tags: readonly string[],
  rules: TagRules,
  labelOf: (tag: string) => string,
): Placement | PlacementRefusal {
  const { allowedTags } = rules;
  const forbidden = allowedTags && tags.filter((tag) => !allowedTags.includes(tag));
  if (forbidden !== undefined && forbidden.length > 0) return refuseTags(forbidden, rules);
  const workers = workersOf(tags, rules, labelOf);
  const conflict = conflictBetween(workers);
  if (conflict !== undefined) return { reason: 'TagsConflict', message: conflict };
  const runtimeClassName = workers.find((worker) => worker.runtimeClassName !== undefined)?.runtimeClassName;
  return {
    nodeSelector: mergeSorted(workers.map(({ nodeSelector = {} }) => nodeSelector)),
    tolerations: workers.flatMap(({ tolerations = [] }) => tolerations),
    requests: mergeSorted(workers.map(({ resources }) => resources?.requests ?? {})),
    limits: mergeSorted(workers.map(({ resources }) => resources?.limits ?? {})),
    ...defined({ runtimeClassName }),
  };
}

export function isPlacementRefusal(place: Placement | PlacementRefusal): place is PlacementRefusal {
  return 'reason' in place;
}

/**
 * What applies to each of the tags, in the order of the Team. Tags that the Team does not define come last.
 */
function workersOf(
  tags: readonly string[],
  { workers }: TagRules,
  labelOf: (tag: string) => string,
): Worker[] {
  const known = workers.filter(({ tag }) => tags.includes(tag));
  const others = tags.filter((tag) => !known.some((worker) => worker.tag === tag)).toSorted();
  return [...known, ...others.map((tag): Worker => ({ tag }))].map((worker) => ({
    ...worker,
    nodeSelector: worker.nodeSelector ?? { [labelOf(worker.tag)]: 'true' },
  }));
}

function refuseTags(forbidden: readonly string[], { name, allowedTags = [] }: TagRules): PlacementRefusal {
  const noun = forbidden.length === 1 ? 'the tag' : 'the tags';
  const allowed = allowedTags.length === 0 ? 'none' : formatList(allowedTags);
  const message = `Team ${name} does not allow ${noun} ${formatList(forbidden)}; its spec.allowedTags has ${allowed}.`;
  return { reason: 'TagNotAllowed', message };
}

/**
 * Why no Pod can have all of these tags. Undefined: one can. A node has one value per label, and a Pod has
 * one runtime class.
 */
function conflictBetween(workers: readonly Worker[]): string | undefined {
  const seen = new Map<string, { tag: string; value: string }>();
  for (const { tag, nodeSelector = {}, runtimeClassName } of workers) {
    const requirements = Object.entries(nodeSelector).map(([label, value]): [string, string] => [
      `the node label ${label}`,
      value,
    ]);
    if (runtimeClassName !== undefined) requirements.push(['the runtime class', runtimeClassName]);
    for (const [property, value] of requirements) {
      const other = seen.get(property);
      if (other !== undefined && other.value !== value)
        return `No Pod can have the tags ${other.tag} and ${tag}: they want ${property} to be ${other.value} and ${value}.`;
      seen.set(property, { tag, value });
    }
  }
  return undefined;
}

/**
 * Merges the records. If a key has two values, the later one counts. Keys are sorted, so that equal tags give
 * equal Pods.
 */
function mergeSorted<T>(records: readonly Record<string, T>[]): Record<string, T> {
  const entries = records.flatMap((record) => Object.entries(record));
  return Object.fromEntries(entries.toSorted(([a], [b]) => Number(a > b) - Number(a < b)));
}
