import { runOrThrow, runProgram } from '#e2e/support/command.ts';
import { createTeam } from '#e2e/support/fixtures.ts';
import { kubectl, type KubernetesObject } from '#e2e/support/kubectl.ts';
import type { ForeignPod } from './history.ts';

/*
 * Another team, whose member has the Kubernetes role `edit` in that team's namespace and attacks. Nothing
 * that this member does there may affect the observed team.
 */
const IMAGE = 'localhost/millrace-busybox:dev';
/** No check and no put of the run makes a version with this value. */
export const FORGED_VERSION = 'forged';
const SECURITY = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

const TERMINATION_MESSAGE = JSON.stringify({
  format: 1,
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All steps succeeded.',
  exits: Object.fromEntries([0, 1, 2, 3].map((step) => [step, 0])),
  versions: Object.fromEntries([0, 1, 2, 3].map((step) => [step, { n: FORGED_VERSION }])),
  acknowledged: 0,
});

const SCRIPTS = {
  /** Never scheduled to a node. */
  lost: undefined,
  succeeded: `printf %s '${TERMINATION_MESSAGE}' > /dev/termination-log`,
  failed: 'exit 3',
} as const;
export type Forgery = keyof typeof SCRIPTS;

export const hostileTeam = (team: string): string => `${team}-evil`;

const asTenant = (namespace: string): string[] => [
  '--request-timeout=8s',
  `--as=system:serviceaccount:${namespace}:tenant`,
  '--namespace',
  namespace,
];

export const createTenant = async (namespace: string): Promise<void> => {
  await createTeam(namespace);
  await kubectl('create', 'serviceaccount', 'tenant', '--namespace', namespace);
  const edit = ['--clusterrole=edit', `--serviceaccount=${namespace}:tenant`, '--namespace', namespace];
  await kubectl('create', 'rolebinding', 'tenant', ...edit);
};

const podOf = (name: string, labels: Record<string, string>, forgery: Forgery): object => {
  const script = SCRIPTS[forgery];
  const command = ['/bin/sh', '-c', script ?? 'true'];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'agent', image: IMAGE, command, securityContext: SECURITY }],
      ...(script === undefined ? { nodeSelector: { no: 'such-node' } } : {}),
    },
  };
};

/** kubectl prints this template once per created object. */
const NAME_AND_UID = '{.metadata.name} {.metadata.uid}{"\\n"}';

/** Creates one Pod for each set of labels. */
export const createPods = async (
  namespace: string,
  labelSets: readonly Record<string, string>[],
  forgery: Forgery,
): Promise<ForeignPod[]> => {
  const at = Date.now();
  const items = labelSets.map((labels, index) => podOf(`${forgery}-${at}-${index}`, labels, forgery));
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const create = [...asTenant(namespace), 'create', '-o', `jsonpath=${NAME_AND_UID}`, '-f', '-'];
  const lines = (await runOrThrow('kubectl', create, { input: list })).trim().split('\n');
  return lines.map((line) => {
    const [name = '', uid = ''] = line.split(' ');
    return { at, name, uid, namespace };
  });
};

/** Records which Pods still exist, removes Millrace's label from some of them, and deletes all. */
export const deletePods = async (namespace: string, pods: readonly ForeignPod[]): Promise<void> => {
  const answer = await runProgram('kubectl', [...asTenant(namespace), 'get', 'pods', '-o', 'json']);
  if (answer.code === 0) recordSurvivors(JSON.parse(answer.stdout), pods);
  const names = pods.map(({ name }) => name);
  await runProgram('kubectl', [
    ...asTenant(namespace),
    'label',
    'pod',
    ...names.slice(0, 3),
    'app.kubernetes.io/managed-by-',
  ]);
  const immediately = ['--grace-period=0', '--force', '--ignore-not-found', '--wait=false'];
  await runProgram('kubectl', [...asTenant(namespace), 'delete', 'pod', ...names, ...immediately]);
};

/** Records which Pods still exist: only the tenant deletes them, and it has not done so yet. */
const recordSurvivors = ({ items }: { items: KubernetesObject[] }, pods: readonly ForeignPod[]): void => {
  const remainingUids = new Set(
    items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.uid),
  );
  for (const pod of pods) pod.survived = remainingUids.has(pod.uid);
};
