import { RELEASE } from '#tools/chart/install.ts';
import { apiAddress, podRange } from '#tools/cluster/addresses.ts';
import { cutOff, freezeContainer, killIn, leaseHolder, serviceAddress, type Pod } from './containers.ts';
import {
  isPodRunning,
  kubectlWithTimeout,
  podsOfComponent,
  type FaultContext,
  type FaultKind,
} from './fault-kind.ts';

/**
 * Kills a replica with SIGKILL. The kubelet restarts a container immediately only the first time and backs
 * off later. To keep outages short, a Pod that has restarted before is replaced.
 */
const killReplica = async (pod: Pod): Promise<void> => {
  const [main] = pod.containers;
  if (main === undefined) return;
  await killIn(pod, main.name);
  if (main.restarts > 0)
    await kubectlWithTimeout(['delete', 'pod', pod.name, '--namespace', pod.namespace, '--wait=false']);
};

const leader = async (): Promise<Pod> => {
  const holder = await leaseHolder(RELEASE.namespace, `${RELEASE.name}-operator`);
  const pod = (await podsOfComponent('operator')).find(({ name }) => name === holder);
  if (pod === undefined || !isPodRunning(pod)) throw new Error(`The leader ${holder} is not running.`);
  return pod;
};

const killSome =
  (name: string, all: boolean) =>
  async (context: FaultContext): Promise<void> => {
    const pods = (await podsOfComponent(name)).filter(isPodRunning);
    const chosen = all ? pods : [context.pick(pods)];
    context.recordTarget(chosen.map((pod) => pod.name).join(' '));
    await Promise.all(chosen.map(killReplica));
  };

const killLeader = async (context: FaultContext): Promise<void> => {
  const pod = await leader();
  context.recordTarget(pod.name);
  await killReplica(pod);
};

/** Deletes a Pod gracefully, as a rolling update does; another one replaces it. */
const replace =
  (name: string) =>
  async (context: FaultContext): Promise<void> => {
    const pods = (await podsOfComponent(name)).filter(isPodRunning);
    const pod = name === 'operator' ? await leader() : context.pick(pods);
    context.recordTarget(pod.name);
    await kubectlWithTimeout(['delete', 'pod', pod.name, '--namespace', pod.namespace, '--wait=false']);
  };

const freezeLeader = async (context: FaultContext): Promise<void> => {
  const pod = await leader();
  context.recordTarget(pod.name);
  await freezeContainer(pod, 'operator', context.hold);
};

const freezeOne =
  (name: string, container = name) =>
  async (context: FaultContext): Promise<void> => {
    const pod = context.pick((await podsOfComponent(name)).filter(isPodRunning));
    context.recordTarget(pod.name);
    await freezeContainer(pod, container, context.hold);
  };

const databaseAddresses = async (): Promise<string[]> => [
  ...(await podsOfComponent('postgres')).map(({ ip }) => ip),
  ...[await serviceAddress(RELEASE.namespace, `${RELEASE.name}-postgres`)].filter((ip) => ip !== 'None'),
];

const cutLeader =
  (target: 'API server' | 'database') =>
  async (context: FaultContext): Promise<void> => {
    const pod = await leader();
    const addresses = target === 'database' ? await databaseAddresses() : [apiAddress];
    context.recordTarget(`${pod.name} from the ${target}`);
    await cutOff(pod, addresses, context.hold);
  };

const cutGateway = async (context: FaultContext): Promise<void> => {
  const pod = context.pick((await podsOfComponent('gateway-internal')).filter(isPodRunning));
  context.recordTarget(`${pod.name} from the database`);
  await cutOff(pod, await databaseAddresses(), context.hold);
};

const cutPostgres = async (context: FaultContext): Promise<void> => {
  const pod = context.pick((await podsOfComponent('postgres')).filter(isPodRunning));
  context.recordTarget(`${pod.name} from all Pods`);
  await cutOff(pod, [podRange], context.hold);
};

/** In seconds: long enough for callers to give up and retry. */
const LONG: readonly [number, number] = [40, 55];

export const FAULTS_OF_MILLRACE: readonly FaultKind[] = [
  { name: 'kill the leader', weight: 4, group: 'operator', inflict: killLeader },
  { name: 'kill both operators', weight: 2, group: 'operator', inflict: killSome('operator', true) },
  { name: 'replace the leader', weight: 1, group: 'operator', inflict: replace('operator') },
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
    name: 'cut the leader off from the database for long',
    weight: 1,
    seconds: LONG,
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
    name: 'replace a public gateway',
    weight: 1,
    group: 'gateway',
    inflict: replace('gateway-public'),
  },
  {
    name: 'replace an internal gateway',
    weight: 1,
    group: 'gateway',
    inflict: replace('gateway-internal'),
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
  {
    name: 'cut an internal gateway off from the database for long',
    weight: 1,
    seconds: LONG,
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
    name: 'cut Postgres off for long',
    weight: 1,
    seconds: LONG,
    group: 'database',
    inflict: cutPostgres,
  },
];
