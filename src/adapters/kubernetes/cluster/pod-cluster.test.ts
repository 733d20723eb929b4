import { describe, expect, test } from '@jest/globals';
import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import type { ClusterCache } from '#adapters/kubernetes/informers/cluster-cache.ts';
import type { TeamRules } from '#adapters/kubernetes/manifests/installation.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { CreatePodAnswer } from '#flows/pods/ports.ts';
import { requestBuildPod, requestCheckPod } from '#flows/pods/request-pod.ts';
import type { CheckRunFacts, PendingBuild } from '#flows/pods/workloads.ts';
import { podCluster } from './pod-cluster.ts';
import { shimKeys } from './shim-keys.ts';

const definition: Pipeline = {
  resourceTypes: [
    { name: 'git', builtIn: true, params: [], cache: false, check: { runner: 'shell', cmd: 'true' } },
  ],
  resources: [{ name: 'git.app', type: 'git', label: 'app', params: {}, tags: [], cache: false }],
  jobs: [
    { name: 'unit', steps: [{ kind: 'task', name: 't', run: { runner: 'shell', cmd: 'secret script' } }] },
  ],
};
const build: PendingBuild = {
  id: 41,
  pipelineId: 3,
  attempt: 1,
  namespace: 'team-blue',
  team: 'blue',
  pipeline: 'demo',
  job: 'unit',
  number: '7',
  definition,
  createdAt: new Date(0),
};
const run: CheckRunFacts = {
  run: 12,
  namespace: 'team-blue',
  team: 'blue',
  pipeline: 'demo',
  pipelineId: 3,
  definition,
  checks: [{ scope: 1, resource: 'git.app' }],
};
const rules: TeamRules = {
  name: 'blue',
  namespace: 'team-blue',
  podSecurity: 'baseline',
  imagePullSecrets: [],
  workers: [],
  requests: {},
  limits: {},
};

interface World {
  /** What the API server says to the POST. */
  posted?: ApiAnswer<{ uid: string }>;
  /** The credential in the Pod that is there already. */
  there?: string;
  running?: number;
  limit?: number;
  team?: boolean;
  rules?: Partial<TeamRules>;
}

interface Made {
  metadata?: { uid?: string; name?: string; labels?: Record<string, string> };
  spec?: { nodeSelector?: Record<string, string>; runtimeClassName?: string };
}

function cluster(world: World) {
  const made: Made[] = [];
  const noted: (string | undefined)[] = [];
  const limits = { runningBuilds: world.limit ?? Infinity, runningChecks: world.limit ?? Infinity };
  const cache: ClusterCache = {
    team: () => (world.team === false ? undefined : { rules: { ...rules, ...world.rules }, ...limits }),
    pipelineOwner: () => undefined,
    runningPods: () => world.running ?? 0,
    nodes: () => [],
    created: (pod) => void noted.push(pod.metadata?.uid),
  };
  const client = {
    create: <T>(_: unknown, object: T & Made): Promise<ApiAnswer<T>> => {
      made.push(object);
      const posted = world.posted ?? { ok: true, value: { uid: 'new' } };
      const { uid } = posted.ok ? posted.value : { uid: '' };
      const metadata = { ...object.metadata, uid };
      return Promise.resolve(posted.ok ? { ok: true, value: { ...object, metadata } } : posted);
    },
    get: <T>(): Promise<ApiAnswer<T>> => {
      const value: T = JSON.parse(JSON.stringify(podWith(world.there)));
      return Promise.resolve({ ok: true, value });
    },
    delete: () => Promise.resolve({ ok: true as const, value: 'deleted' as const }),
  };
  const built = podCluster({
    client,
    cache,
    installation: () => ({
      release: 'millrace',
      namespace: 'millrace-system',
      image: 'localhost/millrace:1',
      imagePullPolicy: 'IfNotPresent',
      pods: { imagePullPolicy: 'IfNotPresent', storage: {} },
      gateway: 'https://gateway:8443',
      certificateAuthority: 'PEM',
    }),
    nonceOf: (session) => `nonce of ${JSON.stringify(session)}`,
    agentKey: Buffer.alloc(32, 7),
    startsPerNode: () => 4,
  });
  return { cluster: built, made, noted };
}

