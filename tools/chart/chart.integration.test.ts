import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { V1Container, V1PodSpec, V1PolicyRule } from '@kubernetes/client-node';
import { connectionsOfPods, INTERNAL_GATEWAY_LABELS } from '#adapters/kubernetes/manifests/network-policy.ts';
import { CLUSTER_ROLES, SERVICE_ACCOUNTS } from '#adapters/kubernetes/manifests/release-names.ts';
import { internalGatewayConfig, operatorConfig, publicGatewayConfig, type Source } from '#config';
import { checkout } from '#tools/checkout.ts';
import { chart } from './files.ts';
import { flowsOf, tableRows, type PolicySpec } from './flows.ts';
import { helm, manifests, render, type RenderedObject } from './render.ts';

const EXTERNAL = {
  'postgres.enabled': false,
  'database.existingSecret': 'my-database',
  'database.listenKey': 'direct',
  'tokens.existingSecret': 'my-tokens',
  'ingress.enabled': true,
  'ingress.hosts': ['ci.example.org'],
  'ingress.tlsSecretName': 'ci-tls',
  'metrics.serviceMonitor.enabled': true,
};
const CERT_MANAGER = { 'webhook.certManager.enabled': true };
let standard: RenderedObject[];
let external: RenderedObject[];

beforeAll(async () => {
  standard = await manifests();
  external = await manifests(EXTERNAL);
}, 600_000);

const find = (objects: RenderedObject[], kind: string, name: string): RenderedObject => {
  const found = objects.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const podSpec = (value: unknown): V1PodSpec => JSON.parse(JSON.stringify(value));
const podsOf = (objects: RenderedObject[]): { name: string; pod: V1PodSpec }[] =>
  objects.flatMap((manifest) => {
    const { kind, metadata } = manifest;
    if (kind === 'Pod') return [{ name: metadata.name, pod: podSpec(manifest.spec) }];
    const template = manifest.spec?.['template'];
    if (typeof template !== 'object' || template === null || !('spec' in template)) return [];
    return [{ name: metadata.name, pod: podSpec(template.spec) }];
  });
const podOf = (objects: RenderedObject[], name: string): V1PodSpec => {
  const found = podsOf(objects).find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`there are no Pods ${name}`);
  return found.pod;
};

const allPods = (): { name: string; pod: V1PodSpec }[] => [...podsOf(standard), ...podsOf(external)];
const keysOf = (name: string): string[] =>
  (podOf(standard, name).volumes ?? []).flatMap(({ secret }) =>
    (secret?.items ?? []).map(({ key }) => `${secret?.secretName ?? ''}/${key}`),
  );
const rulesOf = (manifest: RenderedObject): V1PolicyRule[] => JSON.parse(JSON.stringify(manifest['rules']));
const roles = (): RenderedObject[] =>
  standard.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
const policyFlows = (): string[] =>
  standard
    .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name !== 'millrace-default-deny')
    .flatMap(({ metadata, spec }) => {
      const policy: PolicySpec = JSON.parse(JSON.stringify(spec));
      return flowsOf(metadata.name.replace('millrace-', ''), policy).flatMap(oneRowPerPeer);
    });

