import { stringify } from 'yaml';

/** Label of the Pods that serve as the reference. No agent acts for them: kwok ends them. */
export const BARE = { name: 'millrace-bench', value: 'bare' } as const;

/**
 * Pods get addresses of the loopback range. Each agent calls from the address of its Pod, which the gateway
 * compares with the Pod's status, as with real Pods.
 */
const POD_RANGE = '127.64.0.0/16';

export interface NodeTimes {
  /** From a Pod's binding to its containers' start. */
  startMs: number;
  /** How long the containers of a bare Pod run. */
  bareMs: number;
}

/**
 * kwok's configuration: nodes become ready without delay, Pods start and bare Pods end after the configured
 * times, and deleted Pods are removed.
 */
export function kwokConfiguration({ startMs, bareMs }: NodeTimes): string {
  const options = {
    cidr: POD_RANGE,
    manageAllNodes: true,
    podPlayStageParallelism: 16,
    nodeLeaseDurationSeconds: 40,
    // kwok's defaults for these two settings apply only without a configuration file.
    nodeLeaseParallelism: 4,
    nodePlayStageParallelism: 4,
  };
  const configuration = {
    apiVersion: 'config.kwok.x-k8s.io/v1alpha1',
    kind: 'KwokConfiguration',
    options,
  };
  const isBare = { key: `.metadata.labels["${BARE.name}"]`, operator: 'In', values: [BARE.value] };
  return [
    configuration,
    stage('Node', 'node-ready', {
      selector: {
        matchExpressions: [
          {
            key: '.status.conditions.[] | select( .type == "Ready" ) | .status',
            operator: 'NotIn',
            values: ['True'],
          },
        ],
      },
      next: { statusTemplate: NODE_READY },
    }),
    stage('Pod', 'pod-ready', {
      selector: { matchExpressions: [NOT_DELETED, phase('Pending')] },
      delay: { durationMilliseconds: startMs },
      next: { statusTemplate: POD_RUNS },
    }),
    stage('Pod', 'pod-complete', {
      selector: { matchExpressions: [NOT_DELETED, phase('Running'), isBare] },
      delay: { durationMilliseconds: bareMs },
      next: { statusTemplate: POD_SUCCEEDED },
    }),
    stage('Pod', 'pod-delete', {
      // If a Pod has ended, the API server removes it without kwok.
      selector: { matchExpressions: [{ ...NOT_DELETED, operator: 'Exists' }, phase('Pending', 'Running')] },
      next: { delete: true },
    }),
  ]
    .map((document) => stringify(document))
    .join('---\n');
}

const NOT_DELETED = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const phase = (...values: string[]) => ({ key: '.status.phase', operator: 'In', values });

function stage(kind: string, name: string, spec: object): object {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind }, ...spec },
  };
}

const NODE_READY = `
conditions:
{{ range NodeConditions }}
- lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ Now | Quote }}
  message: {{ .message | Quote }}
  reason: {{ .reason | Quote }}
  status: {{ .status | Quote }}
  type: {{ .type | Quote }}
{{ end }}
allocatable: { cpu: "1000", memory: 1Ti, pods: "10000" }
capacity: { cpu: "1000", memory: 1Ti, pods: "10000" }
phase: Running
`;

const POD_RUNS = `
{{ $now := Now }}
conditions:
{{ range $type := list "Initialized" "ContainersReady" "Ready" }}
- lastTransitionTime: {{ $now | Quote }}
  status: "True"
  type: {{ $type }}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: true
  restartCount: 0
  state: { running: { startedAt: {{ $now | Quote }} } }
{{ end }}
{{ with PodIPsWith .spec.nodeName false .metadata.uid .metadata.name .metadata.namespace }}
podIP: {{ index . 0 | Quote }}
podIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
phase: Running
startTime: {{ $now | Quote }}
`;

const POD_SUCCEEDED = `
{{ $now := Now }}
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: false
  restartCount: 0
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }
{{ end }}
phase: Succeeded
`;
