import { isPlacementRefusal, placePod, type TagRules } from './choose-nodes.ts';

/** Nodes on which Pods of a team may run: those of one tag, or those for Pods without tags. */
export interface WorkerNodes {
  /** Absent: Pods without tags. */
  tag?: string;
  /** Labels that a node must have. Empty: any node without taints. */
  nodeSelector: Record<string, string>;
  /** How many nodes match and take Pods now. Taints are not compared with what the tag tolerates. */
  nodes: number;
}

export interface ClusterNodes {
  /** The label of the nodes of a tag that the Team does not define. */
  labelOf: (tag: string) => string;
  /** Tags whose label some node has. */
  labelledTags: readonly string[];
  count: (nodeSelector: Record<string, string>) => number;
}

/**
 * The nodes that a team may choose among: first those for Pods without tags, then those of each tag. The tags
 * are those that the Team allows. If it allows all, they are those that it defines, and those whose label
 * some node has.
 */
export function workerNodes(rules: TagRules, { labelOf, labelledTags, count }: ClusterNodes): WorkerNodes[] {
  const known = rules.allowedTags ?? [...rules.workers.map(({ tag }) => tag), ...labelledTags];
  const tags = [...new Set(known)].toSorted();
  const ofTags = tags.flatMap((tag): WorkerNodes[] => {
    const placement = placePod([tag], rules, labelOf);
    if (isPlacementRefusal(placement)) return [];
    const { nodeSelector } = placement;
    return [{ tag, nodeSelector, nodes: count(nodeSelector) }];
  });
  return [{ nodeSelector: {}, nodes: count({}) }, ...ofTags];
}
