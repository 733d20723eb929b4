import { defined } from '#defined';
import { formatList } from '#domain/scheduling/reasons.ts';

export type Amounts = Record<string, number | string>;

/** A taint that a Pod bears, as Kubernetes writes it. */
interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal';
  value?: string;
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  tolerationSeconds?: number;
}

/** What a Team makes of one tag. */
export interface Worker {
  tag: string;
  /** Absent: the label of the tag; empty: any node. */
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  resources?: { requests?: Amounts; limits?: Amounts };
  runtimeClassName?: string;
}

export interface TagRules {
  /** Name of the team. */
  name: string;
  /** Absent: any. */
  allowedTags?: readonly string[];
  workers: readonly Worker[];
}

/** Where a Pod may run, and what it asks for beyond what its team asks for every Pod. */
export interface Placement {
  nodeSelector: Record<string, string>;
  tolerations: Toleration[];
  requests: Amounts;
  limits: Amounts;
  runtimeClassName?: string;
}

export interface Misplaced {
  reason: 'TagNotAllowed' | 'TagsConflict';
  message: string;
}

export const ANYWHERE: Placement = { nodeSelector: {}, tolerations: [], requests: {}, limits: {} };

/**
 * The place of a Pod whose job or checks have these tags, or why there is none. A pipeline's text chooses
 * among what the Team allows: nothing of it becomes a selector but the tag's own label.
 */
export function placePod(
  tags: readonly string[],
  rules: TagRules,
  labelOf: (tag: string) => string,
): Placement | Misplaced {
  const { allowedTags } = rules;
  const forbidden = allowedTags && tags.filter((tag) => !allowedTags.includes(tag));
  if (forbidden !== undefined && forbidden.length > 0) return notAllowed(forbidden, rules);
  const workers = workersOf(tags, rules, labelOf);
  const conflict = conflictBetween(workers);
  if (conflict !== undefined) return { reason: 'TagsConflict', message: conflict };
  const runtimeClassName = workers.find((worker) => worker.runtimeClassName !== undefined)?.runtimeClassName;
  return {
    nodeSelector: sorted(workers.map(({ nodeSelector = {} }) => nodeSelector)),
    tolerations: workers.flatMap(({ tolerations = [] }) => tolerations),
    requests: sorted(workers.map(({ resources }) => resources?.requests ?? {})),
    limits: sorted(workers.map(({ resources }) => resources?.limits ?? {})),
    ...defined({ runtimeClassName }),
  };
}

export function isMisplaced(place: Placement | Misplaced): place is Misplaced {
  return 'reason' in place;
}

/** In the order of the Team, those it says nothing of at the end. */
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

function notAllowed(forbidden: readonly string[], { name, allowedTags = [] }: TagRules): Misplaced {
  const what = forbidden.length === 1 ? 'the tag' : 'the tags';
  const instead = allowedTags.length === 0 ? 'none' : formatList(allowedTags);
  const message = `Team ${name} does not allow ${what} ${formatList(forbidden)}; its spec.allowedTags has ${instead}.`;
  return { reason: 'TagNotAllowed', message };
}

/** One node has one value of a label, and one Pod has one runtime class. */
function conflictBetween(workers: readonly Worker[]): string | undefined {
  const seen = new Map<string, { tag: string; value: string }>();
  for (const { tag, nodeSelector = {}, runtimeClassName } of workers) {
    const wants = Object.entries(nodeSelector).map(([label, value]) => [`the node label ${label}`, value]);
    if (runtimeClassName !== undefined) wants.push(['the runtime class', runtimeClassName]);
    for (const [what = '', value = ''] of wants) {
      const other = seen.get(what);
      if (other !== undefined && other.value !== value)
        return `No Pod can have the tags ${other.tag} and ${tag}: they want ${what} to be ${other.value} and ${value}.`;
      seen.set(what, { tag, value });
    }
  }
  return undefined;
}

/** Of two that name the same key, the later one's; keys in order, so that the same tags give the same Pod. */
function sorted<T>(parts: readonly Record<string, T>[]): Record<string, T> {
  const entries = parts.flatMap((part) => Object.entries(part));
  return Object.fromEntries(entries.toSorted(([a], [b]) => Number(a > b) - Number(a < b)));
}
