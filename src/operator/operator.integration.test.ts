import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { parse } from 'yaml';
import { openNotifications } from '#adapters/database/connection/notifications.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { buildEngine } from '#adapters/hcl/build.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { markClientSecrets } from '#adapters/kubernetes/objects/client-secrets.ts';
import type { OperatorConfig } from '#config';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';
import { startProxy } from '#testing/network/cuttable-proxy.ts';
import { freePort } from '#testing/network/free-port.ts';
import { runOperator } from '#testing/operator/operator-under-test.ts';
import { triggerOn } from '#testing/stores/schedule.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';
import type { Ending } from './operator.ts';

/*
 * The whole operator, with a real API server, a real Postgres and the real HCL engine; nothing runs the Pods,
 * and nothing collects what has lost its owner.
 */
/** It only ends what hangs. */
const CONVERGED_MS = 300_000;
const DEFINITIONS: ApiKind<object> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

let server: OwnApiServer;
let stores: TestStores;
let connection: Connection;
let client: ApiClient;
let operator: { ended: Promise<Ending>; stop: AbortController };

beforeAll(async () => {
  [server, stores] = await Promise.all([startApiServer(), openStores(), buildEngine()]);
  connection = server.connect();
  client = new ApiClient(connection);
  const folder = new URL('../../crds/', import.meta.url);
  for (const file of readdirSync(folder)) {
    const definition: object = parse(readFileSync(new URL(file, folder), 'utf8'));
    orThrow(await client.create(DEFINITIONS, definition), `making ${file}`);
  }
  await namespace('millrace-system');
  operator = start();
}, 600_000);

afterAll(async () => {
  operator.stop.abort();
  await operator.ended;
  await stores.close();
  await connection.close();
  await server.stop();
}, 600_000);

function start(databaseUrl = stores.url, log = pino({ level: 'silent' })): typeof operator {
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
    pods: { imagePullPolicy: 'IfNotPresent', storage: {} },
    internalUrl: 'https://millrace-internal.millrace-system.svc:8443',
    externalUrl: 'https://ci.example.test',
    sources: { registry: undefined, allowedRanges: ['127.0.0.0/8'] },
    defaultLimits: { runningBuilds: 7, runningChecks: 2 },
    webhook: undefined,
  };
  return { stop, ended: runOperator(config, log, stop.signal) };
}

async function namespace(name: string, labels: Record<string, string> = {}): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  orThrow(await client.create(KINDS.namespaces, object), `making the namespace ${name}`);
}

async function apply<T>(kind: ApiKind<T>, object: unknown): Promise<void> {
  const same: T & { metadata?: { name?: string; namespace?: string } } = JSON.parse(JSON.stringify(object));
  orThrow(await client.apply(kind, same, 'kubectl'), `applying a ${kind.kind}`);
}

const team = (name: string, spec: object = {}): Promise<void> =>
  apply(KINDS.teams, { metadata: { name }, spec });
const pipeline = (where: string, name: string, spec: object): Promise<void> =>
  apply(KINDS.pipelines, { metadata: { namespace: where, name }, spec });

/** What the Pipeline tells of its last change once it has this revision. */
async function planOf(revision: number, text: string): Promise<unknown> {
  await pipeline('blue', 'planned', { config: text });
  const status = await eventually(
    async () => {
      const answer = await client.get(KINDS.pipelines, { namespace: 'blue', name: 'planned' });
      return answer.ok ? answer.value.status : undefined;
    },
    (seen) => seen?.revision === revision,
  );
  return status?.lastPlan;
}