describe('helm', () => {
  test('lints the chart without a warning', async () => {
    expect(await helm('lint', '--strict', chart)).toContain('0 chart(s) failed');
  });

  test.each([
    ['own database', {}],
    ['external database, Ingress, ServiceMonitor', EXTERNAL],
    ['certificate of cert-manager', CERT_MANAGER],
  ])('renders the same output twice: %s', async (_, values) => {
    expect(await render(values)).toBe(await render(values));
  });

  test.each([
    ['a misspelled name', { 'operator.replica': 3 }, "additional properties 'replica' not allowed"],
    ['a wrong type', { 'operator.replicas': 'two' }, 'got string, want integer'],
    ['two databases', { 'database.existingSecret': 'mine' }, 'both databases are set'],
    ['no database', { 'postgres.enabled': false }, 'no database'],
    ['an issuer without a name', { 'webhook.certManager.issuerRef.kind': 'Issuer' }, 'needs a name'],
    ['a port that only root may open', { 'webhook.port': 443 }, 'minimum: got 443, want 1,024'],
    [
      'an unknown setting of user namespaces',
      { 'pods.userNamespaces': 'maybe' },
      "'auto', 'always', 'never'",
    ],
    ['an Ingress without a name', { 'ingress.enabled': true }, 'needs at least one name'],
  ])('refuses values with %s', async (_, values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  test('leaves out what is disabled', async () => {
    const values = {
      'crds.enabled': false,
      'rbac.aggregate': false,
      'networkPolicy.enabled': false,
      'webhook.enabled': false,
      'operator.podDisruptionBudget.enabled': false,
      'gateway.public.podDisruptionBudget.enabled': false,
      'gateway.internal.podDisruptionBudget.enabled': false,
    };
    const kinds = new Set((await manifests(values)).map(({ kind }) => kind));
    expect([...kinds]).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^(CustomResourceDefinition|NetworkPolicy|PodDisruptionBudget|ValidatingWebhookConfiguration)$/,
        ),
      ]),
    );
  });
});