const refusedBy = (status: number, message: string, reason = 'Forbidden'): World => ({
  posted: { ok: false, status, reason, message },
});
const exists: World = { posted: { ok: false, status: 409, reason: 'AlreadyExists', message: 'there' } };
const ours = 'nonce of {"kind":"build","build":41,"attempt":1}';

/** Everything but the credential is what anybody may write. */
function podWith(credential: string | undefined): object {
  const env = credential === undefined ? [] : [{ name: 'MILLRACE_NONCE', value: credential }];
  return { metadata: { uid: 'old' }, spec: { containers: [{ name: 'agent', env }] } };
}

describe('asking for the Pod of a build', () => {
  test.each<[string, World, Partial<CreatePodAnswer>]>([
    ['a new Pod', {}, { answer: 'created', uid: 'new' }],
    ['the same Pod from before a crash', { ...exists, there: ours }, { answer: 'exists', uid: 'old' }],
    [
      'a Pod of that name with the credential of another attempt',
      { ...exists, there: 'nonce of {"kind":"build","build":41,"attempt":2}' },
      { answer: 'refused', reason: 'NameTaken' },
    ],
    [
      'a Pod of that name that somebody else made before us',
      exists,
      {
        answer: 'refused',
        reason: 'NameTaken',
        message:
          'The Pod team-blue/demo-unit-7-1-db909 exists, and Millrace did not create it. Delete it, or find out who creates such Pods.',
      },
    ],
    [
      'a quota that is used up',
      refusedBy(403, 'pods "x" is forbidden: exceeded quota: millrace, requested: requests.cpu=1'),
      { answer: 'refused', reason: 'QuotaExceeded' },
    ],
    [
      'a Pod security standard that forbids it',
      refusedBy(403, 'violates PodSecurity "restricted:latest"'),
      { answer: 'refused', reason: 'Forbidden' },
    ],
    [
      'a namespace on its way out',
      refusedBy(403, 'unable to create new content in namespace x because it is being terminated'),
      { answer: 'refused', reason: 'NamespaceTerminating' },
    ],
    [
      'a namespace that is gone',
      refusedBy(404, 'not found'),
      { answer: 'refused', reason: 'NamespaceTerminating' },
    ],
    ['a Pod that can never be', refusedBy(422, 'bad', 'Invalid'), { answer: 'refused', reason: 'Invalid' }],
    [
      'a team that runs as many as it may',
      { running: 2, limit: 2 },
      {
        answer: 'refused',
        reason: 'TeamLimit',
        message: 'Team blue runs 2 of 2 builds that it may run at a time.',
      },
    ],
    ['a team that is gone', { team: false }, { answer: 'refused', reason: 'Forbidden' }],
  ])('%s', async (_, world, expected) => {
    expect(await requestBuildPod(build, cluster(world).cluster)).toMatchObject(expected);
  });

  test.each([
    ['out of reach', { ok: false as const, status: 0, reason: 'Unreachable', message: 'refused' }],
    ['overloaded', { ok: false as const, status: 503, reason: 'ServiceUnavailable', message: 'later' }],
  ])('an API server that is %s is an error, for another try', async (_, posted) => {
    await expect(requestBuildPod(build, cluster({ posted }).cluster)).rejects.toThrow(
      'creating the Pod team-blue/demo-unit-7-1',
    );
  });

  test('the same attempt gives the same Pod, byte by byte', async () => {
    const { cluster: both, made } = cluster({});
    await requestBuildPod(build, both);
    await requestBuildPod({ ...build, createdAt: new Date(1) }, both);
    expect(JSON.stringify(made[0])).toBe(JSON.stringify(made[1]));
    expect(JSON.stringify(made[0])).not.toContain('secret script');
  });

  test('of two at a time only one is made when the team may have one more', async () => {
    const { cluster: both } = cluster({ running: 1, limit: 2 });
    const answers = await Promise.all([
      requestBuildPod(build, both),
      requestBuildPod({ ...build, id: 42 }, both),
    ]);
    expect(answers.map(({ answer }) => answer)).toEqual(['created', 'refused']);
  });

  test.each<[string, World, string]>([
    ['was made', {}, 'new'],
    ['was met', { ...exists, there: ours }, 'old'],
  ])('a Pod that %s is known before any watch tells of it', async (_, world, uid) => {
    const { cluster: one, noted } = cluster(world);
    await requestBuildPod(build, one);
    expect(noted).toEqual([uid]);
  });
});

