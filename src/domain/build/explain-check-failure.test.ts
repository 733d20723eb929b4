import { expect, test } from '@jest/globals';
import { explainCheckFailure } from './explain-check-failure.ts';
import type { ContainerReport, PodReport } from './pod-report.ts';

const words = (reason: string, message: string): string =>
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
const pull = image({ reason: 'ImagePullBackOff', message: 'Back-off pulling image "nod:24"' });
const pod = (more: Partial<PodReport> = {}): PodReport => ({
  phase: 'Failed',
  deleting: false,
  scheduled: true,
  containers: [agent()],
  ...more,
});

const PULLS =
  'The Pod of the check did not start: container image-1-node: ImagePullBackOff (Back-off pulling image "nod:24").';

test.each<[string, PodReport | undefined, string]>([
  ['nothing is left of it', undefined, 'The Pod of the check is gone.'],
  [
    'its agent said why, whole or cut words of its own',
    pod({ containers: [agent({ message: words('AgentFault', 'no word from worker within 300 s') })] }),
    'The Pod of the check ended before the check had a result: no word from worker within 300 s.',
  ],
  [
    'its agent gave up because an image did not come: the image is the reason',
    pod({
      phase: 'Pending',
      containers: [
        agent({ message: words('AgentFault', 'no word from image-1-node within 300 s') }),
        image({ name: 'worker', state: 'running' }),
        pull,
      ],
    }),
    PULLS,
  ],
  [
    'an image has not come in time',
    pod({ phase: 'Pending', containers: [agent({ state: 'running' }), pull] }),
    PULLS,
  ],
  [
    'a container cannot be made',
    pod({
      phase: 'Pending',
      containers: [image({ name: 'agent', reason: 'CreateContainerConfigError', message: 'no such user' })],
    }),
    'The Pod of the check did not start: container agent: CreateContainerConfigError (no such user).',
  ],
  [
    'what somebody else wrote where the agent has its last words is not shown',
    pod({ containers: [agent({ message: '{"format":1,"outc' })] }),
    'The Pod of the check ended before the check had a result: The agent ended without a report (exit code 1).',
  ],
  [
    'the cluster took its Pod away: that counts more than what the agent made of it',
    pod({
      reason: 'Evicted',
      message: 'low on memory',
      containers: [agent({ message: words('PodLost', 'x') })],
    }),
    'The Pod of the check ended before the check had a result: The Pod was evicted: Evicted (low on memory).',
  ],
  [
    'no node takes it',
    pod({
      phase: 'Pending',
      scheduled: false,
      unschedulable: '0/1 nodes are available.',
      containers: [image()],
    }),
    'The Pod of the check did not start: no node can take it: 0/1 nodes are available.',
  ],
  [
    'no scheduler looked at it',
    pod({ phase: 'Pending', scheduled: false, containers: [image()] }),
    'The Pod of the check did not start: the scheduler has not seen it.',
  ],
  [
    'its containers were still being made',
    pod({ phase: 'Pending', containers: [image({ name: 'agent', reason: 'ContainerCreating' })] }),
    'The Pod of the check did not start: container agent: ContainerCreating.',
  ],
  [
    'it runs and its agent was never heard of',
    pod({ phase: 'Running', containers: [agent({ state: 'running' })] }),
    'The Pod of the check runs, but its agent did not reach the internal gateway in time.',
  ],
  [
    'a kubelet that talks much is cut short',
    pod({ phase: 'Pending', containers: [image({ reason: 'ErrImagePull', message: 'x'.repeat(9000) })] }),
    `The Pod of the check did not start: container image-1-node: ErrImagePull (${'x'.repeat(500)}…).`,
  ],
])('%s', (_name, report, sentence) => expect(explainCheckFailure(report)).toBe(sentence));