const config = (job: string, every = '1h'): string => `
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

/** Waits until what is asked for is as wanted; the last answer is in the error if it never is. */
async function eventually<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const limit = Date.now() + CONVERGED_MS;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() > limit) throw new Error(`never as wanted: ${JSON.stringify(answer)?.slice(0, 2000)}`);
    await sleep(50);
  }
}

async function conditionOf(
  kind: typeof KINDS.pipelines | typeof KINDS.teams,
  where: string,
  name: string,
  type = 'Ready',
) {
  const answer = await client.get<{
    status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
  }>(kind, { namespace: where, name });
  return answer.ok
    ? answer.value.status?.conditions?.find((condition) => condition.type === type)
    : undefined;
}

async function reason(where: string, name: string, wanted: string): Promise<string> {
  const found = await eventually(
    () => conditionOf(KINDS.pipelines, where, name),
    (condition) => condition?.reason === wanted,
  );
  return found?.message ?? '';
}

async function cronJobs(where: string): Promise<{ name: string; version: string; schedule: string }[]> {
  const found: { name: string; version: string; schedule: string }[] = [];
  orThrow(
    await client.list(KINDS.cronJobs, { namespace: where }, (items) => {
      for (const { metadata, spec } of items) {
        const { name = '', resourceVersion: version = '' } = metadata ?? {};
        found.push({ name, version, schedule: spec?.schedule ?? '' });
      }
    }),
    'listing CronJobs',
  );
  return found;
}

async function events(where: string): Promise<string[]> {
  const found: string[] = [];
  orThrow(
    await client.list(KINDS.events, { namespace: where }, (items) => {
      for (const item of items) found.push(item.reason ?? '');
    }),
    'listing Events',
  );
  return found;
}

/** The script that the one type of the pipeline `fed` checks with. */
async function checkOfFed(): Promise<string> {
  const kept = await stores.pipelines.definition({ team: 'mint', pipeline: 'fed' });
  const check = kept?.pipeline.resourceTypes[0]?.check;
  return check?.runner === 'shell' && 'cmd' in check ? check.cmd : '';
}

async function versionOfDemo(): Promise<string> {
  const found = orThrow(await client.get(KINDS.pipelines, { namespace: 'blue', name: 'demo' }), 'reading');
  return found.metadata.resourceVersion ?? '';
}

const configMap = (text: string): Promise<void> =>
  apply(KINDS.configMaps, { metadata: { namespace: 'blue', name: 'text' }, data: { 'pipeline.hcl': text } });

const IN_RELEASE = { namespace: 'millrace-system' };

async function secretsOfInstallation() {
  const found: { name: string; labels: object; annotations: Record<string, string> }[] = [];
  orThrow(
    await client.list(KINDS.secrets, IN_RELEASE, (items) => {
      for (const { metadata } of items) {
        const { name = '', labels = {}, annotations = {} } = metadata ?? {};
        found.push({ name, labels, annotations });
      }
    }),
    'listing Secrets',
  );
  return found;
}

async function valuesOf(name: string): Promise<unknown> {
  return orThrow(await client.get(KINDS.secrets, { ...IN_RELEASE, name }), 'reading').data;
}

describe('the Secrets of the installation', () => {
  const KEPT = {
    labels: { 'app.kubernetes.io/managed-by': 'millrace' },
    annotations: {
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
      'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
    },
  };
  const NAMES = ['admin', 'internal-ca', 'internal-tls', 'keys', 'oauth-api'].map(
    (suffix) => `millrace-${suffix}`,
  );
  const kept = NAMES.map((name) => ({ name, ...KEPT }));

  test('are never pruned or deleted by Argo CD, however it tracks objects', async () => {
    await eventually(secretsOfInstallation, (found) => found.length === NAMES.length);
    expect(await secretsOfInstallation()).toEqual(kept);
  });

  test('of an older release are brought up to that by the next start, with their values', async () => {
    const old = {
      metadata: {
        labels: { 'app.kubernetes.io/instance': 'millrace' },
        annotations: { 'argocd.argoproj.io/sync-options': null, 'argocd.argoproj.io/compare-options': null },
      },
    };
    const values = await Promise.all(NAMES.map(valuesOf));
    await Promise.all(NAMES.map((name) => client.patchMerge(KINDS.secrets, { ...IN_RELEASE, name }, old)));
    operator.stop.abort();
    await operator.ended;
    operator = start();
    // The operator may not touch this one after it created it: the public gateway marks it.
    await markClientSecrets({ client, ...IN_RELEASE, name: 'millrace-oauth-api' });
    await eventually(secretsOfInstallation, (found) => isDeepStrictEqual(found, kept));
    expect(await Promise.all(NAMES.map(valuesOf))).toEqual(values);
  });
});

describe('a Team', () => {
  test('gets its namespace, with all that fences it', async () => {
    await team('blue', { displayName: 'Blue', limits: { requests: { cpu: 8 } } });
    await eventually(
      () => conditionOf(KINDS.teams, '', 'blue'),
      (condition) => condition?.reason === 'NamespaceReady',
    );
    const made = await Promise.all([
      client.get(KINDS.serviceAccounts, { namespace: 'blue', name: 'millrace-pods' }),
      client.get(KINDS.networkPolicies, { namespace: 'blue', name: 'millrace-pods' }),
      client.get(KINDS.resourceQuotas, { namespace: 'blue', name: 'millrace' }),
      client.get(KINDS.roleBindings, { namespace: 'blue', name: 'millrace-operator-team' }),
      client.get(KINDS.roleBindings, { namespace: 'blue', name: 'millrace-gateway-team' }),
    ]);
    expect(made.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  });

  test('loses its quota when its spec names none any more', async () => {
    await team('blue', { displayName: 'Blue' });
    await eventually(
      () => client.get(KINDS.resourceQuotas, { namespace: 'blue', name: 'millrace' }),
      (answer) => !answer.ok && answer.status === 404,
    );
  });

  test('does not get a namespace of somebody else, until that is handed over', async () => {
    await namespace('theirs');
    await team('green', { namespace: 'theirs' });
    const refused = await eventually(
      () => conditionOf(KINDS.teams, '', 'green'),
      (condition) => condition?.status === 'False',
    );
    expect(refused).toMatchObject({ reason: 'NamespaceNotOurs' });
    expect(refused?.message).toContain('kubectl label namespace theirs millrace.dev/team=green');
    const bound = await client.get(KINDS.roleBindings, {
      namespace: 'theirs',
      name: 'millrace-operator-team',
    });
    expect(bound.ok).toBe(false);
  });
});

describe('a Pipeline', () => {
  test('becomes a revision and CronJobs, and says so', async () => {
    await pipeline('blue', 'demo', { config: config('unit') });
    expect(await reason('blue', 'demo', 'Accepted')).toBe('Revision 1 is current.');
    expect(await cronJobs('blue')).toMatchObject([
      { name: 'demo-check-every-3600s', schedule: '@every 3600s' },
    ]);
    expect(
      await eventually(
        () => events('blue'),
        (reasons) => reasons.length > 0,
      ),
    ).toEqual(['RevisionApplied']);
  });

  test('with errors keeps its last good revision, and tells them all', async () => {
    const broken = `${config('unit')}\njob "other" {\n  nonsense = 1\n}\nwrong "block" {}\n`;
    await pipeline('blue', 'demo', { config: broken });
    const message = await reason('blue', 'demo', 'InvalidConfig');
    expect(message).toMatch(/^\d+:\d+: .*nonsense/m);
    expect(message).toMatch(/^\d+:\d+: .*wrong/m);
    expect(message).toContain('Revision 1 keeps running.');
    expect(await stores.pipelines.definition({ team: 'blue', pipeline: 'demo' })).toMatchObject({
      revision: 1,
    });
    expect(await cronJobs('blue')).toHaveLength(1);
    await pipeline('blue', 'demo', { config: config('unit') });
    await reason('blue', 'demo', 'Accepted');
  });

  test('applied again as it is writes nothing, nor does an operator that starts anew', async () => {
    const before = { pipeline: await versionOfDemo(), cronJobs: await cronJobs('blue') };
    await pipeline('blue', 'demo', { config: config('unit') });
    operator.stop.abort();
    expect(await operator.ended).toBe('told-to');
    operator = start();
    // A change of another object shows that the new one is at work.
    await pipeline('blue', 'second', { config: config('unit', '2h') });
    await reason('blue', 'second', 'Accepted');
    expect({
      pipeline: await versionOfDemo(),
      cronJobs: (await cronJobs('blue')).filter(({ name }) => name.startsWith('demo-')),
    }).toEqual(before);
  }, 600_000);

  test('tells of each change what it did to jobs and resources, and nothing where it did nothing', async () => {
    const text = config('unit');
    expect(await planOf(1, text)).toEqual({ jobs: { added: ['unit'] }, resources: { added: ['git.app'] } });
    expect(await planOf(2, text.replace('echo hello', 'echo again'))).toEqual({
      jobs: { changed: ['unit'] },
    });
    expect(await planOf(3, `# nothing\n${text.replace('echo hello', 'echo again')}`)).toBeUndefined();
  });

  test('follows the ConfigMap that it refers to', async () => {
    await pipeline('blue', 'third', {
      configFrom: { configMapKeyRef: { name: 'text', key: 'pipeline.hcl' } },
    });
    await reason('blue', 'third', 'ConfigMapNotFound');
    await configMap(config('unit', '3h'));
    await reason('blue', 'third', 'Accepted');
    await configMap(config('unit', '4h'));
    await eventually(
      () => cronJobs('blue'),
      (found) =>
        found.some(({ name }) => name === 'third-check-every-14400s') &&
        found.every(({ name }) => name !== 'third-check-every-10800s'),
    );
  });

  test('takes variables from a Secret by name only, and only from one that allows it', async () => {
    const data = { token: Buffer.from('very secret').toString('base64') };
    const secret = (labels: Record<string, string>): Promise<void> =>
      apply(KINDS.secrets, { metadata: { namespace: 'blue', name: 'vars', labels }, data });
    const text = `variable "token" {\n  type = string\n}\n${config('unit').replace('echo hello', 'echo ${var.token}')}`;
    await secret({});
    await pipeline('blue', 'fourth', { config: text, varsFrom: [{ secretRef: { name: 'vars' } }] });
    expect(await reason('blue', 'fourth', 'SecretNotUsable')).toContain(
      'kubectl -n blue label secret vars millrace.dev/usable=true',
    );
    await secret({ 'millrace.dev/usable': 'true' });
    await reason('blue', 'fourth', 'Accepted');
    const saved = JSON.stringify(await stores.pipelines.definition({ team: 'blue', pipeline: 'fourth' }));
    expect(saved).toContain('__millrace_secret_');
    expect(saved).not.toContain('very secret');
  });

  test('that asks for what cannot be done yet is refused by name', async () => {
    const text = config('later').replace('job "later" {', 'job "later" {\n  timeout = "5m"');
    await pipeline('blue', 'later', { config: text });
    expect(await reason('blue', 'later', 'InvalidConfig')).toContain(
      'this version cannot run timeout in job yet',
    );
  });

  test('fetches a source once, and again when it is asked to', async () => {
    const definition = {
      text: 'resource_type "feed" {\n  check "shell" {\n    cmd = "one"\n  }\n}\n',
      asked: 0,
    };
    const sources = createServer((_request, response) => {
      definition.asked += 1;
      response.end(definition.text);
    });
    await new Promise<void>((resolve) => sources.listen(0, '127.0.0.1', resolve));
    sources.unref();
    const address = sources.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await team('mint', { sources: { allowHTTP: true, allowedHosts: [`127.0.0.1:${port}`] } });
    await eventually(
      () => conditionOf(KINDS.teams, '', 'mint'),
      (condition) => condition?.reason === 'NamespaceReady',
    );
    const text = `resource_type "feed" {\n  source = "http://127.0.0.1:${port}/feed.hcl"\n}\nresource "feed" "f" {}\n`;
    await pipeline('mint', 'fed', { config: text });
    await reason('mint', 'fed', 'Accepted');
    expect(await checkOfFed()).toBe('one');
    definition.text = definition.text.replace('one', 'two');
    operator.stop.abort();
    expect(await operator.ended).toBe('told-to');
    operator = start();
    await pipeline('mint', 'other', { config: config('unit') });
    await reason('mint', 'other', 'Accepted');
    expect({ asked: definition.asked, type: await checkOfFed() }).toEqual({ asked: 1, type: 'one' });
    const annotations = { 'millrace.dev/requested-at': '2026-11-21T12:00:00Z' };
    await apply(KINDS.pipelines, {
      metadata: { namespace: 'mint', name: 'fed', annotations },
      spec: { config: text },
    });
    expect(await eventually(checkOfFed, (type) => type === 'two')).toBe('two');
    expect(definition.asked).toBe(2);
    sources.close();
  }, 600_000);

  test('has its CronJobs put right when somebody changes or deletes them', async () => {
    const name = 'demo-check-every-3600s';
    orThrow(
      await client.patchMerge(KINDS.cronJobs, { namespace: 'blue', name }, { spec: { suspend: false } }),
      'changing',
    );
    const spec = async (): Promise<unknown> => {
      const answer = await client.get(KINDS.cronJobs, { namespace: 'blue', name });
      return answer.ok ? answer.value.spec?.suspend : 'gone';
    };
    await eventually(spec, (suspend) => suspend === true);
    orThrow(await client.delete(KINDS.cronJobs, { namespace: 'blue', name }), 'deleting');
    await eventually(spec, (suspend) => suspend === true);
  });

  test('is carried out by an operator that took over while the database was away', async () => {
    const url = new URL(stores.url);
    const database = Number(url.port);
    const line = await startProxy(database, await freePort());
    url.port = String(line.port);
    const told: string[] = [];
    const next = start(url.href, pino({ level: 'info' }, { write: (text) => void told.push(text) }));
    const says = (words: string): Promise<string> =>
      eventually(
        async () => told.join(''),
        (text) => text.includes(words),
      );
    await says('ready to lead');
    await line.close();
    operator.stop.abort();
    await operator.ended;
    await says('the lead cannot be taken up yet');
    const again = await startProxy(database, line.port);
    await says('"leading"');
    await pipeline('blue', 'later', { config: config('unit') });
    await reason('blue', 'later', 'Accepted');
    next.stop.abort();
    expect(await next.ended).toBe('told-to');
    await again.close();
    operator = start();
  });

  test('in a namespace of no Team waits for one', async () => {
    await namespace('nobody', { 'millrace.dev/team': 'late' });
    await pipeline('nobody', 'early', { config: config('unit') });
    await reason('nobody', 'early', 'WaitingForTeam');
    await team('late', { namespace: 'nobody' });
    await reason('nobody', 'early', 'Accepted');
  });

  test('is carried out after the API server was killed and came back', async () => {
    await server.kill();
    await sleep(1000);
    await server.start();
    await pipeline('blue', 'demo', { config: config('renamed') });
    expect(await reason('blue', 'demo', 'Accepted')).toContain('Revision');
    await eventually(
      async () => (await stores.pipelines.definition({ team: 'blue', pipeline: 'demo' }))?.revision,
      (revision) => revision === 2,
    );
  }, 600_000);
});

