import { clusterPart } from '#e2e/support/embedded.ts';
import { freezePart } from './containers.ts';
import type { FaultContext, FaultKind } from './fault-kind.ts';
import { KILL_KUBELET } from './history.ts';

const killPart =
  (name: string) =>
  async (context: FaultContext): Promise<void> => {
    context.recordTarget(name);
    await clusterPart('kill', name);
    try {
      await context.hold();
    } finally {
      await clusterPart('start', name);
    }
  };

const freezePartFor =
  (name: string) =>
  async (context: FaultContext): Promise<void> => {
    context.recordTarget(name);
    await freezePart(name, context.hold);
  };

export const FAULTS_OF_CLUSTER: readonly FaultKind[] = [
  {
    name: 'kill the API server',
    weight: 2,
    seconds: [0, 7],
    group: 'control plane',
    inflict: killPart('kube-apiserver'),
  },
  {
    name: 'freeze the API server',
    weight: 1,
    seconds: [3, 8],
    group: 'control plane',
    inflict: freezePartFor('kube-apiserver'),
  },
  { name: 'kill etcd', weight: 1, seconds: [0, 6], group: 'control plane', inflict: killPart('etcd') },
  {
    name: 'kill the controller manager',
    weight: 1,
    seconds: [5, 10],
    group: 'control plane',
    inflict: killPart('kube-controller-manager'),
  },
  {
    name: 'kill the scheduler',
    weight: 1,
    seconds: [3, 8],
    group: 'control plane',
    inflict: killPart('kube-scheduler'),
  },
  {
    name: KILL_KUBELET,
    weight: 1,
    seconds: [0, 5],
    group: 'control plane',
    inflict: killPart('kubelet'),
  },
];
