import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { parse } from 'yaml';
import { buildEngine } from '#adapters/hcl/build.ts';
import { createCompiler, type HclCompiler } from '#adapters/hcl/compile.ts';
import { createAdmissionServer } from '#adapters/http/admission/server.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { kubeconfigConnection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { ensureWebhookTls } from '#adapters/kubernetes/secrets/release-secrets.ts';
import { trustWebhook } from '#adapters/kubernetes/secrets/trust-webhook.ts';
import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { diagnoseManifest } from '#flows/pipelines/diagnose-manifest.ts';
import { startApiServer } from '#testing/kubernetes/api-server.ts';
import { runKubectl } from '#testing/kubernetes/kubectl.ts';
import { manifests } from '#tools/chart/render.ts';
import { checkout } from '#tools/checkout.ts';

/*
 * What the admission webhook adds to the time of an apply (docs/adr/0015):
 *
 *   node bench/pods/admission.ts [--runs 200] [--installed]
 *
 * It uses an API server and etcd of its own on loopback, with the programs of the embedded cluster (`make
 * cluster` builds them), and the webhook in this process. With `--installed` it uses the release in the
 * cluster of $KUBECONFIG. It applies Pipelines whose text changes each time, alternating between a namespace
 * whose Pipelines the webhook validates and one whose label disables that.
 */
const HOME = 'millrace-system';
const WARM_UP = 10;
const NAMESPACES = ['unchecked', 'checked'] as const;
/** Longer than the 30 s after which an unused compiler process ends. */
const REST_MS = 35_000;

const sampleText: string = parse(readFileSync(`${checkout}/config/samples/pipeline.yaml`, 'utf8')).spec
  .config;
const job = (name: string): string =>
  `job "${name}" {\n  get "git" "app" {\n    trigger = true\n  }\n  task "t" {\n    run "shell" {\n` +
  '      cmd = "true"\n    }\n  }\n}\n';
const resource =
  'resource "git" "app" {\n  params {\n    url  = "https://git.example.org/app.git"\n    name = "app"\n  }\n}\n';
const largeText = resource + Array.from({ length: 100 }, (_, index) => job(`job-${index}`)).join('');

/** Where Pipelines are applied, and how to clean up. */
interface Target {
  client: ApiClient;
  kubeconfig: string;
  end: () => Promise<void>;
}

async function main(): Promise<void> {
  const runs = numberFlag('runs', 200);
  console.log(circumstances());
  const target = process.argv.includes('--installed') ? await useRelease() : await startOwnServer();
  const { client } = target;
  try {
    await untilWebhookIsUsed(client);
    const rows = [
      await measureRow('sample pipeline, server-side apply', runs, (namespace, count) =>
        apply(client, namespace, sampleText, count),
      ),
      await measureRow('100 jobs, server-side apply', runs, (namespace, count) =>
        apply(client, namespace, largeText, count),
      ),
      await measureRow('sample pipeline, kubectl apply', Math.ceil(runs / 5), (namespace, count) =>
        applyByKubectl(target.kubeconfig, namespace, count),
      ),
    ];
    await sleep(REST_MS);
    const firstAfterRest = await timeToApply(() => apply(client, 'checked', sampleText, runs + 1));
    console.log(table(['a changed Pipeline', 'without', 'with the webhook'], rows));
    console.log(`the first after a rest: ${firstAfterRest.toFixed(0)} ms`);
    console.log(circumstances());
  } finally {
    await target.end();
  }
}

/** Uses the release in a cluster, with its Service, network policies and operator Pods. */
async function useRelease(): Promise<Target> {
  const kubeconfig = process.env['KUBECONFIG'];
  if (kubeconfig === undefined) throw new Error('--installed needs KUBECONFIG to name the cluster.');
  const connection = await kubeconfigConnection(kubeconfig);
  const client = new ApiClient(connection);
  const end = async (): Promise<void> => {
    await runKubectl(kubeconfig, ['delete', 'namespace', ...NAMESPACES]);
    await connection.close();
  };
  await createNamespaces(client);
  return { client, kubeconfig, end };
}

/** Starts only etcd and an API server, and the webhook in this process. */
async function startOwnServer(): Promise<Target> {
  await buildEngine();
  const server = await startApiServer();
  const connection = server.connect();
  const client = new ApiClient(connection);
  const compiler = createCompiler();
  const webhook = await listen(client, compiler);
  const end = async (): Promise<void> => {
    webhook.closeAllConnections();
    webhook.close();
    await compiler.close();
    await connection.close();
    await server.stop();
  };
  try {
    await prepare(server.kubeconfig, client, portOf(webhook));
  } catch (error) {
    await end();
    throw error;
  }
  return { client, kubeconfig: server.kubeconfig, end };
}

