import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { testRegistry } from '#tools/cluster/addresses.ts';
import { isExisting } from '#tools/cluster/existing.ts';
import { explained } from '#tools/cluster/explain.ts';
import { run } from '#tools/cluster/run.ts';
import { clusterEnvironment, runKubectl, stream } from './cluster-commands.ts';
import type { LoadedImages } from './images.ts';

/** Release of the demonstration and the end-to-end tests. */
export const RELEASE = { name: 'millrace', namespace: 'millrace-system' } as const;
const MAX_START_MS = 20 * 60_000;
/** The registry of the end-to-end tests, which the internal gateway refuses by default. */
const TEST_REGISTRY = {
  'imageRegistries.allowedRanges[0]': `${testRegistry.address}/32`,
  'imageRegistries.plainHTTP[0]': `${testRegistry.address}:${testRegistry.port}`,
};
const TOKENS = `${RELEASE.name}-tokens`;

export interface TokenOwner {
  user: string;
  team: string;
  role: string;
}

/**
 * Installs or upgrades the chart with helm, after creating its namespace and adding `tokens` to its Secret of
 * installation tokens. Returns before the Pods are ready. `signal` ends kubectl and helm.
 */
export async function installChart(
  images: LoadedImages,
  tokens: Readonly<Record<string, TokenOwner>>,
  onLine: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  await prepareNamespace(tokens, signal);
  const values = {
    'image.repository': `${images.prefix}/millrace`,
    'image.tag': process.env['IMAGE_TAG'] ?? 'dev',
    'postgres.image.repository': `${images.prefix}/millrace-postgres`,
    'postgres.image.tag': process.env['IMAGE_TAG'] ?? 'dev',
    'tokens.existingSecret': TOKENS,
    'podAnnotations.millrace\\.dev/images': `images-${images.digest}`,
    ...(isExisting(process.env) ? {} : TEST_REGISTRY),
  };
  const setArguments = Object.entries(values).flatMap(([name, value]) => [
    '--set-string',
    `${name}=${value}`,
  ]);
  const release = [RELEASE.name, 'charts/millrace', '--namespace', RELEASE.namespace];
  await stream('helm', ['upgrade', '--install', ...release, '--hide-notes', ...setArguments], onLine, signal);
}

async function prepareNamespace(
  tokens: Readonly<Record<string, TokenOwner>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const accepted = { ...(await storedTokens(signal)), ...ownersByHash(tokens) };
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: RELEASE.namespace,
      labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    },
  };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: TOKENS, namespace: RELEASE.namespace },
    stringData: { 'tokens.json': JSON.stringify(accepted) },
  };
  await runKubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(namespace), signal);
  await runKubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(secret), signal);
}

/**
 * The token entries that the Secret has, so that an installation keeps them: the demonstration and the tests
 * may share a cluster. Empty if there is no Secret.
 */
async function storedTokens(signal: AbortSignal | undefined): Promise<object> {
  const path = 'jsonpath={.data.tokens\\.json}';
  const args = ['get', 'secret', TOKENS, '--namespace', RELEASE.namespace, '--ignore-not-found', '-o', path];
  const encoded = await runKubectl(args, undefined, signal);
  const parsed: unknown = encoded === '' ? {} : JSON.parse(Buffer.from(encoded, 'base64').toString());
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

function ownersByHash(tokens: Readonly<Record<string, TokenOwner>>): Record<string, TokenOwner> {
  return Object.fromEntries(
    Object.entries(tokens).map(([token, owner]) => [createHash('sha256').update(token).digest('hex'), owner]),
  );
}

interface Workload {
  name: string;
  ready: number;
  expected: number;
}

/** Deployments and StatefulSets of the release, with their counts of ready Pods. */
async function workloads(signal: AbortSignal | undefined): Promise<Workload[]> {
  const selector = `app.kubernetes.io/instance=${RELEASE.name}`;
  const args = ['get', 'deployments,statefulsets', '--namespace', RELEASE.namespace, '-l', selector];
  const answer: { items: ApiWorkload[] } = JSON.parse(
    await runKubectl([...args, '-o', 'json'], undefined, signal),
  );
  return answer.items.map(({ metadata, spec, status }) => ({
    name: metadata.name.replace(`${RELEASE.name}-`, ''),
    expected: spec.replicas,
    ready: status.observedGeneration === metadata.generation ? readyOfCurrentRevision(status) : 0,
  }));
}

/** A lower bound: assumes that every Pod of a previous revision is among the ready ones. */
function readyOfCurrentRevision({
  replicas = 0,
  readyReplicas = 0,
  updatedReplicas = 0,
}: ReplicaCounts): number {
  return Math.max(0, Math.min(updatedReplicas, readyReplicas - (replicas - updatedReplicas)));
}

interface ReplicaCounts {
  replicas?: number;
  readyReplicas?: number;
  updatedReplicas?: number;
}

interface ApiWorkload {
  metadata: { name: string; generation: number };
  spec: { replicas: number };
  status: ReplicaCounts & { observedGeneration?: number };
}

/**
 * Waits until every workload of the release is ready in its current revision. At each change it calls
 * `report` with a line for each workload. Throws after 20 minutes, and when `signal` aborts.
 */
export async function waitForWorkloads(
  report: (lines: readonly string[]) => void,
  signal?: AbortSignal,
): Promise<void> {
  const started = Date.now();
  let lastReport = '';
  for (;;) {
    const current = await workloads(signal);
    const lines = current.map(describeWorkload);
    if (lines.join() !== lastReport) report(lines);
    lastReport = lines.join();
    if (current.length > 0 && current.every(({ ready, expected }) => ready === expected)) return;
    if (Date.now() - started > MAX_START_MS) {
      throw explained('The chart is installed, but not everything got ready.');
    }
    await sleep(500, undefined, { signal });
  }
}

function describeWorkload({ name, ready, expected }: Workload): string {
  return `${ready === expected ? '✔' : '·'} ${name.padEnd(16)} ${ready}/${expected} ready`;
}

/** Whether this machine is sure to reach cluster IPs: only those of the embedded cluster. */
export function servicesAreReachable(): boolean {
  return !isExisting(process.env);
}

/** Runs `helm test` and returns its log. `signal` ends helm. */
export function testChart(signal?: AbortSignal): Promise<string> {
  const args = ['test', RELEASE.name, '--namespace', RELEASE.namespace, '--logs', '--timeout', '15m'];
  return run('helm', args, { env: clusterEnvironment(), signal });
}
