import type { Reason } from './reasons.ts';
import { shareByTeam } from './share-by-team.ts';

/*
 * Pods that are created and whose agent has not spoken yet load their node most: the node makes their network, pulls images and starts
 * containers. The start window bounds how many there are at a time.
 */

/** A node that takes new Pods, or one that is taken to exist while nothing is known of nodes. */
export interface StartNode {
  cores: number;
}

/** A Pod that was created for a build whose agent has not spoken yet. */
export interface StartingPod {
  team: string;
  /** Which nodes may take it: a key, the same for the same node selector. */
  nodes: string;
  /** `unplaced`: the scheduler finds no node for it, so it loads none. */
  state: 'starting' | 'unplaced';
}

export interface StartWindow {
  /** Pods per node, as `paceStarts` found them bearable. */
  perNode: number;
  /** The nodes that a key stands for. */
  nodesOf: (nodes: string) => readonly StartNode[];
  /** All nodes. */
  all: readonly StartNode[];
}

export interface WantedStart {
  team: string;
  nodes: string;
}

export interface StartsPicked<Work> {
  start: Work[];
  held: { work: Work; reason: Reason }[];
}

/** A team has at most so many Pods for which there is no node: enough for a cluster that adds nodes to see what is wanted. */
const MAX_UNPLACED_OF_TEAM = 20;

/** How many Pods may be starting at a time on these nodes. Where no node is known, the cluster may be about to add one. */
export function startPlaces(nodes: readonly StartNode[], perNode: number): number {
  const each = Math.max(1, Math.floor(perNode));
  const places = nodes.map(({ cores }) => Math.min(each, Math.max(1, Math.floor(cores))));
  return places.length === 0 ? each : places.reduce((sum, one) => sum + one, 0);
}

/**
 * Which Pods are created now. Teams take turns, those first that have the fewest starting. A team that has none starting gets a place
 * although others hold them all, up to twice the window.
 */
export function pickStarts<Work extends WantedStart>(
  wanted: readonly Work[],
  present: readonly StartingPod[],
  window: StartWindow,
): StartsPicked<Work> {
  const picked: StartsPicked<Work> = { start: [], held: [] };
  const pods = [...present];
  const starting = pods.filter(({ state }) => state === 'starting').map(({ team }) => team);
  for (const work of shareByTeam(wanted, starting)) {
    const reason = whyHeld(work, pods, window);
    if (reason === undefined) {
      picked.start.push(work);
      pods.push({ team: work.team, nodes: work.nodes, state: 'starting' });
    } else picked.held.push({ work, reason });
  }
  return picked;
}

function whyHeld(
  { team, nodes }: WantedStart,
  pods: readonly StartingPod[],
  window: StartWindow,
): Reason | undefined {
  const unplaced = pods.filter((pod) => pod.state === 'unplaced' && pod.team === team).length;
  if (unplaced >= MAX_UNPLACED_OF_TEAM) return heldByUnplaced(unplaced);
  const starting = pods.filter(({ state }) => state === 'starting');
  const factor = starting.some((pod) => pod.team === team) ? 1 : 2;
  const scopes = [
    { of: window.all, have: starting.length },
    { of: window.nodesOf(nodes), have: starting.filter((pod) => pod.nodes === nodes).length },
  ];
  const full = scopes.find(({ of, have }) => have >= factor * startPlaces(of, window.perNode));
  return full && heldByWindow(full.have, startPlaces(full.of, window.perNode), full.of.length);
}

function heldByWindow(have: number, want: number, nodes: number): Reason {
  const pods = have === 1 ? 'One Pod is' : `${have} Pods are`;
  const where = nodes === 0 ? 'on nodes to come' : `on ${nodes === 1 ? 'one node' : `${nodes} nodes`}`;
  const message = `${pods} starting ${where}, where ${want} may at a time. The build starts when one of them runs.`;
  return { code: 'StartWindow', message, data: { have, want } };
}

function heldByUnplaced(have: number): Reason {
  const message = `No node can take ${have} Pods of the team, and no more are created until one can.`;
  return { code: 'StartWindow', message, data: { have, want: MAX_UNPLACED_OF_TEAM } };
}
