import { describe, expect, test } from '@jest/globals';
import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import type { ClusterCache } from '#adapters/kubernetes/informers/cluster-cache.ts';
import type { TeamRules } from '#adapters/kubernetes/manifests/installation.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Cluster, CreatePodAnswer } from '#flows/pods/ports.ts';
import { requestBuildPod, requestCheckPod } from '#flows/pods/request-pod.ts';
import type { CheckRunFacts, PendingBuild } from '#flows/pods/workloads.ts';
import { InMemoryCaches } from '#testing/flows/in-memory-caches.ts';
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

interface ClusterSetup {
  /** The API server's answer to the POST. */
  posted?: ApiAnswer<{ uid: string }>;
  /** The credential in the Pod that exists already. */
  existing?: string;
  running?: number;
  limit?: number;
  team?: boolean;
  rules?: Partial<TeamRules>;
}

interface CreatedPod {
  metadata?: { uid?: string; name?: string; labels?: Record<string, string> };
  spec?: { nodeSelector?: Record<string, string>; runtimeClassName?: string };
}

function cluster(setup: ClusterSetup) {
  const created: CreatedPod[] = [];
  const cachedUids: (string | undefined)[] = [];
  const limits = { runningBuilds: setup.limit ?? Infinity, runningChecks: setup.limit ?? Infinity };
  const cache: ClusterCache = {
    team: () => (setup.team === false ? undefined : { rules: { ...rules, ...setup.rules }, ...limits }),
    pipelineOwner: () => undefined,
    runningPods: () => setup.running ?? 0,
    nodes: () => [],
    podsListed: () => true,
    warmTeams: () => [],
    created: (pod) => void cachedUids.push(pod.metadata?.uid),
  };
  const client = {
    create: <T>(_: unknown, object: T & CreatedPod): Promise<ApiAnswer<T>> => {
      created.push(object);
      const posted = setup.posted ?? { ok: true, value: { uid: 'new' } };
      const { uid } = posted.ok ? posted.value : { uid: '' };
      const metadata = { ...object.metadata, uid };
      return Promise.resolve(posted.ok ? { ok: true, value: { ...object, metadata } } : posted);
    },
    get: <T>(): Promise<ApiAnswer<T>> => {
      const value: T = JSON.parse(JSON.stringify(podWith(setup.existing)));
      return Promise.resolve({ ok: true, value });
    },
    delete: () => Promise.resolve({ ok: true as const, value: 'deleted' as const }),
  };
  const podPorts = podCluster({
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
    starts: { perNode: () => 4, sharing: (namespace) => (namespace === 'team-blue' ? 'shared' : 'pausing') },
  });
  return { cluster: podPorts, created, cachedUids };
}

const refusedBy = (status: number, message: string, reason = 'Forbidden'): ClusterSetup => ({
  posted: { ok: false, status, reason, message },
});
const exists: ClusterSetup = {
  posted: { ok: false, status: 409, reason: 'AlreadyExists', message: 'there' },
};
const ourNonce = 'nonce of {"kind":"build","build":41,"attempt":1}';

const portsOver = (podPorts: Cluster) => ({
  cluster: podPorts,
  caches: new InMemoryCaches(),
  now: () => new Date(),
});

/**
 * A Pod with this credential. Only the credential shows who created a Pod: anyone may write its other fields.
 */
function podWith(credential: string | undefined): object {
  const env = credential === undefined ? [] : [{ name: 'MILLRACE_NONCE', value: credential }];
  return { metadata: { uid: 'old' }, spec: { containers: [{ name: 'agent', env }] } };
}

describe('a request for the Pod of a build', () => {
  test.each<[string, ClusterSetup, Partial<CreatePodAnswer>]>([
    ['creates a new Pod', {}, { answer: 'created', uid: 'new' }],
    [
      'finds the same Pod from before a crash',
      { ...exists, existing: ourNonce },
      { answer: 'exists', uid: 'old' },
    ],
    [
      'is refused if a Pod of that name has the credential of another attempt',
      { ...exists, existing: 'nonce of {"kind":"build","build":41,"attempt":2}' },
      { answer: 'refused', reason: 'NameTaken' },
    ],
    [
      'is refused if somebody else created a Pod of that name',
      exists,
      {
        answer: 'refused',
        reason: 'NameTaken',
        message:
          'The Pod team-blue/demo-unit-7-1-db909 exists, and Millrace did not create it. ' +
          'Delete it, or find out who creates such Pods.',
      },
    ],
    [
      'is refused with QuotaExceeded if the quota is used up',
      refusedBy(403, 'pods "x" is forbidden: exceeded quota: millrace, requested: requests.cpu=1'),
      { answer: 'refused', reason: 'QuotaExceeded' },
    ],
    [
      'is refused by a Pod security standard',
      refusedBy(403, 'violates PodSecurity "restricted:latest"'),
      { answer: 'refused', reason: 'Forbidden' },
    ],
    [
      'is refused in a terminating namespace',
      refusedBy(403, 'unable to create new content in namespace x because it is being terminated'),
      { answer: 'refused', reason: 'NamespaceTerminating' },
    ],
    [
      'is refused in a namespace that is gone',
      refusedBy(404, 'not found'),
      { answer: 'refused', reason: 'NamespaceTerminating' },
    ],
    [
      'is refused for an invalid Pod',
      refusedBy(422, 'bad', 'Invalid'),
      { answer: 'refused', reason: 'Invalid' },
    ],
    [
      'is refused with TeamLimit if the team runs as many builds as allowed',
      { running: 2, limit: 2 },
      {
        answer: 'refused',
        reason: 'TeamLimit',
        message: 'Team blue runs 2 of 2 builds that it may run at a time.',
      },
    ],
    ['is refused for a team that is gone', { team: false }, { answer: 'refused', reason: 'Forbidden' }],
  ])('%s', async (_, setup, expected) => {
    expect(await requestBuildPod(build, portsOver(cluster(setup).cluster))).toMatchObject(expected);
  });

  test.each([
    ['unavailable', { ok: false as const, status: 0, reason: 'Unreachable', message: 'refused' }],
    ['overloaded', { ok: false as const, status: 503, reason: 'ServiceUnavailable', message: 'later' }],
  ])('fails with an error, to be retried, if the API server is %s', async (_, posted) => {
    await expect(requestBuildPod(build, portsOver(cluster({ posted }).cluster))).rejects.toThrow(
      'creating the Pod team-blue/demo-unit-7-1',
    );
  });

  test('creates the same Pod for the same attempt, byte by byte', async () => {
    const { cluster: podPorts, created } = cluster({});
    await requestBuildPod(build, portsOver(podPorts));
    await requestBuildPod({ ...build, createdAt: new Date(1) }, portsOver(podPorts));
    expect(JSON.stringify(created[0])).toBe(JSON.stringify(created[1]));
    expect(JSON.stringify(created[0])).not.toContain('secret script');
  });

  test('creates only one of two simultaneous Pods if the team may have one more', async () => {
    const { cluster: podPorts } = cluster({ running: 1, limit: 2 });
    const answers = await Promise.all([
      requestBuildPod(build, portsOver(podPorts)),
      requestBuildPod({ ...build, id: 42 }, portsOver(podPorts)),
    ]);
    expect(answers.map(({ answer }) => answer)).toEqual(['created', 'refused']);
  });

  test.each<[string, ClusterSetup, string]>([
    ['was created', {}, 'new'],
    ['already existed', { ...exists, existing: ourNonce }, 'old'],
  ])('adds a Pod that %s to the cache before a watch reports it', async (_, setup, uid) => {
    const { cluster: podPorts, cachedUids } = cluster(setup);
    await requestBuildPod(build, portsOver(podPorts));
    expect(cachedUids).toEqual([uid]);
  });
});

