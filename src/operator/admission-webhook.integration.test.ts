import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { buildEngine } from '#adapters/hcl/build.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { trustWebhook } from '#adapters/kubernetes/secrets/trust-webhook.ts';
import type { OperatorConfig } from '#config';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';
import { runKubectl } from '#testing/kubernetes/kubectl.ts';
import { freePort } from '#testing/network/free-port.ts';
import { runOperator } from '#testing/operator/operator-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';
import { manifests, type RenderedObject } from '#tools/chart/render.ts';
import type { Ending } from './operator.ts';

/*
 * A real API server asks a real operator about Pipelines, with the chart's configuration and permissions, and
 * kubectl prints the result. Only the Service differs: nothing routes to its address here, so the
 * configuration names this machine and the operator's port.
 */
const NAMESPACE = 'millrace-system';
/** Limits tests that would wait forever. */
const MAX_WAIT_MS = 300_000;
/** The longest timeout of a webhook that the API server allows. */
const TIMEOUT_SECONDS = 30;
const REFUSED = 'is invalid';
const OPERATOR = `system:serviceaccount:${NAMESPACE}:millrace-operator`;

let server: OwnApiServer;
let stores: TestStores;
let connection: Connection;
let chart: RenderedObject[];
let port = 0;
let operator: { ended: Promise<Ending>; stop: AbortController };

beforeAll(async () => {
  [server, stores, chart] = await Promise.all([startApiServer(), openStores(), manifests(), buildEngine()]);
  connection = server.connect();
  port = await freePort();
  const crds = fileURLToPath(new URL('../../crds/', import.meta.url));
  expect(await kubectl('apply', '--server-side', '-f', crds)).toContain('serverside-applied');
  const rights = chart.filter(({ kind }) => /^ClusterRole(Binding)?$/.test(kind));
  await apply(...[NAMESPACE, 'open', 'blue'].map((name) => object('v1', 'Namespace', { name })), ...rights);
  await kubectl('label', 'namespace', 'open', 'millrace.dev/disable-validation=true');
  const service = object('v1', 'Service', { namespace: NAMESPACE, name: 'millrace-webhook' });
  await apply({ ...service, spec: { type: 'ExternalName', externalName: 'localhost' } }, configuration());
  await eventually(() => kubectl('get', 'pipelines,teams', '--all-namespaces'), 'No resources found');
  operator = start();
  await eventually(dryRunBad, REFUSED);
}, 600_000);

afterAll(async () => {
  operator.stop.abort('SIGINT');
  await operator.ended;
  await stores.close();
  await connection.close();
  await server.stop();
}, 600_000);

function start(): typeof operator {
  const stop = new AbortController();
  const config: OperatorConfig = {
    namespace: NAMESPACE,
    podName: `operator-${Date.now()}`,
    release: 'millrace',
    logLevel: 'warn',
    metricsListen: { host: '127.0.0.1', port: 0 },
    database: { kind: 'given', url: stores.url, listenUrl: stores.url },
    cluster: { kind: 'kubeconfig', file: server.kubeconfig },
    image: 'localhost/millrace:1',
    imagePullPolicy: 'IfNotPresent',
    pods: { imagePullPolicy: 'IfNotPresent', storage: {}, userNamespaces: 'never' },
    internalUrl: `https://millrace-internal.${NAMESPACE}.svc:8443`,
    externalUrl: undefined,
    sources: { registry: undefined, allowedRanges: [] },
    defaultLimits: {},
    webhook: { listen: { host: '127.0.0.1', port }, certificate: 'own', maxReviewMs: TIMEOUT_SECONDS * 900 },
  };
  return { stop, ended: runOperator(config, pino({ level: 'silent' }), stop.signal) };
}

/**
 * The chart's configuration, at the port of this test and with a longer timeout: on a slow machine, the
 * webhook must not fail open.
 */
function configuration(): object {
  const rendered = chart.find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const text = JSON.stringify(rendered).replace('"port":443', `"port":${port}`);
  return JSON.parse(text.replace('"timeoutSeconds":3', `"timeoutSeconds":${TIMEOUT_SECONDS}`));
}

const kubectlWith = (input: string, ...args: string[]): Promise<string> =>
  runKubectl(server.kubeconfig, args, input);

const kubectl = (...args: string[]): Promise<string> => kubectlWith('', ...args);

function object(apiVersion: string, kind: string, metadata: object): Record<string, unknown> {
  return { apiVersion, kind, metadata };
}

async function apply(...objects: object[]): Promise<void> {
  for (const applied of objects) {
    const output = await kubectlWith(JSON.stringify(applied), 'apply', '-f', '-');
    if (!/(created|configured|unchanged)$/.test(output)) throw new Error(output);
  }
}

