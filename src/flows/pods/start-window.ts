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
  cluster: Pick<
    Cluster,
    'teamPods' | 'nodeLabel' | 'runningPods' | 'nodes' | 'startsPerNode' | 'othersStart'
  >;
  /** The Pods of Millrace that the watch shows now. */
  pods: () => PodFacts[];
  now: () => Date;
}

/** The Pods of builds that are starting. Counted from Postgres and the API server each time. */
export async function gatherStarting(ports: WindowPorts): Promise<StartingPod[]> {
  const open = await ports.builds.startingPods();
  if (open.length === 0) return [];
  const pods = new Map(ports.pods().map((pod) => [pod.uid, pod]));
  const now = ports.now();
  return open.flatMap(({ team, podUid, podCreatedAt }) => {
    const pod = pods.get(podUid);
    const age = secondsBetween(podCreatedAt, now);
    const scheduled = pod?.scheduledAt && secondsBetween(pod.scheduledAt, now);
    const state = judgeStarting(pod, {
      created: age,
      ...defined({ scheduled }),
    });
    return state === undefined ? [] : { team, nodes: keyOf(pod?.nodeSelector ?? {}), state, age };
  });
}

export interface WantedBuild {
  team: string;
  nodes: string;
  build: PendingBuild;
}

/** Which builds get their Pods now. A build whose Pod will be refused is passed on without taking a slot. */
export function pickBuilds(
  builds: readonly PendingBuild[],
  starting: readonly StartingPod[],
  { cluster }: Pick<WindowPorts, 'cluster'>,
): PickedStarts<WantedBuild> & { refused: PendingBuild[] } {
  const selectors = new Map<string, NodeSelector>();
  const refused: PendingBuild[] = [];
  const wanted = builds.flatMap((build): WantedBuild[] => {
    const selector = nodeSelectorOf(build, cluster);
    if (selector === undefined) refused.push(build);
    if (selector === undefined) return [];
    const nodes = keyOf(selector);
    selectors.set(nodes, selector);
    return [{ team: build.team, nodes, build }];
  });
  return { ...pickStarts(wanted, starting, windowOf(selectors, { cluster })), refused };
}

/** `selectors`: by key. */
export function windowOf(
  selectors: ReadonlyMap<string, NodeSelector>,
  { cluster }: Pick<WindowPorts, 'cluster'>,
): StartWindow {
  const counts = new Map<string, number>();
  const podsOf = (team: string): number => {
    const count = counts.get(team) ?? cluster.runningPods(team, 'build');
    counts.set(team, count);
    return count;
  };
  return {
    perNode: cluster.startsPerNode(),
    all: cluster.nodes({}),
    nodesOf: (nodes) => cluster.nodes(selectors.get(nodes) ?? {}),
    isShared: (team) => cluster.othersStart(team),
    podsOf,
  };
}

export function keyOf(selector: NodeSelector): string {
  return Object.entries(selector)
    .map(([label, value]) => `${label}=${value}`)
    .toSorted()
    .join(',');
}

export function secondsBetween(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000;
}