test.each<[string, object, object]>([
  ['that says nothing has the limits of the installation', {}, { runningBuilds: 7, runningChecks: 2 }],
  [
    'that says one has the other one of the installation',
    { runningBuilds: 9 },
    { runningBuilds: 9, runningChecks: 2 },
  ],
])('a Team %s, and its status tells', async (_, limits, expected) => {
  const name = `limited-${Object.keys(limits).length}`;
  await team(name, { limits });
  const status = await eventually(
    async () => {
      const answer = await client.get(KINDS.teams, { name });
      return answer.ok ? answer.value.status : undefined;
    },
    (found) => found?.conditions?.some(({ reason: why }) => why === 'NamespaceReady') ?? false,
  );
  expect(status?.limits).toEqual(expected);
  const { runningBuilds } = { runningBuilds: 0, ...expected };
  expect(
    await stores.pool.oneFirst(
      rows<{ limit: number }>()`SELECT running_builds AS limit FROM teams WHERE name = ${name}`,
    ),
  ).toBe(runningBuilds);
});

interface FoundPod {
  labels: Record<string, string>;
  owner: string | undefined;
  uid: string | undefined;
  text: string;
}

async function buildPods(): Promise<FoundPod[]> {
  const found: FoundPod[] = [];
  const chosen = { namespace: 'blue', labelSelector: 'millrace.dev/kind=build' };
  orThrow(
    await client.list(KINDS.pods, chosen, (items) => {
      for (const item of items) {
        const { labels = {}, ownerReferences = [], uid } = item.metadata ?? {};
        found.push({ labels, owner: ownerReferences[0]?.name, uid, text: JSON.stringify(item) });
      }
    }),
    'listing Pods',
  );
  return found;
}

