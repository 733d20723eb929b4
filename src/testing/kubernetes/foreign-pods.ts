import type { V1Pod } from '@kubernetes/client-node';
import * as fc from 'fast-check';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { isSealed, withSeal } from '#adapters/kubernetes/cluster/seal.ts';
import { projectPod } from '#adapters/kubernetes/informers/pod-projection.ts';
import { ANNOTATION, LABEL, MANAGED_BY } from '#adapters/kubernetes/manifests/labels.ts';
import { defined } from '#defined';
import type { PodFacts } from '#flows/pods/ports.ts';

/*
 * Pods of attackers, who may create, change and delete Pods in some namespace and know everything that can be
 * read.
 */

const KEY = Buffer.alloc(32, 5);

export interface RealPod {
  namespace: string;
  name: string;
  uid: string;
  labels: Record<string, string>;
  /** Whether Millrace has recorded its uid. Then the Pod may be gone, and another Pod may have its name. */
  recorded: boolean;
}

type PodIdentity = Omit<RealPod, 'recorded'>;

/** A running, sealed Pod as Millrace creates it. */
export function realPod({ namespace, name, uid, labels }: PodIdentity): PodFacts {
  return factsOf(withSeal(KEY, wirePod({ namespace, name, uid, labels }, RUNNING)));
}

export const buildLabels = (build: number, attempt: number): Record<string, string> => ({
  [MANAGED_BY]: 'millrace',
  [LABEL.kind]: 'build',
  [LABEL.buildId]: String(build),
  [LABEL.attempt]: String(attempt),
});

export const labelsOfCheck = (run: number | undefined): Record<string, string> => ({
  [MANAGED_BY]: 'millrace',
  [LABEL.kind]: 'check',
  [LABEL.pipelineId]: '1',
  ...(run === undefined ? { [LABEL.checkGroup]: 'hourly' } : { [LABEL.run]: String(run) }),
});

export const warmLabels = (warm: number): Record<string, string> => ({
  [MANAGED_BY]: 'millrace',
  [LABEL.kind]: 'warm',
  [LABEL.warmPod]: String(warm),
});

/**
 * What the watch reports about a Pod: its state, or that it is gone. Losing its label looks like a deletion.
 */
interface ForeignAct {
  gone: boolean;
  pod: PodFacts;
}

/** Random acts of attackers who know all real Pods and the ids and names of all work. */
export function foreignActs(
  real: readonly RealPod[],
  work: readonly Record<string, string>[],
): fc.Arbitrary<ForeignAct[]> {
  const seals = real.map((pod) => withSeal(KEY, wirePod(pod, RUNNING)).metadata?.annotations ?? {});
  const pod = fc
    .record({
      namespace: fc.constantFrom(...real.map(({ namespace }) => namespace), 'team-evil'),
      name: fc.constantFrom(...real.map(({ name }) => name), 'x', 'copy-of-it'),
      uid: fc.constantFrom('evil-1', 'evil-2', 'evil-3', ...real.map(({ uid }) => uid)),
      labels: fc.constantFrom(...work, ...real.map(({ labels }) => labels)),
      annotations: fc.constantFrom({}, { [ANNOTATION.seal]: 'x'.repeat(43) }, ...seals),
      status: fc.constantFrom(...STATUSES),
      deleting: fc.boolean(),
    })
    // In a namespace no two Pods have the same uid, and no two Pods that exist have the same name.
    .filter(({ uid, name, namespace }) =>
      real.every(
        (known) =>
          known.namespace !== namespace || (known.uid !== uid && (known.recorded || known.name !== name)),
      ),
    );
  const act = fc.record({ gone: fc.boolean(), pod: pod.map(toFacts) });
  return fc.array(act, { minLength: 1, maxLength: 8 });
}

interface Forged extends PodIdentity {
  annotations: Record<string, string>;
  status: Wire<V1Pod>['status'];
  deleting: boolean;
}

function toFacts({ annotations, status, deleting, ...pod }: Forged): PodFacts {
  const { metadata, ...rest } = wirePod(pod, status);
  const deletionTimestamp = deleting ? { deletionTimestamp: '2026-01-01T00:00:01Z' } : {};
  return factsOf({ ...rest, metadata: { ...metadata, annotations, ...deletionTimestamp } });
}

function wirePod({ namespace, name, uid, labels }: PodIdentity, status: Wire<V1Pod>['status']): Wire<V1Pod> {
  return {
    metadata: { namespace, name, uid, labels, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [{ name: 'agent' }, { name: 'worker' }] },
    ...defined({ status }),
  };
}

function factsOf(pod: Wire<V1Pod>): PodFacts {
  const { facts } = projectPod(pod, isSealed(KEY, pod));
  if (facts === undefined) throw new Error('The labels of the Pod name no work.');
  return facts;
}

const RUNNING: Wire<V1Pod>['status'] = {
  phase: 'Running',
  conditions: [{ type: 'PodScheduled', status: 'True' }],
  containerStatuses: ['agent', 'worker'].map((name) => container(name, { running: {} })),
};

/** A status with times, which Millrace would record if it believed the Pod. */
const STARTED: Wire<V1Pod>['status'] = {
  phase: 'Running',
  conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:01Z' }],
  containerStatuses: ['agent', 'worker'].map((name) =>
    container(name, { running: { startedAt: '2026-01-01T00:00:02Z' } }),
  ),
};

/** The termination message that a forged agent writes. */
const FORGED_MESSAGE = {
  format: 1,
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All steps succeeded.',
  exits: { '0': 0, '1': 0 },
  versions: { '1': { digest: 'sha256:evil' } },
  acknowledged: 0,
};

function container(name: string, state: object) {
  return { name, state, image: 'evil', imageID: '', ready: true, restartCount: 0 };
}

function ended(exitCode: number, message: string): Wire<V1Pod>['status'] {
  const terminated = { exitCode, message, reason: exitCode === 0 ? 'Completed' : 'Error' };
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: [container('agent', { terminated }), container('worker', { terminated })],
  };
}

const STATUSES: Wire<V1Pod>['status'][] = [
  RUNNING,
  STARTED,
  { phase: 'Pending' },
  { phase: 'Failed', reason: 'Evicted', message: 'no room' },
  ended(0, JSON.stringify(FORGED_MESSAGE)),
  ended(1, JSON.stringify({ ...FORGED_MESSAGE, outcome: 'failed', reason: 'StepFailed', exits: { '0': 1 } })),
  ended(1, JSON.stringify({ ...FORGED_MESSAGE, outcome: 'cancelled', reason: 'Cancelled', exits: {} })),
  ended(137, ''),
];
