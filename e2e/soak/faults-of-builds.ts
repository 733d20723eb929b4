import { eventually } from '#e2e/support/eventually.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { cutOff, freezeContainer, killIn, podsOf, serviceAddress, type Pod } from './containers.ts';
import { isPodRunning, kubectlWithTimeout, type FaultContext, type FaultKind } from './fault-kind.ts';

/** The team's running Pods of a kind. Waits up to 12 s for one, because builds are short. */
const runningPods = async ({ team }: FaultContext, kind: 'build' | 'check'): Promise<Pod[]> => {
  const findRunning = async (): Promise<Pod[]> => {
    const pods = (await podsOf(team, `millrace.dev/kind=${kind}`)).filter(isPodRunning);
    if (pods.length === 0) throw new Error(`no Pod of a ${kind} runs`);
    return pods;
  };
  return eventually(findRunning, 12);
};

/** Kills the agent or a step container of a running build or check. */
const killContainerOf =
  (kind: 'build' | 'check', target: 'agent' | 'steps') =>
  async (context: FaultContext): Promise<void> => {
    const pod = context.pick(await runningPods(context, kind));
    const containers = pod.containers.filter(
      ({ name, running }) => running && (name === 'agent') === (target === 'agent'),
    );
    const { name } = context.pick(containers);
    context.recordTarget(`${pod.name} ${name}`, pod.name);
    await killIn(pod, name);
  };

const deletePodOf =
  (kind: 'build' | 'check', ...flags: string[]) =>
  async (context: FaultContext): Promise<void> => {
    const pod = context.pick(await runningPods(context, kind));
    context.recordTarget(pod.name, pod.name);
    await kubectlWithTimeout([
      'delete',
      'pod',
      pod.name,
      '--namespace',
      pod.namespace,
      '--wait=false',
      ...flags,
    ]);
  };

const evictBuild = async (context: FaultContext): Promise<void> => {
  const { name, namespace } = context.pick(await runningPods(context, 'build'));
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  context.recordTarget(name, name);
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  await kubectlWithTimeout(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction));
};

const freezeAgent = async (context: FaultContext): Promise<void> => {
  const pod = context.pick(await runningPods(context, 'build'));
  context.recordTarget(`${pod.name} agent`);
  await freezeContainer(pod, 'agent', context.hold);
};

const cutBuild = async (context: FaultContext): Promise<void> => {
  const pod = context.pick(await runningPods(context, 'build'));
  context.recordTarget(`${pod.name} from the gateway`);
  await cutOff(pod, [await serviceAddress(RELEASE.namespace, `${RELEASE.name}-internal`)], context.hold);
};

const AT_ONCE = ['--grace-period=0', '--force'];

export const FAULTS_OF_BUILDS: readonly FaultKind[] = [
  { name: 'kill an agent', weight: 4, group: 'builds', inflict: killContainerOf('build', 'agent') },
  {
    name: 'kill a container of steps',
    weight: 3,
    group: 'builds',
    inflict: killContainerOf('build', 'steps'),
  },
  {
    name: 'delete a build’s Pod at once',
    weight: 3,
    group: 'builds',
    inflict: deletePodOf('build', ...AT_ONCE),
  },
  { name: 'delete a build’s Pod', weight: 2, group: 'builds', inflict: deletePodOf('build') },
  { name: 'evict a build’s Pod', weight: 1, group: 'builds', inflict: evictBuild },
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
  {
    name: 'delete a check’s Pod at once',
    weight: 2,
    group: 'builds',
    inflict: deletePodOf('check', ...AT_ONCE),
  },
];
