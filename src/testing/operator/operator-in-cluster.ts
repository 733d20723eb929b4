import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from '@jest/globals';
import { pino } from 'pino';
import { parse } from 'yaml';
import { buildEngine } from '#adapters/hcl/build.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import type { OperatorConfig } from '#config';
import type { Ending } from '#operator/operator.ts';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';
import { runOperator } from '#testing/operator/operator-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/** The limit of `eventually`, long because it only ends a test that hangs. */
const MAX_WAIT_MS = 300_000;
const DEFINITIONS: ApiKind<object> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export let server: OwnApiServer;
export let stores: TestStores;
let connection: Connection;
export let client: ApiClient;
export let operator: { ended: Promise<Ending>; stop: AbortController };

/**
 * Starts the whole operator with a real API server, a real Postgres and the real HCL engine before the first
 * test, and stops it after the last. No Pod runs, and no garbage collector deletes orphans.
 */
export function useOperator(): void {
  beforeAll(async () => {
    [server, stores] = await Promise.all([startApiServer(), openStores(), buildEngine()]);
    connection = server.connect();
    client = new ApiClient(connection);
    const folder = new URL('../../../crds/', import.meta.url);
    for (const file of readdirSync(folder)) {
      const definition: object = parse(readFileSync(new URL(file, folder), 'utf8'));
      orThrow(await client.create(DEFINITIONS, definition), `making ${file}`);
    }
    await createNamespace('millrace-system');
    operator = start();
  }, 600_000);

  afterAll(async () => {
    operator.stop.abort();
    await operator.ended;
    await stores.close();
    await connection.close();
    await server.stop();
  }, 600_000);
}

export function start(databaseUrl = stores.url, log = pino({ level: 'silent' })): typeof operator {
  const stop = new AbortController();
  const config: OperatorConfig = {
    namespace: 'millrace-system',
    podName: `operator-${Date.now()}`,
    release: 'millrace',
    logLevel: 'warn',
    metricsListen: { host: '127.0.0.1', port: 0 },
    database: { kind: 'given', url: databaseUrl, listenUrl: databaseUrl },
    cluster: { kind: 'kubeconfig', file: server.kubeconfig },
    image: 'localhost/millrace:1',
    imagePullPolicy: 'IfNotPresent',
    pods: { imagePullPolicy: 'IfNotPresent', storage: {}, userNamespaces: 'never' },
    internalUrl: 'https://millrace-internal.millrace-system.svc:8443',
    externalUrl: 'https://ci.example.test',
    sources: { registry: undefined, allowedRanges: ['127.0.0.0/8'] },
    defaultLimits: { runningBuilds: 7, runningChecks: 2 },
    webhook: undefined,
  };
  return { stop, ended: runOperator(config, log, stop.signal) };
}

export async function createNamespace(name: string, labels: Record<string, string> = {}): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  orThrow(await client.create(KINDS.namespaces, object), `making the namespace ${name}`);
}

export async function apply<T>(kind: ApiKind<T>, object: unknown): Promise<void> {
  const plainObject: T & { metadata?: { name?: string; namespace?: string } } = JSON.parse(
    JSON.stringify(object),
  );
  orThrow(await client.apply(kind, plainObject, 'kubectl'), `applying a ${kind.kind}`);
}

export const applyTeam = (name: string, spec: object = {}): Promise<void> =>
  apply(KINDS.teams, { metadata: { name }, spec });
export const applyPipeline = (namespaceName: string, name: string, spec: object): Promise<void> =>
  apply(KINDS.pipelines, { metadata: { namespace: namespaceName, name }, spec });

/** A pipeline whose only job has this name. The resource that the job gets is checked this often. */
export const pipelineText = (job: string, every = '1h'): string => `
resource "git" "app" {
  check_interval = "@every ${every}"
  params {
    url  = "https://git.example.test/app.git"
    name = "app"
  }
}
job "${job}" {
  get "git" "app" {
    trigger = true
  }
  task "hello" {
    run "shell" {
      cmd = "echo hello"
    }
  }
}
`;

/** Waits until the answer is as expected. If it never is, the error has the last answer. */
export async function eventually<T>(ask: () => Promise<T>, isExpected: (answer: T) => boolean): Promise<T> {
  const limit = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const answer = await ask();
    if (isExpected(answer)) return answer;
    if (Date.now() > limit) throw new Error(`never as expected: ${JSON.stringify(answer)?.slice(0, 2000)}`);
    await sleep(50);
  }
}

export async function conditionNow(
  kind: typeof KINDS.pipelines | typeof KINDS.teams,
  namespaceName: string,
  name: string,
  type = 'Ready',
) {
  const answer = await client.get<{
    status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
  }>(kind, { namespace: namespaceName, name });
  return answer.ok
    ? answer.value.status?.conditions?.find((condition) => condition.type === type)
    : undefined;
}

/** Waits until the condition Ready of a Pipeline has this reason. Returns the message of the condition. */
export async function untilReason(
  namespaceName: string,
  name: string,
  expectedReason: string,
): Promise<string> {
  const found = await eventually(
    () => conditionNow(KINDS.pipelines, namespaceName, name),
    (condition) => condition?.reason === expectedReason,
  );
  return found?.message ?? '';
}

export async function cronJobs(
  namespaceName: string,
): Promise<{ name: string; version: string; schedule: string }[]> {
  const found: { name: string; version: string; schedule: string }[] = [];
  orThrow(
    await client.list(KINDS.cronJobs, { namespace: namespaceName }, (items) => {
      for (const { metadata, spec } of items) {
        const { name = '', resourceVersion: version = '' } = metadata ?? {};
        found.push({ name, version, schedule: spec?.schedule ?? '' });
      }
    }),
    'listing CronJobs',
  );
  return found;
}

export async function events(namespaceName: string): Promise<string[]> {
  const found: string[] = [];
  orThrow(
    await client.list(KINDS.events, { namespace: namespaceName }, (items) => {
      for (const item of items) found.push(item.reason ?? '');
    }),
    'listing Events',
  );
  return found;
}

export const applyConfigMap = (text: string): Promise<void> =>
  apply(KINDS.configMaps, { metadata: { namespace: 'blue', name: 'text' }, data: { 'pipeline.hcl': text } });

/** Starts another operator. The caller must have ended the first. */
export function restart(...args: Parameters<typeof start>): void {
  operator = start(...args);
}
