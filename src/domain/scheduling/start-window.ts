import type { Sharing } from './pace-starts.ts';
import type { Reason } from './reasons.ts';
import { shareByTeam } from './share-by-team.ts';

/*
 * A Pod loads its node most while it starts: the node sets up its network, pulls images and starts
 * containers. The start window limits how many Pods may be starting at a time.
 */

/** A node that takes new Pods. While the operator does not know the nodes yet, it assumes one. */
export interface StartNode {
  cores: number;
}

/** A Pod of a build, or a warm Pod, whose agent has not connected yet. */
export interface StartingPod {
  team: string;
  /** Key of the nodes that may take the Pod. Equal node selectors have equal keys. */
  nodes: string;
  /** `unplaced`: no node fits, so the Pod loads none. */
  state: 'starting' | 'unplaced';
  /** Seconds since the Pod was created. */
  age: number;
}

export interface StartWindow {
  /** Pods that may be starting on each node (`paceStarts`). */
  perNode: number;
  /** The nodes that have the key `nodes` (see `StartingPod`). */
  nodesOf: (nodes: string) => readonly StartNode[];
  /** All nodes. */
  all: readonly StartNode[];
  /** How the team shares the nodes with other teams. */
  sharing: (team: string) => Sharing;
  /**
   * Builds of the team that wait for their Pods, as far as they were read, or 0 if the wanted Pods are not
   * those of builds.
   */
  waitingOf: (team: string) => number;
  /** Pods of builds that a team has, starting or running. */
  podsOf: (team: string) => number;
}

export interface WantedStart {
  team: string;
  nodes: string;
}

export interface PickedStarts<Work> {
  start: Work[];
  held: { work: Work; reason: Reason }[];
}

/** Pods of a team that may be without a node: enough for a cluster autoscaler to see the demand. */
const MAX_UNPLACED_OF_TEAM = 20;
/** How long a team yields to a starting Pod of a team with at most half as many Pods. */
const MAX_YIELD_SECONDS = 10;

/**
 * How many Pods may be starting at a time on these nodes. If no node is known, as many as on one node, since
 * the cluster may be about to add it.
 */
export function startSlots(nodes: readonly StartNode[], perNode: number): number {
  const slotsPerNode = Math.max(1, Math.floor(perNode));
  const slots = nodes.map(({ cores }) => Math.min(slotsPerNode, Math.max(1, Math.floor(cores))));
  return slots.length === 0 ? slotsPerNode : slots.reduce((sum, ofNode) => sum + ofNode, 0);
}

/**
 * Which Pods to create now. Teams take turns; the team with the fewest starting Pods goes first.
 *
 * - A team without a starting Pod gets a slot even if other teams hold all of them, up to twice the window,
 *   unless it has to yield.
 * - A team yields to a starting Pod of a team with at most half as many Pods, for `MAX_YIELD_SECONDS`. To the
 *   larger team, that Pod counts as all slots of one node, so that fewer Pods start beside it.
 * - If other teams have started Pods in the last minutes, a team leaves them one slot of a window that has
 *   several. Their next build then starts on a node that has processor time left.
 * - If this leaves the team one of two slots, on the only node, and more than two of its builds wait, the
 *   team pauses after each start. The pause is as long as the start took, but at most two seconds. Without
 *   the pause, a Pod of the team would always be starting.
 */
export function pickStarts<Work extends WantedStart>(
  waiting: readonly Work[],
  present: readonly StartingPod[],
  window: StartWindow,
): PickedStarts<Work> {
  const picked: PickedStarts<Work> = { start: [], held: [] };
  const pods = [...present];
  const created = new Map<string, number>();
  const podsOf = (team: string): number => window.podsOf(team) + (created.get(team) ?? 0);
  const starting = pods.filter(({ state }) => state === 'starting').map(({ team }) => team);
  for (const work of shareByTeam(waiting, starting)) {
    const reason = whyHeld(work, pods, { ...window, podsOf });
    if (reason === undefined) {
      picked.start.push(work);
      pods.push({ team: work.team, nodes: work.nodes, state: 'starting', age: 0 });
      created.set(work.team, (created.get(work.team) ?? 0) + 1);
    } else picked.held.push({ work, reason });
  }
  return picked;
}

