import { defined } from '#defined';
import { judgeStarting } from '#domain/build/judge-starting.ts';
import {
  pickStarts,
  type PickedStarts,
  type StartingPod,
  type StartWindow,
} from '#domain/scheduling/start-window.ts';
import type { Cluster, NodeSelector, PodFacts } from './ports.ts';
import { nodeSelectorOf } from './request-pod.ts';
import type { BuildPodStore, PendingBuild } from './workloads.ts';

export interface WindowPorts {
  builds: Pick<BuildPodStore, 'startingPods'>;
  cluster: Pick<Cluster, 'teamPods' | 'nodeLabel' | 'runningPods' | 'nodes' | 'startsPerNode' | 'sharing'>;
  /** The Pods of Millrace that the watch shows now. */
  pods: () => PodFacts[];
  now: () => Date;
}

/**
 * Reads the Pods that are starting: those of builds, and warm Pods. The database knows which agents have not
 * connected, and the watch knows the states of the Pods.
 */
export async function gatherStarting(ports: WindowPorts): Promise<StartingPod[]> {
  const recorded = await ports.builds.startingPods();
  if (recorded.length === 0) return [];
  const pods = new Map(ports.pods().map((pod) => [pod.uid, pod]));
  const now = ports.now();
  return recorded.flatMap(({ team, podUid, podCreatedAt }) => {
    const pod = pods.get(podUid);
    const age = secondsBetween(podCreatedAt, now);
    const scheduled = pod?.scheduledAt && secondsBetween(pod.scheduledAt, now);
    const state = judgeStarting(pod, { created: age, ...defined({ scheduled }) });
    return state === undefined ? [] : { team, nodes: selectorKey(pod?.nodeSelector ?? {}), state, age };
  });
}

/** A build that needs a Pod. */
export interface WantedBuild {
  team: string;
  /** Key of the node selector of the build's Pod. */
  nodes: string;
  build: PendingBuild;
}

/**
 * Decides which builds get their Pods now. `refused`: builds whose Pods would be refused, so they take no
 * slot.
 */
export function pickBuilds(
  builds: readonly PendingBuild[],
  starting: readonly StartingPod[],
  { cluster }: Pick<WindowPorts, 'cluster'>,
): PickedStarts<WantedBuild> & { refused: PendingBuild[] } {
  const selectors = new Map<string, NodeSelector>();
  const refused: PendingBuild[] = [];
  const candidates = builds.flatMap((build): WantedBuild[] => {
    const selector = nodeSelectorOf(build, cluster);
    if (selector === undefined) {
      refused.push(build);
      return [];
    }
    const nodes = selectorKey(selector);
    selectors.set(nodes, selector);
    return [{ team: build.team, nodes, build }];
  });
  const byTeam = Map.groupBy(candidates, ({ team }) => team);
  const waitingOf = (team: string): number => byTeam.get(team)?.length ?? 0;
  return { ...pickStarts(candidates, starting, { ...windowOf(selectors, { cluster }), waitingOf }), refused };
}

/** The start window for Pods with these node selectors. `selectors`: by their `selectorKey`. */
export function windowOf(
  selectors: ReadonlyMap<string, NodeSelector>,
  { cluster }: Pick<WindowPorts, 'cluster'>,
): Omit<StartWindow, 'waitingOf'> {
  const counts = new Map<string, number>();
  const podsOf = (team: string): number => {
    const count = counts.get(team) ?? cluster.runningPods(team, 'build') ?? 0;
    counts.set(team, count);
    return count;
  };
  return {
    perNode: cluster.startsPerNode(),
    all: cluster.nodes({}),
    nodesOf: (nodes) => cluster.nodes(selectors.get(nodes) ?? {}),
    sharing: (team) => cluster.sharing(team),
    podsOf,
  };
}

export function selectorKey(selector: NodeSelector): string {
  return Object.entries(selector)
    .map(([label, value]) => `${label}=${value}`)
    .toSorted()
    .join(',');
}

export function secondsBetween(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000;
}
