import { RELEASE } from '#tools/chart/install.ts';
import { runProgram } from './command.ts';
import { list } from './read-objects.ts';

/** A running container of the release. */
interface RunningContainer {
  pod: string;
  name: string;
  restarts: number;
}

interface ContainerStatus {
  name: string;
  restartCount: number;
  state?: { running?: object; waiting?: { reason?: string } };
  lastState?: { terminated?: { reason?: string; exitCode: number } };
}

/**
 * The containers in running Pods of the release. Throws if a container does not run: after a kill by an
 * earlier test, the kubelet takes some time until it restarts a container.
 */
export async function runningContainers(): Promise<RunningContainer[]> {
  return (await containers()).map(({ pod, name, restartCount, state }) => {
    if (state?.running === undefined)
      throw new Error(`${pod}/${name} is not running: ${JSON.stringify(state)}`);
    return { pod, name, restarts: restartCount };
  });
}

/** Each container that ended or disappeared after `before` was read: how it ended, and the end of its log. */
export async function restartedSince(before: RunningContainer[]): Promise<string[]> {
  const now = await containers();
  const restarted = before.map(async ({ pod, name, restarts }) => {
    const container = now.find((candidate) => candidate.pod === pod && candidate.name === name);
    if (container === undefined) return [`${pod}/${name} is gone`];
    if (container.restartCount === restarts && container.state?.running !== undefined) return [];
    const { reason = 'it runs', exitCode = '' } = container.lastState?.terminated ?? {};
    return [`${pod}/${name} restarted: ${reason} ${exitCode}\n${await endOfLog(pod, name)}`];
  });
  return (await Promise.all(restarted)).flat();
}

async function endOfLog(pod: string, container: string): Promise<string> {
  const namespace = ['--namespace', RELEASE.namespace];
  const log = await runProgram('kubectl', [
    'logs',
    pod,
    '-c',
    container,
    ...namespace,
    '--previous',
    '--tail=20',
  ]);
  return `${log.stdout}${log.stderr}`;
}

async function containers(): Promise<(ContainerStatus & { pod: string })[]> {
  const selector = `app.kubernetes.io/instance=${RELEASE.name}`;
  const pods = await list('pods', '--namespace', RELEASE.namespace, '-l', selector);
  return pods.flatMap(({ metadata, status }) => {
    const statuses: unknown = status?.['containerStatuses'];
    if (status?.phase !== 'Running' || !Array.isArray(statuses)) return [];
    return statuses.map((container: ContainerStatus) => ({ ...container, pod: metadata.name }));
  });
}
