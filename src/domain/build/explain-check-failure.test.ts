import { expect, test } from '@jest/globals';
import { explainCheckFailure } from './explain-check-failure.ts';
import type { ContainerReport, PodReport } from './pod-report.ts';

const terminationMessage = (reason: string, message: string): string =>
  JSON.stringify({ format: 1, outcome: 'failed', reason, message, exits: {}, acknowledged: 0 });

const agent = (more: Partial<ContainerReport> = {}): ContainerReport => ({
  name: 'agent',
  state: 'terminated',
  reason: 'Error',
  exitCode: 1,
  ...more,
});
const image = (more: Partial<ContainerReport> = {}): ContainerReport => ({
  name: 'image-1-node',
  state: 'waiting',
  ...more,
});
const unpulledImage = image({ reason: 'ImagePullBackOff', message: 'Back-off pulling image "nod:24"' });
const pod = (more: Partial<PodReport> = {}): PodReport => ({
  phase: 'Failed',
  deleting: false,
  scheduled: true,
  containers: [agent()],
  ...more,
});

const IMAGE_NOT_PULLED =
  'The Pod of the check did not start: container image-1-node: ImagePullBackOff (Back-off pulling image "nod:24").';

test.each<[string, PodReport | undefined, string]>([
  ['says that its Pod is gone', undefined, 'The Pod of the check is gone.'],
  [
    'shows the reason that its agent reported',
    pod({
      containers: [
        agent({ message: terminationMessage('AgentFault', 'no connection from worker within 300 s') }),
      ],
    }),
    'The Pod of the check ended before the check had a result: no connection from worker within 300 s.',
  ],
  [
    'names the image that was not pulled, rather than the agent that gave up waiting for it',
    pod({
      phase: 'Pending',
      containers: [
        agent({ message: terminationMessage('AgentFault', 'no connection from image-1-node within 300 s') }),
        image({ name: 'worker', state: 'running' }),
        unpulledImage,
      ],
    }),
    IMAGE_NOT_PULLED,
  ],
  [
    'names the image that was not pulled in time',
    pod({ phase: 'Pending', containers: [agent({ state: 'running' }), unpulledImage] }),
    IMAGE_NOT_PULLED,
  ],
  [
    'names a container that cannot be created',
    pod({
      phase: 'Pending',
      containers: [image({ name: 'agent', reason: 'CreateContainerConfigError', message: 'no such user' })],
    }),
    'The Pod of the check did not start: container agent: CreateContainerConfigError (no such user).',
  ],
  [
    'does not show a termination message of another program',
    pod({ containers: [agent({ message: '{"format":1,"outc' })] }),
    'The Pod of the check ended before the check had a result: The agent ended without a report (exit code 1).',
  ],
  [
    'says that the cluster removed its Pod, rather than what its agent reported',
    pod({
      reason: 'Evicted',
      message: 'low on memory',
      containers: [agent({ message: terminationMessage('PodLost', 'x') })],
    }),
    'The Pod of the check ended before the check had a result: The Pod was evicted: Evicted (low on memory).',
  ],
  [
    'says why its Pod fits on no node',
    pod({
      phase: 'Pending',
      scheduled: false,
      unschedulable: '0/1 nodes are available.',
      containers: [image()],
    }),
    'The Pod of the check did not start: no node can take it: 0/1 nodes are available.',
  ],
  [
    'says that no scheduler has seen its Pod',
    pod({ phase: 'Pending', scheduled: false, containers: [image()] }),
    'The Pod of the check did not start: the scheduler has not seen it.',
  ],
  [
    'names a container that is still being created',
    pod({ phase: 'Pending', containers: [image({ name: 'agent', reason: 'ContainerCreating' })] }),
    'The Pod of the check did not start: container agent: ContainerCreating.',
  ],
  [
    'says that its agent runs but never connected',
    pod({ phase: 'Running', containers: [agent({ state: 'running' })] }),
    'The Pod of the check runs, but its agent did not reach the internal gateway in time.',
  ],
  [
    'shortens a long message of the kubelet',
    pod({ phase: 'Pending', containers: [image({ reason: 'ErrImagePull', message: 'x'.repeat(9000) })] }),
    `The Pod of the check did not start: container image-1-node: ErrImagePull (${'x'.repeat(500)}…).`,
  ],
])('a failed check %s', (_name, report, sentence) => expect(explainCheckFailure(report)).toBe(sentence));
