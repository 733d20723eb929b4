import { run } from '#e2e/support/command.ts';
import { clusterPart } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { RELEASE } from '#e2e/support/gateway.ts';
import { apiAddress } from '#tools/cluster/addresses.ts';
import {
  cutOff,
  freezeContainer,
  freezePart,
  killIn,
  leaseHolder,
  type Pod,
  podsOf,
  serviceAddress,
} from './containers.ts';
import { KILL_KUBELET } from './history.ts';

/** What a fault has at hand while it is inflicted. */
export interface Stage {
  team: string;
  /** Tells what is hit, just before it is. */
  hit: (target: string, pod?: string) => void;
  /** Waits as long as the fault is to last, or until the run is to end. */
  hold: () => Promise<void>;
  pick: <T>(candidates: readonly T[]) => T;
}

export interface FaultKind {
  name: string;
  weight: number;
  /** How long it lasts, in seconds; absent: a moment. */
  seconds?: readonly [number, number];
  /** Those of one group never overlap. */
  group: 'control plane' | 'operator' | 'gateway' | 'database' | 'builds';
  inflict: (stage: Stage) => Promise<void>;
}

const component = (name: string): Promise<Pod[]> =>
  podsOf(RELEASE.namespace, `app.kubernetes.io/component=${name}`);

const isRunning = (pod: Pod): boolean => !pod.deleting && pod.containers.some(({ running }) => running);

/** Those of the team that run; builds are short, so there may be a little to wait. */
const ourPods = async ({ team }: Stage, kind: 'build' | 'check'): Promise<Pod[]> => {
  const look = async (): Promise<Pod[]> => {
    const pods = (await podsOf(team, `millrace.dev/kind=${kind}`)).filter(isRunning);
    if (pods.length === 0) throw new Error(`no Pod of a ${kind} runs`);
    return pods;
  };
  return eventually(look, 12);
};

/** kubectl that may not hang with the API server. */
const kubectl = (...args: string[]): Promise<unknown> => run('kubectl', ['--request-timeout=8s', ...args]);

/**
 * SIGKILL. The kubelet restarts a container at once only the first time, later after ever longer pauses; so that no outage is longer
 * than it should be, a Pod that was restarted before is replaced.
 */
const killReplica = async (pod: Pod): Promise<void> => {
  const [main] = pod.containers;
  if (main === undefined) return;
  await killIn(pod, main.name);
  if (main.restarts > 0)
    await kubectl('delete', 'pod', pod.name, '--namespace', pod.namespace, '--wait=false');
};

const leader = async (): Promise<Pod> => {
  const holder = await leaseHolder(RELEASE.namespace, `${RELEASE.name}-operator`);
  const pod = (await component('operator')).find(({ name }) => name === holder);
  if (pod === undefined || !isRunning(pod)) throw new Error(`The leader ${holder} does not run.`);
  return pod;
};

const killSome =
  (name: string, all: boolean) =>
  async (stage: Stage): Promise<void> => {
    const pods = (await component(name)).filter(isRunning);
    const chosen = all ? pods : [stage.pick(pods)];
    stage.hit(chosen.map((pod) => pod.name).join(' '));
    await Promise.all(chosen.map(killReplica));
  };

const killLeader = async (stage: Stage): Promise<void> => {
  const pod = await leader();
  stage.hit(pod.name);
  await killReplica(pod);
};

const freezeLeader = async (stage: Stage): Promise<void> => {
  const pod = await leader();
  stage.hit(pod.name);
  await freezeContainer(pod, 'operator', stage.hold);
};

const freezeOne =
  (name: string, container = name) =>
  async (stage: Stage): Promise<void> => {
    const pod = stage.pick((await component(name)).filter(isRunning));
    stage.hit(pod.name);
    await freezeContainer(pod, container, stage.hold);
  };

const database = async (): Promise<string[]> => [
  ...(await component('postgres')).map(({ ip }) => ip),
  ...[await serviceAddress(RELEASE.namespace, `${RELEASE.name}-postgres`)].filter((ip) => ip !== 'None'),
];

const cutLeader =
  (what: 'API server' | 'database') =>
  async (stage: Stage): Promise<void> => {
    const pod = await leader();
    const addresses = what === 'database' ? await database() : [apiAddress];
    stage.hit(`${pod.name} from the ${what}`);
    await cutOff(pod, addresses, stage.hold);
  };

const cutGateway = async (stage: Stage): Promise<void> => {
  const pod = stage.pick((await component('gateway-internal')).filter(isRunning));
  stage.hit(`${pod.name} from the database`);
  await cutOff(pod, await database(), stage.hold);
};

const killPart =
  (name: string) =>
  async (stage: Stage): Promise<void> => {
    stage.hit(name);
    await clusterPart('kill', name);
    try {
      await stage.hold();
    } finally {
      await clusterPart('start', name);
    }
  };

const freezePartFor =
  (name: string) =>
  async (stage: Stage): Promise<void> => {
    stage.hit(name);
    await freezePart(name, stage.hold);
  };

/** Of a running build or check: the agent, or the container in which its steps run. */
const killContainerOf =
  (kind: 'build' | 'check', which: 'agent' | 'steps') =>
  async (stage: Stage): Promise<void> => {
    const pod = stage.pick(await ourPods(stage, kind));
    const containers = pod.containers.filter(
      ({ name, running }) => running && (name === 'agent') === (which === 'agent'),
    );
    const { name } = stage.pick(containers);
    stage.hit(`${pod.name} ${name}`, pod.name);
    await killIn(pod, name);
  };

