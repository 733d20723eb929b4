import type { GraphNode, JobNode } from './graph.ts';
import { labelOf, widthOf } from './measure-label.ts';

/** Points between a label and its border. */
const MARGIN = 12;
const HEIGHT = 28;
/** The height of a row. A compact node shows its jobs in rows, one below the other. */
export const ROW_HEIGHT = 24;
export const ROWS_MARGIN = 6;
const MAX_ROWS = 12;

/** The labels of a node and its size in points. Both depend only on the names in the node. */
export interface Box {
  /**
   * One label, or one for each row of a compact node. `more` counts the jobs that have no row of their own.
   */
  labels: string[];
  more: number;
  width: number;
  height: number;
}

/** How many jobs share the last row because there are more jobs than `MAX_ROWS`. */
const jobsWithoutRow = (jobs: number): number => (jobs > MAX_ROWS ? jobs - MAX_ROWS + 1 : 0);

/** The row of a compact node that shows its job with this index. */
export const rowOf = ({ jobs }: JobNode, index: number): number =>
  Math.min(index, jobs.length - jobsWithoutRow(jobs.length));

export function boxOf(node: GraphNode): Box {
  const names = node.kind === 'job' ? node.jobs : [node.resource];
  const more = jobsWithoutRow(names.length);
  const labels = names.slice(0, names.length - more).map(labelOf);
  if (more > 0) labels.push(`and ${more} more`);
  const widest = Math.max(...labels.map((label) => widthOf(label)));
  const isCompact = names.length > 1;
  return {
    labels,
    more,
    width: Math.ceil(widest + 2 * MARGIN + (isCompact ? 2 * ROWS_MARGIN : 0)),
    height: isCompact ? labels.length * ROW_HEIGHT + ROWS_MARGIN : HEIGHT,
  };
}
