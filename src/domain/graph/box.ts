import type { GraphNode, JobNode } from './graph.ts';
import { labelOf, widthOf } from './measure-label.ts';

/** Distance between a label and the border of its node, in points. */
const MARGIN = 12;
const HEIGHT = 28;
/**
 * The height of a row with the margin below it, in points. A compact node shows its jobs in rows, one below
 * the other.
 */
export const ROW_HEIGHT = 24;
/** Distance between the rows of a compact node, and between rows and the border, in points. */
export const ROWS_MARGIN = 6;
const MAX_ROWS = 12;

/**
 * The labels of a node, and its size in points. They depend only on the names of the jobs or the resource in
 * the node.
 */
export interface Box {
  /**
   * One label or, for a compact node, one for each row. If jobs share the last row, its label says how many.
   */
  labels: string[];
  /** Number of jobs that share the last row; 0 if each job has its own row. */
  more: number;
  width: number;
  height: number;
}

/**
 * How many jobs share the last row, because there are more than `MAX_ROWS` jobs; 0 if each has its own row.
 */
const jobsWithoutRow = (jobs: number): number => (jobs > MAX_ROWS ? jobs - MAX_ROWS + 1 : 0);

/** The index of the row in which a compact node shows the job at `index` of its `jobs`. */
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