/** Waits until the output contains these words. */
async function eventually(read: () => Promise<string>, words: string): Promise<string> {
  const limit = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const output = await read();
    if (output.includes(words)) return output;
    if (Date.now() > limit) throw new Error(`never "${words}", but: ${output}`);
    await sleep(200);
  }
}

const GOOD = 'job "work" {\n  task "run" {\n    run "shell" {\n      cmd = "true"\n    }\n  }\n}\n';
const BAD = 'jobb "work" {\n}\nresource "cron" "tick" {\n  check_interval = "@every 1s"\n}\n';
const FIRST = '1:1: there is no block "jobb" in a pipeline; did you mean "job"?';
const SECOND = '4:20: in resource "cron" "tick": check_interval "@every 1s":';

function pipeline(name: string, spec: object, namespace = 'blue'): string {
  return JSON.stringify({ ...object('millrace.dev/v1alpha1', 'Pipeline', { namespace, name }), spec });
}

const applyPipeline = (manifest: string, ...args: string[]): Promise<string> =>
  kubectlWith(manifest, 'apply', ...args, '-f', '-');

const dryRunBad = (): Promise<string> =>
  kubectlWith(pipeline('tried', { config: BAD }), 'create', '--dry-run=server', '-f', '-');

const exists = (name: string): Promise<string> => kubectl('get', 'pipeline', name, '--namespace', 'blue');

describe('a Pipeline with errors', () => {
  test.each<[string, string[]]>([
    ['kubectl apply', []],
    ['kubectl apply --server-side', ['--server-side']],
    ['kubectl apply --dry-run=server', ['--dry-run=server']],
  ])('is refused with all errors by %s', async (_, args) => {
    const output = await applyPipeline(pipeline('bad', { config: BAD }), ...args);
    expect(output).toContain('The Pipeline "bad" is invalid:');
    expect(output).toContain(`* spec.config: ${FIRST}`);
    expect(output).toContain(`* spec.config: ${SECOND}`);
    expect(await exists('bad')).toContain('NotFound');
  });

  test('is refused with the errors in the message of the response too', async () => {
    const path = '/apis/millrace.dev/v1alpha1/namespaces/blue/pipelines';
    const output = await kubectlWith(
      pipeline('bad', { config: BAD }),
      'create',
      '--raw',
      path,
      '-f',
      '-',
      '--v=8',
    );
    expect(output).toContain('"code":422');
    expect(output).toContain('denied the request: spec.config: 1:1: there is no block');
  });

  test('is refused as a change of a valid Pipeline, which stays unchanged', async () => {
    await apply(JSON.parse(pipeline('changed', { config: GOOD })));
    expect(await applyPipeline(pipeline('changed', { config: BAD }))).toContain(FIRST);
    expect(await kubectl('get', 'pipeline', 'changed', '-n', 'blue', '-o', 'jsonpath={.spec.config}')).toBe(
      GOOD.trim(),
    );
  });

  test('is refused for the value of a variable', async () => {
    const config = `variable "n" {\n  type = number\n}\n${GOOD}`;
    await apply(JSON.parse(pipeline('variable', { config, vars: { n: '1' } })));
    expect(await applyPipeline(pipeline('variable', { config, vars: { n: 'one' } }))).toContain(
      'spec.config: 1:1: in variable "n": the value given for "n" is not a number',
    );
  });

  test('is admitted in a namespace that disables validation', async () => {
    expect(await applyPipeline(pipeline('bad', { config: BAD }, 'open'))).toContain('created');
  });
});

describe('a valid Pipeline', () => {
  test('is admitted without a message', async () => {
    expect(await applyPipeline(pipeline('good', { config: GOOD }))).toBe(
      'pipeline.millrace.dev/good created',
    );
  });

  test('is admitted with its warnings', async () => {
    const output = await applyPipeline(pipeline('warned', { config: 'job "idle" {\n}\n' }));
    expect(output).toContain('Warning: spec.config: 1:1: the job "idle" has no steps');
    expect(output).toContain('pipeline.millrace.dev/warned created');
  });

  test('is admitted with values from another object, which the webhook does not read', async () => {
    const config = `variable "token" {\n  type = string\n}\n${GOOD}`;
    const spec = { config, varsFrom: [{ secretRef: { name: 'absent' } }] };
    expect(await applyPipeline(pipeline('elsewhere', spec))).toContain('created');
    expect(await applyPipeline(pipeline('elsewhere', { ...spec, config: `${config}${BAD}` }))).toContain(
      'there is no block "jobb"',
    );
  });

  test('is admitted with its text in another object', async () => {
    const spec = { configFrom: { configMapKeyRef: { name: 'absent', key: 'text' } } };
    expect(await applyPipeline(pipeline('text-elsewhere', spec))).toContain('created');
  });
});