async function listen(
  client: ApiClient,
  compiler: HclCompiler,
): Promise<ReturnType<typeof createAdmissionServer>> {
  const server = createAdmissionServer({
    diagnose: (manifest) => diagnoseManifest(manifest, compiler),
    log: pino({ level: 'warn' }),
  });
  await ensureNamespace(client, HOME);
  const { certificate, key } = await ensureWebhookTls(secretsOf(client));
  server.setSecureContext({ cert: certificate, key });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const secretsOf = (client: ApiClient) => ({
  client,
  namespace: HOME,
  release: 'millrace',
  now: () => new Date(),
});

async function ensureNamespace(
  client: ApiClient,
  name: string,
  labels: Record<string, string> = {},
): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  orThrow(await client.apply(KINDS.namespaces, namespace), `making the namespace ${name}`);
}

function portOf(server: ReturnType<typeof createAdmissionServer>): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Applies the CRDs, the namespaces and the chart's webhook configuration. The configuration's Service stands
 * for localhost, and its port is `port`.
 */
async function prepare(kubeconfig: string, client: ApiClient, port: number): Promise<void> {
  await runKubectl(kubeconfig, ['apply', '--server-side', '-f', `${checkout}/crds`]);
  await createNamespaces(client);
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: HOME, name: 'millrace-webhook' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  };
  const found = (await manifests()).find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const configuration = JSON.stringify(found).replace('"port":443', `"port":${port}`);
  for (const object of [JSON.stringify(service), configuration])
    await runKubectl(kubeconfig, ['apply', '-f', '-'], object);
  const { authority } = await ensureWebhookTls(secretsOf(client));
  await trustWebhook(client, 'millrace', authority);
}

async function createNamespaces(client: ApiClient): Promise<void> {
  await ensureNamespace(client, 'checked');
  await ensureNamespace(client, 'unchecked', { 'millrace.dev/disable-validation': 'true' });
}

/** Waits until the webhook rejects a Pipeline: the API server does not use a new configuration at once. */
async function untilWebhookIsUsed(client: ApiClient): Promise<void> {
  for (let count = 0; ; count += 1) {
    const answer = await client.apply(KINDS.pipelines, pipeline('checked', 'bad', `nonsense ${count}`));
    if (!answer.ok && answer.status === 422) return;
    await sleep(100);
  }
}

function pipeline(namespace: NamespaceName, name: string, config: string) {
  return {
    apiVersion: 'millrace.dev/v1alpha1' as const,
    kind: 'Pipeline' as const,
    metadata: { namespace, name },
    spec: { config },
  };
}

type NamespaceName = (typeof NAMESPACES)[number];

async function measureRow(
  title: string,
  runs: number,
  applyOnce: (namespace: NamespaceName, count: number) => Promise<void>,
): Promise<string[]> {
  const samples: Record<NamespaceName, number[]> = { unchecked: [], checked: [] };
  for (let count = -WARM_UP; count < runs; count += 1) {
    for (const namespace of count % 2 === 0 ? NAMESPACES : NAMESPACES.toReversed()) {
      const elapsed = await timeToApply(() => applyOnce(namespace, count));
      if (count >= 0) samples[namespace].push(elapsed);
    }
  }
  return [title, ...NAMESPACES.map((namespace) => inMilliseconds(summarise(samples[namespace])))];
}

async function timeToApply(applyOnce: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await applyOnce();
  return performance.now() - startedAt;
}

async function apply(
  client: ApiClient,
  namespace: NamespaceName,
  config: string,
  count: number,
): Promise<void> {
  const object = pipeline(namespace, 'measured', `${config}\n# ${count}\n`);
  orThrow(await client.apply(KINDS.pipelines, object), 'applying a Pipeline');
}

async function applyByKubectl(kubeconfig: string, namespace: NamespaceName, count: number): Promise<void> {
  const object = pipeline(namespace, 'by-kubectl', `${sampleText}\n# ${count}\n`);
  const output = await runKubectl(kubeconfig, ['apply', '-f', '-'], JSON.stringify(object));
  if (!/(created|configured)$/.test(output)) throw new Error(output);
}

await main();