function whyHeld(work: WantedStart, pods: readonly StartingPod[], window: StartWindow): Reason | undefined {
  const { team, nodes } = work;
  const unplaced = pods.filter((pod) => pod.state === 'unplaced' && pod.team === team).length;
  if (unplaced >= MAX_UNPLACED_OF_TEAM) return heldByUnplaced(unplaced);
  const starting = pods.filter(({ state }) => state === 'starting');
  const isFirst = !starting.some((pod) => pod.team === team);
  const onNodes = { nodes: window.nodesOf(nodes), pods: starting.filter((pod) => pod.nodes === nodes) };
  return (
    whyHeldOn({ nodes: window.all, pods: starting, isFirst }, team, window) ??
    whyHeldOn({ ...onNodes, isFirst }, team, window) ??
    whyPausing(work, window)
  );
}

interface Scope {
  nodes: readonly StartNode[];
  /** Pods that are starting on these nodes. */
  pods: readonly StartingPod[];
  /** The team has no starting Pod, on any node. */
  isFirst: boolean;
}

function whyHeldOn({ nodes, pods, isFirst }: Scope, team: string, window: StartWindow): Reason | undefined {
  const slots = startSlots(nodes, window.perNode);
  const podsToYieldTo = pods.filter((pod) => yieldsTo(team, pod, window)).length;
  const have = pods.length;
  const maxHave = isFirst && podsToYieldTo === 0 ? 2 * slots : slots;
  if (have >= maxHave) return heldByWindow(have, slots, nodes.length);
  const podsOfTeam = pods.filter((pod) => pod.team === team).length;
  const leavesOneSlot = slots > 1 && window.sharing(team) !== 'alone';
  if (leavesOneSlot && podsOfTeam >= slots - 1) return heldForOthers(podsOfTeam, slots);
  // A Pod to yield to counts as all slots of its node, not as one.
  const extraSlots = podsToYieldTo * (slotsOfOneNode(nodes, window.perNode) - 1);
  return podsToYieldTo > 0 && have + extraSlots >= slots ? heldBySmallerTeam(have, slots) : undefined;
}

/** With several nodes, the Pod that has just started may be on another one. */
function whyPausing(
  { team, nodes }: WantedStart,
  { all, nodesOf, perNode, sharing, waitingOf }: StartWindow,
): Reason | undefined {
  const isSmall = all.length === 1 && nodesOf(nodes).length === 1 && startSlots(all, perNode) === 2;
  return isSmall && waitingOf(team) > 2 && sharing(team) === 'pausing' ? heldByPause() : undefined;
}

function yieldsTo(team: string, { team: other, age }: StartingPod, { podsOf }: StartWindow): boolean {
  return other !== team && age < MAX_YIELD_SECONDS && 2 * podsOf(other) <= podsOf(team);
}

/** The slots of the node that has the most. */
function slotsOfOneNode(nodes: readonly StartNode[], perNode: number): number {
  return Math.max(1, ...nodes.map((node) => startSlots([node], perNode)));
}

function heldBySmallerTeam(have: number, want: number): Reason {
  const message =
    'A build of a team with fewer Pods is starting. ' +
    `The build starts when that one runs, or ${MAX_YIELD_SECONDS} s later.`;
  return { code: 'StartWindow', message, data: { have, want } };
}

function heldForOthers(have: number, slots: number): Reason {
  const pods = have === 1 ? 'One Pod of the team is' : `${have} Pods of the team are`;
  const message =
    `${pods} starting, and one slot is left to other teams, which have started builds in the last minutes. ` +
    'The build starts when one of these Pods runs.';
  return { code: 'StartWindow', message, data: { have, want: slots - 1 } };
}

function heldByPause(): Reason {
  const message =
    'Other teams have started Pods in the last five minutes, so the team pauses after each start: ' +
    'as long as that start took, at most 2 s.';
  return { code: 'StartWindow', message };
}

function heldByWindow(have: number, want: number, nodes: number): Reason {
  const pods = have === 1 ? 'One Pod is' : `${have} Pods are`;
  const message =
    `${pods} starting on ${nodesText(nodes)}, where ${want} may start at a time. ` +
    'The build starts when one of them runs.';
  return { code: 'StartWindow', message, data: { have, want } };
}

function nodesText(count: number): string {
  if (count === 0) return 'nodes to come';
  return count === 1 ? 'one node' : `${count} nodes`;
}

function heldByUnplaced(have: number): Reason {
  const message = `No node can take ${have} Pods of the team. Millrace creates no more until a node can.`;
  return { code: 'StartWindow', message, data: { have, want: MAX_UNPLACED_OF_TEAM } };
}