describe('every Pod', () => {
  test('is in the list that these tests cover', () => {
    expect(
      podsOf(standard)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([
      'millrace-gateway-internal',
      'millrace-gateway-public',
      'millrace-operator',
      'millrace-postgres',
      'millrace-test',
    ]);
  });

  test('complies with the restricted Pod security standard and has a read-only root file system', () => {
    for (const { pod } of allPods()) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC ?? false).toBe(false);
      expect((pod.volumes ?? []).filter((volume) => volume.hostPath !== undefined)).toEqual([]);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  test('mounts a token only if it uses the API', () => {
    const mounts = allPods().filter(({ pod }) => pod.automountServiceAccountToken !== false);
    expect(new Set(mounts.map(({ name }) => name))).toEqual(
      new Set(['millrace-operator', 'millrace-gateway-internal', 'millrace-gateway-public']),
    );
  });

  test('that keeps running has probes, requests and a memory limit', () => {
    for (const { pod } of allPods().filter(({ name }) => name !== 'millrace-test')) {
      for (const container of pod.containers) {
        expect(container).toMatchObject({ livenessProbe: {}, readinessProbe: {}, startupProbe: {} });
        expect(container.resources).toMatchObject({
          requests: { cpu: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  test('contains no secret value, and the chart creates no Secret', () => {
    expect([...standard, ...external].filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const { pod } of allPods()) {
      const values = pod.containers
        .flatMap((container) => container.env ?? [])
        .map(({ value }) => value ?? '');
      expect(
        values.filter(
          (value) => /password|postgres:\/\/[^/]*:[^/]*@/.test(value) && !value.startsWith('/etc/'),
        ),
      ).toEqual([]);
    }
  });

  test('of the release has its own NetworkPolicy', () => {
    const policies = standard
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ metadata }) => metadata.name);
    expect(policies).toEqual(expect.arrayContaining(podsOf(standard).map(({ name }) => name)));
  });
});

/** The configuration of a process in the Pod: its environment, and the files from its Secrets. */
function sourceOf(objects: RenderedObject[], name: string): Source {
  const pod = podOf(objects, name);
  const [container] = pod.containers;
  if (container === undefined) throw new Error(`${name} has no container`);
  const environment = Object.fromEntries(
    (container.env ?? []).map((variable) => [
      variable.name,
      variable.value ?? `from ${variable.valueFrom?.fieldRef?.fieldPath ?? ''}`,
    ]),
  );
  return { environment, readText: (path) => secretText(pod, container, path) };
}

function secretText(pod: V1PodSpec, container: V1Container, path: string): string {
  const mount = container.volumeMounts?.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
  const secret = pod.volumes?.find(({ name }) => name === mount?.name)?.secret;
  const item = secret?.items?.find((candidate) => `${mount?.mountPath ?? ''}/${candidate.path}` === path);
  if (item === undefined) throw new Error(`no volume has ${path}`);
  return item.key.includes('url') || item.key === 'direct'
    ? 'postgres://u:p@h/d'
    : Buffer.alloc(32, 7).toString('base64url');
}

describe('the environment in the chart', () => {
  test.each([
    ['operator, own database', () => operatorConfig(sourceOf(standard, 'millrace-operator'))],
    ['operator, external database', () => operatorConfig(sourceOf(external, 'millrace-operator'))],
    ['public gateway', () => publicGatewayConfig(sourceOf(standard, 'millrace-gateway-public'))],
    [
      'public gateway, external database',
      () => publicGatewayConfig(sourceOf(external, 'millrace-gateway-public')),
    ],
    ['internal gateway', () => internalGatewayConfig(sourceOf(standard, 'millrace-gateway-internal'))],
  ])('is valid for the %s', (_, read) => {
    expect(read().problems).toBeUndefined();
  });

  test('has the operator create the password of its own database, or gives it the URL of another', () => {
    const own = operatorConfig(sourceOf(standard, 'millrace-operator')).config;
    expect(own?.database).toEqual({ kind: 'own', host: 'millrace-postgres.millrace-system.svc' });
    expect(own).toMatchObject({
      internalUrl: 'https://millrace-internal.millrace-system.svc:8443',
      release: 'millrace',
    });
    expect(operatorConfig(sourceOf(external, 'millrace-operator')).config).toMatchObject({
      database: { kind: 'given' },
      externalUrl: 'https://ci.example.org',
    });
  });

  test.each(['auto', 'always', 'never'])(
    'tells the operator which Pods get a user namespace: %s',
    async (userNamespaces) => {
      const rendered = await manifests({ 'pods.userNamespaces': userNamespaces });
      const { config } = operatorConfig(sourceOf(rendered, 'millrace-operator'));
      expect(config?.pods).toMatchObject({ userNamespaces });
    },
  );

  test('gives the internal gateway the log limit', () => {
    const { config } = internalGatewayConfig(sourceOf(standard, 'millrace-gateway-internal'));
    expect(config?.logLimitBytes).toBe(64 * 1024 * 1024);
  });

  test('sets no external URL by default, so people sign in at any address', () => {
    const addressOf = (objects: RenderedObject[]): string | undefined =>
      publicGatewayConfig(sourceOf(objects, 'millrace-gateway-public')).config?.externalUrl;
    expect(addressOf(standard)).toBeUndefined();
    expect(operatorConfig(sourceOf(standard, 'millrace-operator')).config?.externalUrl).toBeUndefined();
    expect(addressOf(external)).toBe('https://ci.example.org');
  });

  test('gives each key of a Secret only to the components that need it', () => {
    expect(keysOf('millrace-operator')).toEqual([]);
    expect(keysOf('millrace-gateway-public')).toEqual([
      'millrace-database/url',
      'millrace-database/ca.crt',
      'millrace-keys/webhook',
      'millrace-keys/session',
      'millrace-store/public',
    ]);
    expect(keysOf('millrace-gateway-internal')).toEqual([
      'millrace-database/url',
      'millrace-database/ca.crt',
      'millrace-keys/agent',
      'millrace-store/private',
      'millrace-store/previous',
      'millrace-internal-tls/tls.crt',
      'millrace-internal-tls/tls.key',
      'millrace-internal-tls/ca.crt',
    ]);
    expect(keysOf('millrace-postgres')).toEqual([
      'millrace-postgres-tls/tls.crt',
      'millrace-postgres-tls/tls.key',
      'millrace-database/password',
    ]);
  });
});

const readableSecrets = (objects: RenderedObject[]): string[] =>
  rulesOf(find(objects, 'Role', 'millrace-gateway-public')).flatMap(({ resourceNames = [], verbs }) =>
    resourceNames.map((name) => `${name}: ${verbs.join(' ')}`),
  );
const tokensSecretIn = (objects: RenderedObject[]): object | undefined =>
  publicGatewayConfig(sourceOf(objects, 'millrace-gateway-public')).config?.tokensSecret;

describe('the RBAC rights in the chart', () => {
  test('contain no wildcard', () => {
    for (const role of roles()) {
      for (const rule of rulesOf(role)) {
        expect([...(rule.apiGroups ?? []), ...(rule.resources ?? []), ...rule.verbs]).not.toContain('*');
      }
    }
  });

  test('give nobody cluster-wide access to Secrets and Pods', () => {
    const bound = standard
      .filter(({ kind }) => kind === 'ClusterRoleBinding')
      .map(({ metadata }) => metadata.name);
    expect(bound.toSorted()).toEqual([
      'millrace-gateway-internal',
      'millrace-gateway-public',
      'millrace-operator',
    ]);
    for (const name of bound) {
      const resources = rulesOf(find(standard, 'ClusterRole', name)).flatMap((rule) => rule.resources ?? []);
      expect(
        resources.filter((resource) => ['secrets', 'pods', 'pods/exec', 'configmaps'].includes(resource)),
      ).toEqual([]);
    }
  });

  test('let the public gateway read only the configured Secret of tokens', () => {
    expect([readableSecrets(standard), tokensSecretIn(standard)]).toEqual([
      ['millrace-oauth-api: get patch'],
      undefined,
    ]);
    expect(readableSecrets(external)).toEqual(['millrace-oauth-api: get patch', 'my-tokens: get']);
    expect(tokensSecretIn(external)).toEqual({ name: 'my-tokens', key: 'tokens.json' });
  });

  test.each(['millrace', 'mine'])(
    'have the names that the operator binds, in a release called %s',
    async (release) => {
      const rendered = release === 'millrace' ? standard : await manifests({}, release);
      const fullName = release === 'millrace' ? 'millrace' : 'mine-millrace';
      for (const account of ['operator', 'gateway'] as const) {
        find(rendered, 'ClusterRole', CLUSTER_ROLES[account](fullName));
        find(rendered, 'ServiceAccount', SERVICE_ACCOUNTS[account](fullName));
      }
      const labels = find(rendered, 'Deployment', `${fullName}-gateway-internal`).metadata.labels;
      expect(labels).toMatchObject({ ...INTERNAL_GATEWAY_LABELS, 'app.kubernetes.io/instance': fullName });
    },
  );
});

describe('docs/reference/network.md lists the flows of', () => {
  const document = readFileSync(join(checkout, 'docs', 'reference', 'network.md'), 'utf8');
  test("Millrace's own Pods, and no other", () => {
    const documented = tableRows(document, "Millrace's own Pods", 4).flatMap(oneRowPerPeer);
    expect(documented.toSorted()).toEqual(policyFlows().toSorted());
  });

  test('check and build Pods, and no other', () => {
    const connections = connectionsOfPods([], {
      release: 'millrace',
      namespace: 'millrace-system',
      image: '',
      imagePullPolicy: 'IfNotPresent',
      pods: { imagePullPolicy: 'IfNotPresent', storage: {} },
      gateway: '',
      certificateAuthority: '',
    });
    const documented = tableRows(document, 'Check and build Pods', 3).map((row) => row.split(' | ')[2]);
    expect(documented).toEqual(connections.map(({ purpose }) => purpose));
  });

  test('all Pods, because the chart denies every other flow', () => {
    expect(find(standard, 'NetworkPolicy', 'millrace-default-deny').spec).toEqual({
      podSelector: {
        matchLabels: { 'app.kubernetes.io/name': 'millrace', 'app.kubernetes.io/instance': 'millrace' },
      },
      policyTypes: ['Ingress', 'Egress'],
    });
  });
});

/** Splits a row with several peers: such a row stands for one flow per peer. */
function oneRowPerPeer(row: string): string[] {
  const [component = '', direction = '', peers = '', ports = ''] = row.split(' | ');
  return peers.split(', ').map((peer) => [component, direction, peer, ports].join(' | '));
}