test('a build that is triggered becomes a Pod, owned by its Pipeline and without a word of its script', async () => {
  const name = { team: 'blue', pipeline: 'demo' };
  const runs = await eventually(
    () => stores.checks.openRuns(),
    (found) => found.some(({ pipeline: of }) => of === 'demo'),
  );
  const run = runs.find(({ pipeline: of }) => of === 'demo')?.run ?? 0;
  const scope = (await stores.checks.runFacts(run))?.checks[0]?.scope ?? 0;
  await stores.checks.recordCheck({ run, scope, versions: [{ ref: 'a' }], log: '' }, new Date());
  const answer = await triggerOn(stores, { ...name, job: 'renamed' }, 'tester', new Date());
  const number = answer.answer === 'created' ? answer.build.number : JSON.stringify(answer);
  const notifications = openNotifications({ url: stores.url, pool: stores.pool });
  notifications.notify({ topic: 'builds' });
  const isIt = ({ labels }: FoundPod): boolean => labels['millrace.dev/build'] === number;
  const pod = (await eventually(buildPods, (found) => found.some(isIt))).find(isIt);
  expect(pod).toMatchObject({
    owner: 'demo',
    labels: { 'millrace.dev/job': 'renamed', 'millrace.dev/team': 'blue' },
  });
  expect(pod?.text).not.toContain('echo hello');
  await eventually(
    () => stores.builds.openAttempts(),
    (attempts) => attempts.some(({ podUid }) => podUid === pod?.uid),
  );
  await notifications.close();
});