describe('a Pipeline that was stored with errors', () => {
  beforeAll(async () => {
    await kubectl('label', 'namespace', 'blue', 'millrace.dev/disable-validation=true');
    await eventually(() => applyPipeline(pipeline('stored', { config: BAD })), 'created');
    await kubectl('label', 'namespace', 'blue', 'millrace.dev/disable-validation-');
    await eventually(dryRunBad, REFUSED);
  });

  test('can be labelled', async () => {
    expect(await kubectl('label', 'pipeline', 'stored', '--namespace', 'blue', 'a=b')).toContain('labeled');
  });

  test('can be paused', async () => {
    expect(await applyPipeline(pipeline('stored', { config: BAD, paused: true }))).toContain('configured');
  });

  test('cannot get another text with errors, but can get a valid text', async () => {
    expect(await applyPipeline(pipeline('stored', { config: `${BAD}\n` }))).toContain(FIRST);
    expect(await applyPipeline(pipeline('stored', { config: GOOD }))).toContain('configured');
  });

  test('can be deleted', async () => {
    const deletion = ['delete', 'pipeline', 'bad', '--namespace', 'open'];
    expect(await kubectl(...deletion, '--timeout=300s')).toContain('deleted');
    expect(await kubectl('get', 'pipelines', '--namespace', 'open')).toContain('No resources found');
  });
});

describe('without a running operator', () => {
  test('an invalid Pipeline is admitted, and its condition has the same errors after an operator starts', async () => {
    await apply({ ...object('millrace.dev/v1alpha1', 'Team', { name: 'green' }), spec: {} });
    await eventually(() => kubectl('get', 'namespace'), 'green');
    operator.stop.abort('SIGINT');
    await operator.ended;
    expect(await applyPipeline(pipeline('unseen', { config: BAD }, 'green'))).toContain('created');
    operator = start();
    const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].message}';
    const output = await eventually(
      () => kubectl('get', 'pipeline', 'unseen', '--namespace', 'green', '-o', ready),
      FIRST,
    );
    expect(output).toContain(SECOND);
    await eventually(dryRunBad, REFUSED);
  });
});

const bundle = (): Promise<string> =>
  kubectl(
    'get',
    'validatingwebhookconfiguration',
    'millrace-webhook',
    '-o',
    'jsonpath={.webhooks[0].clientConfig.caBundle}',
  );

describe("the API server's trust in the webhook", () => {
  test.each([
    ['kubectl apply', []],
    ['server-side apply', ['--server-side', '--force-conflicts', '--field-manager=helm']],
  ])('outlives an upgrade of the chart by %s', async (_, args) => {
    const before = await bundle();
    expect(before).not.toBe('');
    const output = await kubectlWith(JSON.stringify(configuration()), 'apply', ...args, '-f', '-');
    expect(output).toContain('millrace-webhook');
    expect(await bundle()).toBe(before);
  });

  test('is written again if somebody removed it, and only then', async () => {
    const before = await bundle();
    const authority = Buffer.from(before, 'base64').toString();
    const client = new ApiClient(connection);
    expect(await trustWebhook(client, 'millrace', authority)).toBe('same');
    const patch = '[{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]';
    await kubectl('patch', 'validatingwebhookconfiguration', 'millrace-webhook', '--type=json', '-p', patch);
    expect(await bundle()).toBe('');
    expect(await trustWebhook(client, 'millrace', authority)).toBe('written');
    expect(await bundle()).toBe(before);
    expect(
      JSON.parse(await kubectl('get', 'validatingwebhookconfiguration', 'millrace-webhook', '-o', 'json')),
    ).toMatchObject({
      webhooks: [{ failurePolicy: 'Ignore', timeoutSeconds: TIMEOUT_SECONDS, sideEffects: 'None' }],
    });
    await expect(trustWebhook(client, 'other', authority)).rejects.toThrow(/other-webhook.*404/);
  });

  test.each([
    ['may change its own webhook configuration', 'patch', 'millrace-webhook', 'yes'],
    ['may not change another webhook configuration', 'patch', 'other', 'no'],
    ['may not create a webhook configuration', 'create', 'millrace-webhook', 'no'],
    ['may not delete its own webhook configuration', 'delete', 'millrace-webhook', 'no'],
  ])('the operator %s', async (_, verb, name, answer) => {
    const resource = `validatingwebhookconfigurations.admissionregistration.k8s.io/${name}`;
    const output = await kubectl('auth', 'can-i', verb, resource, '--as', OPERATOR);
    expect(output.split('\n').at(-1)).toBe(answer);
  });
});
