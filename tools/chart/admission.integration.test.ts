import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { messageOf } from '#tools/cluster/explain.ts';
import { runKubectl, streamTool } from './cluster-commands.ts';
import { manifests, type RenderedObject } from './render.ts';

/*
 * Tests the limits of the operator's rights on a real API server. The test installs the operator's roles and
 * admission policies under another name, and sends requests as the operator. All these requests are dry runs.
 */
const RELEASE = `fence-${process.pid}`;
/** Prefix of the names of the release's objects. */
const PREFIX = `${RELEASE}-millrace`;
/** Namespace of the release. */
const HOME = `${RELEASE}-home`;
const TEAM = `${RELEASE}-team`;
/** Namespace of a team that pins the version of its Pod security standard. */
const PINNED = `${RELEASE}-pinned`;
const OPERATOR = `system:serviceaccount:${HOME}:${PREFIX}-operator`;
/** The kinds of the chart's objects that the test installs. */
const KINDS = /^(ClusterRole|ClusterRoleBinding|ValidatingAdmissionPolicy|ValidatingAdmissionPolicyBinding)$/;

const namespace = (name: string, labels: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

const LEVEL_LABEL = 'pod-security.kubernetes.io/enforce';
const VERSION_LABEL = 'pod-security.kubernetes.io/enforce-version';

const teamNamespace = (name: string, level?: string, version?: string): object =>
  namespace(name, {
    'millrace.dev/team': 'fence',
    ...(level !== undefined && { [LEVEL_LABEL]: level }),
    ...(version !== undefined && { [VERSION_LABEL]: version }),
  });

const binding = (
  namespaceOfBinding: string,
  role: string,
  serviceAccount: string,
  namespaceOfAccount = HOME,
): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'tried', namespace: namespaceOfBinding },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', name: serviceAccount, namespace: namespaceOfAccount }],
});

/**
 * Lets the operator bind the role `view`. Without this right the API server itself refuses the binding,
 * because the operator lacks rights of that role. With this right only the policy can refuse.
 */
const rightToBindView: RenderedObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `${RELEASE}-wider` },
    rules: [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        resourceNames: ['view'],
        verbs: ['bind'],
      },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `${RELEASE}-wider` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `${RELEASE}-wider` },
    subjects: [{ kind: 'ServiceAccount', name: `${PREFIX}-operator`, namespace: HOME }],
  },
];

/** The API server's answer to a dry run as the operator. */
async function asOperator(object: object): Promise<string> {
  const args = [
    'apply',
    '--server-side',
    '--dry-run=server',
    '--force-conflicts',
    '--field-manager=millrace',
    `--as=${OPERATOR}`,
    '-f',
    '-',
  ];
  try {
    await runKubectl(args, JSON.stringify(object));
    return 'allowed';
  } catch (error) {
    return messageOf(error);
  }
}

let installed = '';

beforeAll(async () => {
  await streamTool('tools/cluster/main.ts', ['up'], () => undefined);
  const rendered = await manifests({}, RELEASE);
  const objects = rendered.filter(({ kind }) => KINDS.test(kind));
  objects.push(...rightToBindView);
  // The chart was rendered for the namespace millrace-system.
  installed = objects.map((object) => stringify(object).replaceAll('millrace-system', HOME)).join('\n---\n');
  await runKubectl(['apply', '-f', '-'], installed);
  const pinned = teamNamespace(PINNED, 'baseline', 'v1.33');
  for (const object of [namespace(HOME), namespace(TEAM, { 'millrace.dev/team': 'fence' }), pinned]) {
    await runKubectl(['apply', '-f', '-'], JSON.stringify(object));
  }
  await untilPoliciesApply();
}, 600_000);

afterAll(async () => {
  await runKubectl(['delete', '--ignore-not-found', '--wait=false', '-f', '-'], installed);
  await runKubectl(['delete', 'namespace', HOME, TEAM, PINNED, '--ignore-not-found', '--wait=false']);
}, 600_000);

/** Waits until the new policies take effect. */
async function untilPoliciesApply(): Promise<void> {
  const end = Date.now() + 60_000;
  while ((await asOperator(binding(HOME, `${PREFIX}-operator-team`, `${PREFIX}-operator`))) === 'allowed') {
    if (Date.now() > end) throw new Error('the policies are not in force after a minute');
  }
}