test('a Pipeline whose check nobody starts says so, although nothing else happens to it', async () => {
  const lib = config('second', '2h').replaceAll('app', 'lib');
  await team('grey', { limits: { runningChecks: 1 } });
  await eventually(
    () => client.get(KINDS.namespaces, { name: 'grey' }),
    (answer) => answer.ok,
  );
  await pipeline('grey', 'late', { config: config('first') + lib });
  await eventually(
    () => stores.checks.openRuns(),
    (runs) => runs.some(({ pipeline: of }) => of === 'late'),
  );
  // Its beginning is over.
  await sleep(2000);
  await stores.pool.query(rows()`
    UPDATE check_scopes SET requested_at = NULL, requested_cause = NULL, next_check_at = now() - interval '5 hours'
    WHERE run_id IS NULL AND pipeline_id = (SELECT id FROM pipelines WHERE name = 'late')`);
  const found = await eventually(
    () => conditionOf(KINDS.pipelines, 'grey', 'late', 'ChecksStalled'),
    (condition) => condition !== undefined,
  );
  expect(found).toMatchObject({ status: 'True', reason: 'Overdue' });
});

test('a Pipeline that is deleted goes, and finds its history when it comes back', async () => {
  const before = await stores.pipelines.pipelineFacts({ team: 'blue', pipeline: 'second' });
  orThrow(await client.delete(KINDS.pipelines, { namespace: 'blue', name: 'second' }), 'deleting');
  await eventually(
    () => client.get(KINDS.pipelines, { namespace: 'blue', name: 'second' }),
    (answer) => !answer.ok && answer.status === 404,
  );
  expect(await stores.pipelines.pipelineFacts({ team: 'blue', pipeline: 'second' })).toBeUndefined();
  await pipeline('blue', 'second', { config: config('unit', '2h') });
  await reason('blue', 'second', 'Accepted');
  expect(await stores.pipelines.pipelineFacts({ team: 'blue', pipeline: 'second' })).toMatchObject({
    id: before?.id,
    revision: before?.revision,
  });
});

