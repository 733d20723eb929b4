import { runKubectl } from '#tools/chart/cluster-commands.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { messageOf } from '#tools/cluster/explain.ts';
import { lastLines } from '#tools/cluster/run.ts';

const MAX_LINE_CHARACTERS = 400;

/**
 * For an error message: conditions of all Teams and Pipelines, Events and Pod states of the namespaces, and
 * the end of the operator's log.
 */
export async function clusterReport(namespaces: readonly string[]): Promise<string[]> {
  const reports = await Promise.all([
    section('Conditions', conditions()),
    ...namespaces.map((namespace) => section(`Pods in ${namespace}`, pods(namespace))),
    ...namespaces.map((namespace) => section(`Events in ${namespace}`, events(namespace))),
    section("The end of the operator's log", operatorLog()),
  ]);
  return reports.flat();
}

async function section(title: string, text: Promise<string>): Promise<string[]> {
  const answer = await text.catch((error: unknown) => messageOf(error));
  const lines = answer.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

interface Item {
  kind: string;
  metadata: { name: string };
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: ContainerStatus[];
  };
}

interface ContainerStatus {
  name: string;
  ready: boolean;
  restartCount: number;
  state?: Record<string, { reason?: string; message?: string; exitCode?: number }>;
  lastState?: Record<string, { reason?: string; message?: string; exitCode?: number }>;
}

async function items(...args: string[]): Promise<Item[]> {
  const answer: { items: Item[] } = JSON.parse(await runKubectl(['get', ...args, '-o', 'json']));
  return answer.items;
}

async function conditions(): Promise<string> {
  const objects = await items('teams,pipelines', '--all-namespaces');
  const lines = objects.flatMap(({ kind, metadata, status }) =>
    (status?.conditions ?? []).map(
      ({ type, status: value, reason, message }) =>
        `${kind} ${metadata.name}: ${type}=${value} ${reason ?? ''} ${message ?? ''}`,
    ),
  );
  return lines.join('\n');
}

async function pods(namespace: string): Promise<string> {
  const objects = await items('pods', '--namespace', namespace);
  return objects.flatMap(describePod).join('\n');
}

/** What is wrong with the Pod; empty if it has succeeded, or runs with all containers ready. */
function describePod({ metadata, status = {} }: Item): string[] {
  const { conditions: podConditions = [], containerStatuses = [], phase = 'unknown' } = status;
  const unmet = podConditions.filter(
    (condition) => condition.type === 'PodScheduled' && condition.status !== 'True',
  );
  const notReady = containerStatuses.filter(({ ready }) => !ready).map(describeContainer);
  if (phase === 'Succeeded' || (phase === 'Running' && notReady.length === 0)) return [];
  const reasons = unmet.map(({ reason, message }) => joinWords(reason, message));
  return [`${metadata.name}: ${phase}`, ...[...reasons, ...notReady].map((line) => `  ${line}`)];
}

function describeContainer({ name, restartCount, state = {}, lastState = {} }: ContainerStatus): string {
  const [phase = 'unknown', details] = Object.entries(state)[0] ?? [];
  const previous = lastState['terminated'];
  const ended = previous && `; before: ${joinWords(previous.reason, lastLines(previous.message ?? '', 3))}`;
  return `${name}: ${joinWords(phase, details?.reason, details?.message)} (${restartCount} restarts)${ended ?? ''}`;
}

function joinWords(...texts: (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join(' ');
}

async function events(namespace: string): Promise<string> {
  const columns = 'custom-columns=TYPE:.type,REASON:.reason,ABOUT:.involvedObject.name,MESSAGE:.message';
  const args = ['get', 'events', '--namespace', namespace, '--sort-by=.lastTimestamp', '-o', columns];
  return lastLines(await runKubectl([...args, '--no-headers']), 15);
}

async function operatorLog(): Promise<string> {
  const selector = `app.kubernetes.io/instance=${RELEASE.name},app.kubernetes.io/component=operator`;
  const args = ['logs', '--namespace', RELEASE.namespace, '-l', selector, '--tail=4', '--prefix'];
  const lines = (await runKubectl(args)).split('\n');
  return lines
    .map((line) => (line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)} …` : line))
    .join('\n');
}