const deletePodOf =
  (kind: 'build' | 'check', ...how: string[]) =>
  async (stage: Stage): Promise<void> => {
    const pod = stage.pick(await ourPods(stage, kind));
    stage.hit(pod.name, pod.name);
    await kubectl('delete', 'pod', pod.name, '--namespace', pod.namespace, '--wait=false', ...how);
  };

const freezeAgent = async (stage: Stage): Promise<void> => {
  const pod = stage.pick(await ourPods(stage, 'build'));
  stage.hit(`${pod.name} agent`);
  await freezeContainer(pod, 'agent', stage.hold);
};

const cutBuild = async (stage: Stage): Promise<void> => {
  const pod = stage.pick(await ourPods(stage, 'build'));
  stage.hit(`${pod.name} from the gateway`);
  await cutOff(pod, [await serviceAddress(RELEASE.namespace, `${RELEASE.name}-internal`)], stage.hold);
};

const NOW = ['--grace-period=0', '--force'];

/** No outage is meant to last longer than ten seconds, but that of a leader who must outlive its lease of fifteen. */
export const FAULTS: readonly FaultKind[] = [
  { name: 'kill the leader', weight: 4, group: 'operator', inflict: killLeader },
  { name: 'kill both operators', weight: 2, group: 'operator', inflict: killSome('operator', true) },
  {
    name: 'freeze the leader past its lease',
    weight: 2,
    seconds: [17, 20],
    group: 'operator',
    inflict: freezeLeader,
  },
  {
    name: 'freeze the leader',
    weight: 1,
    seconds: [3, 9],
    group: 'operator',
    inflict: freezeLeader,
  },
  {
    name: 'cut the leader off from the API server',
    weight: 2,
    seconds: [4, 10],
    group: 'operator',
    inflict: cutLeader('API server'),
  },
  {
    name: 'cut the leader off from the database',
    weight: 2,
    seconds: [4, 10],
    group: 'operator',
    inflict: cutLeader('database'),
  },
  {
    name: 'kill a public gateway',
    weight: 2,
    group: 'gateway',
    inflict: killSome('gateway-public', false),
  },
  {
    name: 'kill both public gateways',
    weight: 1,
    group: 'gateway',
    inflict: killSome('gateway-public', true),
  },
  {
    name: 'kill an internal gateway',
    weight: 2,
    group: 'gateway',
    inflict: killSome('gateway-internal', false),
  },
  {
    name: 'kill both internal gateways',
    weight: 2,
    group: 'gateway',
    inflict: killSome('gateway-internal', true),
  },
  {
    name: 'freeze an internal gateway',
    weight: 1,
    seconds: [3, 9],
    group: 'gateway',
    inflict: freezeOne('gateway-internal'),
  },
  {
    name: 'cut an internal gateway off from the database',
    weight: 2,
    seconds: [4, 10],
    group: 'gateway',
    inflict: cutGateway,
  },
  { name: 'kill Postgres', weight: 2, group: 'database', inflict: killSome('postgres', true) },
  {
    name: 'freeze Postgres',
    weight: 1,
    seconds: [3, 8],
    group: 'database',
    inflict: freezeOne('postgres'),
  },
  {
    name: 'kill the API server',
    weight: 2,
    seconds: [0, 7],
    group: 'control plane',
    inflict: killPart('kube-apiserver'),
  },
  {
    name: 'freeze the API server',
    weight: 1,
    seconds: [3, 8],
    group: 'control plane',
    inflict: freezePartFor('kube-apiserver'),
  },
  { name: 'kill etcd', weight: 1, seconds: [0, 6], group: 'control plane', inflict: killPart('etcd') },
  {
    name: 'kill the controller manager',
    weight: 1,
    seconds: [5, 10],
    group: 'control plane',
    inflict: killPart('kube-controller-manager'),
  },
  {
    name: 'kill the scheduler',
    weight: 1,
    seconds: [3, 8],
    group: 'control plane',
    inflict: killPart('kube-scheduler'),
  },
  {
    name: KILL_KUBELET,
    weight: 1,
    seconds: [0, 5],
    group: 'control plane',
    inflict: killPart('kubelet'),
  },
  { name: 'kill an agent', weight: 4, group: 'builds', inflict: killContainerOf('build', 'agent') },
  {
    name: 'kill a container of steps',
    weight: 3,
    group: 'builds',
    inflict: killContainerOf('build', 'steps'),
  },
  { name: 'delete a build’s Pod at once', weight: 3, group: 'builds', inflict: deletePodOf('build', ...NOW) },
  { name: 'delete a build’s Pod', weight: 2, group: 'builds', inflict: deletePodOf('build') },
  { name: 'freeze an agent', weight: 1, seconds: [3, 9], group: 'builds', inflict: freezeAgent },
  {
    name: 'cut a build off from the gateway',
    weight: 2,
    seconds: [4, 10],
    group: 'builds',
    inflict: cutBuild,
  },
  {
    name: 'kill the agent of a check',
    weight: 2,
    group: 'builds',
    inflict: killContainerOf('check', 'agent'),
  },
  { name: 'delete a check’s Pod at once', weight: 2, group: 'builds', inflict: deletePodOf('check', ...NOW) },
];
