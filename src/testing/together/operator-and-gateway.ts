import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { parse } from 'yaml';
import { buildEngine } from '#adapters/hcl/build.ts';
import { createCompiler } from '#adapters/hcl/compile.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import type { OperatorConfig } from '#config';
import { clusterConnection } from '#gateway/cluster-connection.ts';
import { openGateway, type Options } from '#testing/gateway/gateway-under-test.ts';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';
import { runOperator } from '#testing/operator/operator-under-test.ts';
import { openStores } from '#testing/stores/stores.ts';
import { manifests } from '#tools/chart/render.ts';

/*
 * Operator and public gateway for tests: a real API server with the definitions, rights and policies of the
 * chart, the whole operator, and the public gateway with its service account. Nothing runs Pods.
 */
const HOME = 'millrace-system';
const GATEWAY = `system:serviceaccount:${HOME}:millrace-gateway-public`;
const OPERATOR = `system:serviceaccount:${HOME}:millrace-operator`;
/** Long, because it only ends a test that hangs. */
const TIMEOUT_MS = 300_000;

const apiKindOf = (apiVersion: string, kind: string): ApiKind<object> => ({
  apiVersion,
  kind,
  plural: kind.endsWith('y') ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`,
  namespaced: kind === 'Role' || kind === 'RoleBinding',
});
const INSTALLED_KINDS =
  /^(CustomResourceDefinition|(Cluster)?Role(Binding)?|ValidatingAdmissionPolicy(Binding)?)$/;

export type TestInstallation = Awaited<ReturnType<typeof startTestInstallation>>;

export async function startTestInstallation(options: Options = {}) {
  const [server, stores] = await Promise.all([startApiServer(), openStores(), buildEngine()]);
  const connection = server.connect();
  const client = new ApiClient(connection);
  await install(client);
  const stop = new AbortController();
  const ended = runOperator(operatorConfig(server, stores.url), pino({ level: 'silent' }), stop.signal);
  const asGateway = impersonating(server.connect(), GATEWAY);
  const asOperator = impersonating(server.connect(), OPERATOR);
  const cluster = clusterConnection(asGateway, { namespace: HOME, release: 'millrace' });
  const compiler = createCompiler({ processes: 1, timeLimitMs: 60_000 });
  const gateway = await openGateway(stores, { ...options, compiler, objects: cluster.objects });
  return {
    server,
    stores,
    /** An administrator's client, as kubectl has. */
    client,
    /** A client with the rights of the public gateway. */
    restricted: new ApiClient(asGateway),
    /** A client with the rights of the operator. The operator itself runs as an administrator here. */
    operator: new ApiClient(asOperator),
    /** A client of a Kubernetes user. */
    as: (user: string): ApiClient => new ApiClient(impersonating(connection, user)),
    cluster,
    gateway,
    async apply<T>(kind: ApiKind<T>, object: unknown): Promise<void> {
      const plainObject: T & { metadata?: { name?: string } } = JSON.parse(JSON.stringify(object));
      orThrow(await client.apply(kind, plainObject, 'kubectl'), `applying a ${kind.kind}`);
    },
    async close() {
      stop.abort();
      await ended;
      await gateway.close();
      await Promise.all([connection, asGateway, asOperator, compiler].map((resource) => resource.close()));
      await Promise.all([stores.close(), server.stop()]);
    },
  };
}

/** Waits until the answer is as expected. If it never is, the error has the last answer. */
export async function eventually<T>(ask: () => Promise<T>, isExpected: (answer: T) => boolean): Promise<T> {
  const limit = Date.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (isExpected(answer)) return answer;
    if (Date.now() > limit) throw new Error(`never as expected: ${JSON.stringify(answer)?.slice(0, 2000)}`);
    await sleep(50);
  }
}

async function install(client: ApiClient): Promise<void> {
  const home: object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOME } };
  orThrow(await client.create<object>(KINDS.namespaces, home), 'making the namespace');
  const folder = new URL('../../../crds/', import.meta.url);
  const definitions = readdirSync(folder).map((file): object =>
    parse(readFileSync(new URL(file, folder), 'utf8')),
  );
  for (const object of definitions) {
    const kind = apiKindOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    orThrow(await client.create(kind, object), 'making a definition');
  }
  for (const manifest of await manifests()) {
    if (!INSTALLED_KINDS.test(manifest.kind) || manifest.kind === 'CustomResourceDefinition') continue;
    orThrow(
      await client.create<object>(apiKindOf(manifest.apiVersion, manifest.kind), manifest),
      `making ${manifest.metadata.name}`,
    );
  }
}

function impersonating(connection: Connection, user: string): Connection {
  return {
    ...connection,
    authorization: async () => ({ ...(await connection.authorization()), 'impersonate-user': user }),
  };
}

function operatorConfig(server: OwnApiServer, url: string): OperatorConfig {
  return {
    namespace: HOME,
    podName: 'operator-0',
    release: 'millrace',
    logLevel: 'warn',
    metricsListen: { host: '127.0.0.1', port: 0 },
    database: { kind: 'given', url, listenUrl: url },
    cluster: { kind: 'kubeconfig', file: server.kubeconfig },
    image: 'localhost/millrace:1',
    imagePullPolicy: 'IfNotPresent',
    pods: { imagePullPolicy: 'IfNotPresent', storage: {}, userNamespaces: 'never' },
    internalUrl: 'https://millrace-internal.millrace-system.svc:8443',
    externalUrl: 'https://ci.example.org',
    sources: { registry: undefined, allowedRanges: ['127.0.0.0/8'] },
    defaultLimits: {},
    webhook: undefined,
  };
}
