import type { Reason } from './reasons.ts';
import { shareByTeam } from './share-by-team.ts';

/*
 * Pods that are created and whose agent has not spoken yet load their node most: the node makes their
 * network, pulls images and starts containers. The start window bounds how many there are at a time.
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
  /** Seconds since it was created. */
  age: number;
}

export interface StartWindow {
  /** Pods per node, as `paceStarts` found them bearable. */
  perNode: number;
  /** The nodes that a key stands for. */
  nodesOf: (nodes: string) => readonly StartNode[];
  /** All nodes. */
  all: readonly StartNode[];
  /** How many Pods of builds a team has, starting or running. */
  podsOf: (team: string) => number;
}

export interface WantedStart {
  team: string;
  nodes: string;
}

export interface StartsPicked<Work> {
  start: Work[];
  held: { work: Work; reason: Reason }[];
}

/**
 * A team has at most so many Pods for which there is no node: enough for a cluster that adds nodes to see
 * what is wanted.
 */
const MAX_UNPLACED_OF_TEAM = 20;
/** For so many seconds a team yields to a starting Pod of a team that has at most half as many Pods. */
const MAX_YIELD_SECONDS = 10;

/**
 * How many Pods may be starting at a time on these nodes. Where no node is known, the cluster may be about to
 * add one.
 */
export function startPlaces(nodes: readonly StartNode[], perNode: number): number {
  const each = Math.max(1, Math.floor(perNode));
  const places = nodes.map(({ cores }) => Math.min(each, Math.max(1, Math.floor(cores))));
  return places.length === 0 ? each : places.reduce((sum, one) => sum + one, 0);
}

/**
 * Which Pods are created now. Teams take turns, those first that have the fewest starting. A team that has
 * none starting gets a place although others hold them all, up to twice the window. To a team that has twice
 * as many Pods, a starting Pod counts for all places of its node: what starts beside it would make its start
 * slow.
 */
export function pickStarts<Work extends WantedStart>(
  wanted: readonly Work[],
  present: readonly StartingPod[],
  window: StartWindow,
): StartsPicked<Work> {
  const picked: StartsPicked<Work> = { start: [], held: [] };
  const pods = [...present];
  const created = new Map<string, number>();
  const podsOf = (team: string): number => window.podsOf(team) + (created.get(team) ?? 0);
  const starting = pods.filter(({ state }) => state === 'starting').map(({ team }) => team);
  for (const work of shareByTeam(wanted, starting)) {
    const reason = whyHeld(work, pods, { ...window, podsOf });
    if (reason === undefined) {
      picked.start.push(work);
      pods.push({ team: work.team, nodes: work.nodes, state: 'starting', age: 0 });
      created.set(work.team, (created.get(work.team) ?? 0) + 1);
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
  const scopes = [
    { of: window.all, pods: starting },
    { of: window.nodesOf(nodes), pods: starting.filter((pod) => pod.nodes === nodes) },
  ];
  const yields = ({ team: other, age }: StartingPod): boolean =>
    other !== team && age < MAX_YIELD_SECONDS && 2 * window.podsOf(other) <= window.podsOf(team);
  for (const scope of scopes) {
    const places = startPlaces(scope.of, window.perNode);
    const first = scope.pods.filter(yields).length;
    const have = scope.pods.length;
    const isFirstOfTeam = first === 0 && !starting.some((pod) => pod.team === team);
    if (have >= (isFirstOfTeam ? 2 : 1) * places) return heldByWindow(have, places, scope.of.length);
    if (first > 0 && have + first * (placesOfOneNode(scope.of, window.perNode) - 1) >= places)
      return heldBySmallerTeam(have, places);
  }
  return undefined;
}

function placesOfOneNode(nodes: readonly StartNode[], perNode: number): number {
  return Math.max(1, ...nodes.map((node) => startPlaces([node], perNode)));
}

function heldBySmallerTeam(have: number, want: number): Reason {
  const message =
    'A build of a team with fewer Pods is starting. ' +
    `The build starts when that one runs, or ${MAX_YIELD_SECONDS} s later.`;
  return { code: 'StartWindow', message, data: { have, want } };
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
  const message = `No node can take ${have} Pods of the team, and no more are created until one can.`;
  return { code: 'StartWindow', message, data: { have, want: MAX_UNPLACED_OF_TEAM } };
}