const KINDS_OF_POD = ['build', 'check', 'hook'] as const;
type Kind = (typeof KINDS_OF_POD)[number];

test('whether other teams start Pods depends on the namespace of the team', () => {
  expect(cluster({}).cluster.sharing('blue')).toBe('shared');
  expect(cluster({ rules: { namespace: 'team-red' } }).cluster.sharing('blue')).toBe('pausing');
  expect(cluster({ team: false }).cluster.sharing('blue')).toBe('alone');
});

describe('a tag of a Pod', () => {
  const taggedBuild = {
    ...build,
    definition: { ...definition, jobs: [{ name: 'unit', steps: [], tags: ['gpu'] }] },
  };
  const resources = definition.resources.map((resource) => ({ ...resource, tags: ['gpu'] }));
  const taggedRun = { ...run, definition: { ...definition, resources } };
  const request = async (kind: Kind, team: Partial<TeamRules>) => {
    const { cluster: podPorts, created } = cluster({ rules: team });
    const runs = {
      check: taggedRun,
      hook: { ...taggedRun, checks: [], hooks: { resource: 'git.app', leftMs: 1000, versions: [] } },
    };
    const answer = await (kind === 'build'
      ? requestBuildPod(taggedBuild, portsOver(podPorts))
      : requestCheckPod(runs[kind], portsOver(podPorts)));
    return { answer, spec: created[0]?.spec };
  };

  test.each(KINDS_OF_POD)('that the Team does not allow leaves a %s without a Pod', async (kind) => {
    const { answer, spec } = await request(kind, { allowedTags: ['arm64'] });
    expect(answer).toMatchObject({ answer: 'refused', reason: 'TagNotAllowed' });
    expect(spec).toBeUndefined();
  });

  test.each(KINDS_OF_POD)('of a %s selects nodes by its label', async (kind) => {
    const { spec } = await request(kind, {});
    expect(spec).toMatchObject({ nodeSelector: { 'millrace.dev/tag-gpu': 'true' } });
  });

  test.each(KINDS_OF_POD)('of a %s selects nodes as the Team says', async (kind) => {
    const workers = [{ tag: 'gpu', nodeSelector: { accelerator: 'a100' }, runtimeClassName: 'nvidia' }];
    const { spec } = await request(kind, { workers });
    expect(spec).toMatchObject({ nodeSelector: { accelerator: 'a100' }, runtimeClassName: 'nvidia' });
  });
});

test('the Pod of a check run carries the run and its pipeline', async () => {
  const { cluster: podPorts, created } = cluster({});
  expect(await requestCheckPod(run, portsOver(podPorts))).toEqual({ answer: 'created', uid: 'new' });
  expect(created[0]?.metadata).toMatchObject({
    name: 'check-demo-12',
    labels: { 'millrace.dev/kind': 'check', 'millrace.dev/run': '12', 'millrace.dev/pipeline-id': '3' },
  });
});

function keys(key: number, purpose: string, container: string): string {
  return shimKeys(Buffer.alloc(32, key), purpose).keyOf(container);
}

test('keys of shims differ by container and by Pod, and derive from the key of the installation', () => {
  expect(keys(7, 'a', 'worker')).toMatch(/^[0-9a-f]{64}$/);
  expect(keys(7, 'a', 'worker')).toBe(keys(7, 'a', 'worker'));
  const different = [
    keys(7, 'a', 'worker'),
    keys(7, 'a', 'other'),
    keys(7, 'b', 'worker'),
    keys(8, 'a', 'worker'),
  ];
  expect(new Set(different).size).toBe(4);
});