describe("the operator's admission policy", () => {
  test.each([
    ['itself', 'operator-team', 'operator'],
    ['the internal gateway', 'gateway-team', 'gateway-internal'],
  ])('allows binding the team role of %s in a team namespace', async (_, role, subject) => {
    expect(await asOperator(binding(TEAM, `${PREFIX}-${role}`, `${PREFIX}-${subject}`))).toBe('allowed');
  });

  test.each<[string, () => object, string]>([
    [
      'bind a role in a namespace that belongs to no team',
      () => binding('default', `${PREFIX}-operator-team`, `${PREFIX}-operator`),
      'binds only in namespaces labelled',
    ],
    ['bind another role', () => binding(TEAM, 'view', `${PREFIX}-operator`), 'binds only its two team roles'],
    [
      'bind its role to someone else',
      () => binding(TEAM, `${PREFIX}-operator-team`, 'default', 'default'),
      'only to itself and to the internal gateway',
    ],
    [
      'bind the role of the gateway to itself',
      () => binding(TEAM, `${PREFIX}-gateway-team`, `${PREFIX}-operator`),
      'only to itself and to the internal gateway',
    ],
    [
      "give somebody else's namespace the label of a team",
      () => namespace('default', { 'millrace.dev/team': 'fence' }),
      'only namespaces that carry their team',
    ],
    [
      'give the namespace of a team to another team',
      () => namespace(TEAM, { 'millrace.dev/team': 'other' }),
      'only namespaces that carry their team',
    ],
    [
      'create a namespace without the label of a team',
      () => namespace(`${RELEASE}-new`, {}),
      'only namespaces that carry their team',
    ],
    [
      'create a system namespace',
      () => namespace('kube-fence', { 'millrace.dev/team': 'fence' }),
      'belongs to no team',
    ],
    [
      'allow privileged Pods in the namespace of a team',
      () => teamNamespace(TEAM, 'privileged'),
      'only namespaces that enforce the baseline or restricted',
    ],
    [
      'create a namespace that enforces no Pod security standard',
      () => teamNamespace(`${RELEASE}-new`),
      'only namespaces that enforce the baseline or restricted',
    ],
    [
      'create a namespace that enforces an old version of a standard',
      () => teamNamespace(`${RELEASE}-new`, 'restricted', 'v1.0'),
      'pins no version of the Pod security standard',
    ],
    [
      'pin the namespace of a team to an old version of the standard',
      () => teamNamespace(TEAM, 'restricted', 'v1.0'),
      'pins no version of the Pod security standard',
    ],
    [
      'change the version that a namespace pins',
      () => teamNamespace(PINNED, 'restricted', 'v1.0'),
      'pins no version of the Pod security standard',
    ],
  ])('does not allow the operator to %s', async (_, object, reason) => {
    expect(await asOperator(object())).toContain(reason);
  });

  test.each(['baseline', 'restricted'])(
    'allows creating a team namespace that enforces %s',
    async (level) => {
      expect(await asOperator(teamNamespace(`${RELEASE}-new`, level))).toBe('allowed');
    },
  );

  test('allows changing the level of a namespace that pins a version, with that version or the latest', async () => {
    expect(await asOperator(teamNamespace(PINNED, 'restricted'))).toBe('allowed');
    expect(await asOperator(teamNamespace(PINNED, 'restricted', 'v1.33'))).toBe('allowed');
    expect(await asOperator(teamNamespace(PINNED, 'restricted', 'latest'))).toBe('allowed');
  });

  test.each([
    ['list', 'secrets', ''],
    ['get', 'secrets', ''],
    ['create', 'pods', ''],
    ['create', 'pods/exec', ''],
    ['delete', 'namespaces', ''],
    ['impersonate', 'users', ''],
    ['create', 'clusterrolebindings', 'rbac.authorization.k8s.io'],
    ['escalate', 'clusterroles', 'rbac.authorization.k8s.io'],
  ])('gives the operator no right to %s %s outside its own namespaces', async (verb, resource, group) => {
    const attributes = {
      verb,
      resource: resource.split('/')[0],
      subresource: resource.split('/')[1],
      namespace: 'default',
    };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: OPERATOR,
        groups: ['system:serviceaccounts', 'system:authenticated'],
        resourceAttributes: { ...attributes, group },
      },
    };
    const path = 'jsonpath={.status.allowed}';
    expect(await runKubectl(['create', '-f', '-', '-o', path], JSON.stringify(review))).toBe('false');
  });
});