const KINDS_OF_POD = ['build', 'check', 'hook'] as const;
type Kind = (typeof KINDS_OF_POD)[number];

describe('tags', () => {
  const train = {
    ...build,
    definition: { ...definition, jobs: [{ name: 'unit', steps: [], tags: ['gpu'] }] },
  };
  const resources = definition.resources.map((resource) => ({ ...resource, tags: ['gpu'] }));
  const tagged = { ...run, definition: { ...definition, resources } };
  const ask = async (kind: Kind, team: Partial<TeamRules>) => {
    const { cluster: one, made } = cluster({ rules: team });
    const runs = {
      check: tagged,
      hook: { ...tagged, checks: [], hooks: { resource: 'git.app', leftMs: 1000, versions: [] } },
    };
    const answer = await (kind === 'build' ? requestBuildPod(train, one) : requestCheckPod(runs[kind], one));
    return { answer, spec: made[0]?.spec };
  };

  test.each(KINDS_OF_POD)('that the Team does not allow get a %s no Pod', async (kind) => {
    const { answer, spec } = await ask(kind, { allowedTags: ['arm64'] });
    expect(answer).toMatchObject({ answer: 'refused', reason: 'TagNotAllowed' });
    expect(spec).toBeUndefined();
  });

  test.each(KINDS_OF_POD)('of a %s select nodes by their label', async (kind) => {
    const { spec } = await ask(kind, {});
    expect(spec).toMatchObject({ nodeSelector: { 'millrace.dev/tag-gpu': 'true' } });
  });

  test.each(KINDS_OF_POD)('of a %s mean what the Team says', async (kind) => {
    const workers = [{ tag: 'gpu', nodeSelector: { accelerator: 'a100' }, runtimeClassName: 'nvidia' }];
    const { spec } = await ask(kind, { workers });
    expect(spec).toMatchObject({ nodeSelector: { accelerator: 'a100' }, runtimeClassName: 'nvidia' });
  });
});

test('the Pod of a check run carries the run and its pipeline', async () => {
  const { cluster: one, made } = cluster({});
  expect(await requestCheckPod(run, one)).toEqual({ answer: 'created', uid: 'new' });
  expect(made[0]?.metadata).toMatchObject({
    name: 'check-demo-12',
    labels: { 'millrace.dev/kind': 'check', 'millrace.dev/run': '12', 'millrace.dev/pipeline-id': '3' },
  });
});

function keys(key: number, purpose: string, container: string): string {
  return shimKeys(Buffer.alloc(32, key), purpose).keyOf(container);
}

test('keys of the shims differ by container and by Pod, and follow from the key of the installation', () => {
  expect(keys(7, 'a', 'worker')).toMatch(/^[0-9a-f]{64}$/);
  expect(keys(7, 'a', 'worker')).toBe(keys(7, 'a', 'worker'));
  const all = [keys(7, 'a', 'worker'), keys(7, 'a', 'other'), keys(7, 'b', 'worker'), keys(8, 'a', 'worker')];
  expect(new Set(all).size).toBe(4);
});
