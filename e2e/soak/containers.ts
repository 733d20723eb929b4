import { runOrThrow } from '#e2e/support/command.ts';
import type { KubernetesObject } from '#e2e/support/kubectl.ts';
import { askApi } from '#tools/cluster/api.ts';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';
import { identityOf, isAlive, signal, type ProcessIdentity } from '#tools/cluster/identity.ts';
import { containerdSocket } from '#tools/cluster/node-config.ts';
import { partOf } from '#tools/cluster/parts.ts';
import { processOf } from '#tools/cluster/processes.ts';

/* Access that only the embedded cluster allows, because its containers are processes of this machine. */
export const folders = foldersFrom(process.env);

/**
 * Fetches an object. Throws if the API server answers with another status than 200, or does not answer for
 * three seconds, as when it is frozen.
 */
const fetchObject = async <T>(path: string): Promise<T> => {
  const answer = await askApi(folders, path);
  if (answer?.status !== 200)
    throw new Error(`GET ${path}: ${answer === undefined ? 'no answer' : answer.status}`);
  const object: T = JSON.parse(answer.body);
  return object;
};

export interface Pod {
  namespace: string;
  name: string;
  uid: string;
  labels: Record<string, string>;
  deleting: boolean;
  phase: string;
  ip: string;
  containers: { name: string; id: string; running: boolean; ended: boolean; restarts: number }[];
}

interface ContainerStatus {
  name: string;
  containerID?: string;
  restartCount: number;
  state: { running?: object; terminated?: object };
}

export const podsOf = async (namespace: string, selector = ''): Promise<Pod[]> => {
  const query = `?labelSelector=${encodeURIComponent(selector)}`;
  const { items } = await fetchObject<{ items: KubernetesObject[] }>(
    `/api/v1/namespaces/${namespace}/pods${query}`,
  );
  return items.map(({ metadata, status = {} }) => {
    const statuses: ContainerStatus[] = Array.isArray(status['containerStatuses'])
      ? status['containerStatuses']
      : [];
    return {
      namespace,
      name: metadata.name,
      uid: metadata.uid,
      labels: metadata.labels ?? {},
      deleting: metadata.deletionTimestamp !== undefined,
      phase: status.phase ?? '',
      ip: status.podIP ?? '',
      containers: statuses.map(({ name, containerID = '', state, restartCount }) => ({
        name,
        id: containerID.replace('containerd://', ''),
        running: state.running !== undefined,
        ended: state.terminated !== undefined,
        restarts: restartCount,
      })),
    };
  });
};

export const leaseHolder = async (namespace: string, name: string): Promise<string> => {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  const lease = await fetchObject<{ spec?: { holderIdentity?: string } }>(path);
  return lease.spec?.holderIdentity ?? '';
};

const ctr = (...args: string[]): Promise<string> =>
  runOrThrow(binaryPath(folders, 'ctr'), [
    '--address',
    containerdSocket(folders),
    '--namespace',
    'k8s.io',
    ...args,
  ]);

const runningId = (pod: Pod, container: string): string => {
  const found = pod.containers.find(({ name, running }) => name === container && running);
  if (found === undefined) throw new Error(`Container ${container} of Pod ${pod.name} is not running.`);
  return found.id;
};

/** Sends SIGKILL to process 1 of a container. */
export const killIn = async (pod: Pod, container: string): Promise<void> => {
  await ctr('tasks', 'kill', '--signal', 'SIGKILL', runningId(pod, container));
};

/** The processes of a container by their ids on this machine. */
const processesIn = async (pod: Pod, container: string): Promise<ProcessIdentity[]> => {
  const listing = await ctr('tasks', 'ps', runningId(pod, container));
  return listing
    .split('\n')
    .flatMap((line) => /^(\d+)\b/.exec(line)?.[1] ?? [])
    .flatMap((pid) => identityOf(Number(pid)) ?? []);
};

/** Stops processes, and resumes them when `during` ends or throws. */
const freeze = async (processes: readonly ProcessIdentity[], during: () => Promise<void>): Promise<void> => {
  for (const identity of processes) signal(identity, 'SIGSTOP');
  try {
    await during();
  } finally {
    for (const identity of processes) signal(identity, 'SIGCONT');
  }
};

export const freezeContainer = async (
  pod: Pod,
  container: string,
  during: () => Promise<void>,
): Promise<void> => freeze(await processesIn(pod, container), during);

export const freezePart = async (name: string, during: () => Promise<void>): Promise<void> => {
  const running = processOf(folders, partOf(folders, name));
  if (running === undefined) throw new Error(`${name} is not running.`);
  await freeze([running], during);
};

/** Parts that no fault touches. If they stop, somebody else stopped or restarted the cluster. */
const UNTOUCHED = ['containerd', 'kube-proxy'];

/**
 * Waits until somebody else stops or restarts the cluster; returns the part that stopped, or undefined when
 * `until` aborts.
 */
export const waitForInterference = async (
  pause: () => Promise<void>,
  until: AbortSignal,
): Promise<string | undefined> => {
  const before = UNTOUCHED.map((name) => ({ name, running: processOf(folders, partOf(folders, name)) }));
  while (!until.aborted) {
    const stopped = before.find(({ running }) => running === undefined || !isAlive(running));
    if (stopped !== undefined) return stopped.name;
    await pause();
  }
  return undefined;
};

const TABLE = 'inet millrace-soak';

/**
 * Until `during` ends or throws, drops every packet between a Pod and these addresses, so neither end notices
 * that the other is gone. The rules are in the Pod's network namespace and disappear with it.
 */
export const cutOff = async (
  pod: Pod,
  addresses: readonly string[],
  during: () => Promise<void>,
): Promise<void> => {
  const [runningContainer] = pod.containers.filter(({ running }) => running);
  if (runningContainer === undefined) throw new Error(`Pod ${pod.name} has no running container.`);
  const [firstProcess] = await processesIn(pod, runningContainer.name);
  if (firstProcess === undefined) throw new Error(`Pod ${pod.name} has no process.`);
  const inNetworkOfPod = [`--net=/proc/${firstProcess.pid}/ns/net`, 'nft'];
  const set = `{ ${addresses.join(', ')} }`;
  const rules = `table ${TABLE} {
    chain out { type filter hook output priority 0; ip daddr ${set} drop; }
    chain in { type filter hook input priority 0; ip saddr ${set} drop; }
  }`;
  await runOrThrow('nsenter', [...inNetworkOfPod, '-f', '-'], { input: rules });
  try {
    await during();
  } finally {
    // The Pod may have ended meanwhile, together with its network namespace.
    await runOrThrow('nsenter', [...inNetworkOfPod, 'delete', 'table', ...TABLE.split(' ')]).catch(
      () => undefined,
    );
  }
};

export const serviceAddress = async (namespace: string, name: string): Promise<string> => {
  const service = await fetchObject<{ spec?: { clusterIP?: string } }>(
    `/api/v1/namespaces/${namespace}/services/${name}`,
  );
  return service.spec?.clusterIP ?? '';
};