test('a Team with Pipelines left waits, and says for what', async () => {
  orThrow(await client.delete(KINDS.teams, { name: 'late' }), 'deleting');
  const waiting = await eventually(
    () => conditionOf(KINDS.teams, '', 'late'),
    (condition) => condition?.reason === 'HasPipelines',
  );
  expect(waiting?.message).toContain('one Pipeline is left in namespace nobody');
  operator.stop.abort();
  await operator.ended;
  operator = start();
  await pipeline('nobody', 'early', { config: config('meanwhile') });
  await eventually(
    async () => (await stores.pipelines.definition({ team: 'late', pipeline: 'early' }))?.revision,
    (revision) => revision === 2,
  );
  orThrow(await client.delete(KINDS.pipelines, { namespace: 'nobody', name: 'early' }), 'deleting');
  await eventually(
    () => client.get(KINDS.teams, { name: 'late' }),
    (answer) => !answer.ok && answer.status === 404,
  );
});

test('an OAuthProvider is offered to everybody, and neither disabled nor deleted while somebody has no other way to sign in', async () => {
  const named = async (want: Record<string, string>) =>
    await eventually(
      async () => orThrow(await client.get(KINDS.oauthProviders, { name: 'company' }), 'reading').status,
      (found) =>
        Object.entries(want).every(([type, why]) =>
          found?.conditions?.some((condition) => condition.type === type && condition.reason === why),
        ),
    );
  const spec = {
    type: 'OIDC',
    clientID: 'millrace',
    clientSecretRef: { name: 'idp', key: 'secret' },
    issuerURL: 'https://idp.example.test',
  };
  await apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec });
  await named({ Ready: 'SecretNotReadable' });
  expect(await stores.access.oauth.providers()).toEqual([]);

  const readable = { ...spec, clientSecretRef: { name: 'millrace-oauth', key: 'company' } };
  await apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec: readable });
  const status = await named({ Ready: 'Accepted', SignIn: 'Offered' });
  expect(status?.callbackURL).toBe('https://ci.example.test/auth/oauth/company/callback');
  expect(await stores.access.oauth.providers()).toEqual([
    {
      canonical: 'company',
      type: 'OIDC',
      clientId: 'millrace',
      issuerUrl: 'https://idp.example.test',
      enabled: true,
      secretKey: 'company',
      byApi: false,
      uid: expect.any(String),
      generation: 2,
    },
  ]);

  await stores.pool.query(rows()`
    WITH ann AS (INSERT INTO users (username) VALUES ('ann') RETURNING id)
    INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at)
    SELECT 'https://idp.example.test', 'ann', id, 'company', now() FROM ann`);
  await apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec: { ...readable, enabled: false } });
  await named({ Ready: 'WouldLockOut', Stalled: 'WouldLockOut' });
  expect(await stores.access.oauth.providers()).toMatchObject([{ enabled: true }]);

  await stores.pool.query(rows()`UPDATE users SET password_hash = 'some' WHERE username = 'ann'`);
  await apply(KINDS.oauthProviders, {
    metadata: { name: 'company' },
    spec: { ...readable, enabled: false, displayName: 'Company' },
  });
  await named({ Ready: 'Accepted', SignIn: 'Disabled' });
  expect(await stores.access.oauth.providers()).toMatchObject([{ enabled: false }]);
  orThrow(await client.delete(KINDS.oauthProviders, { name: 'company' }), 'deleting');
  await eventually(
    () => client.get(KINDS.oauthProviders, { name: 'company' }),
    (answer) => !answer.ok && answer.status === 404,
  );
  expect(await stores.access.oauth.providers()).toEqual([]);
});
