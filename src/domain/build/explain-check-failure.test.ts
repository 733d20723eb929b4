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
  ['whose Pod is gone without a trace', undefined, 'The Pod of the check is gone.'],
  [
    'whose agent reported the reason, in full or shortened',
    pod({ containers: [agent({ message: words('AgentFault', 'no connection from worker within 300 s') })] }),
    'The Pod of the check ended before the check had a result: no connection from worker within 300 s.',
  ],
  [
    'whose agent gave up without an image fails for the image',
    pod({
      phase: 'Pending',
      containers: [
        agent({ message: words('AgentFault', 'no connection from image-1-node within 300 s') }),
        image({ name: 'worker', state: 'running' }),
        pull,
      ],
    }),
    PULLS,
  ],
  [
    'whose image was not pulled in time',
    pod({ phase: 'Pending', containers: [agent({ state: 'running' }), pull] }),
    PULLS,
  ],
  [
    'whose container cannot be created',
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
    'whose Pod was removed by the cluster fails for that, not for the agent’s message',
    pod({
      reason: 'Evicted',
      message: 'low on memory',
      containers: [agent({ message: words('PodLost', 'x') })],
    }),
    'The Pod of the check ended before the check had a result: The Pod was evicted: Evicted (low on memory).',
  ],
  [
    'whose Pod fits on no node',
    pod({
      phase: 'Pending',
      scheduled: false,
      unschedulable: '0/1 nodes are available.',
      containers: [image()],
    }),
    'The Pod of the check did not start: no node can take it: 0/1 nodes are available.',
  ],
  [
    'whose Pod no scheduler tried',
    pod({ phase: 'Pending', scheduled: false, containers: [image()] }),
    'The Pod of the check did not start: the scheduler has not seen it.',
  ],
  [
    'whose containers were still being created',
    pod({ phase: 'Pending', containers: [image({ name: 'agent', reason: 'ContainerCreating' })] }),
    'The Pod of the check did not start: container agent: ContainerCreating.',
  ],
  [
    'whose agent runs but never connected',
    pod({ phase: 'Running', containers: [agent({ state: 'running' })] }),
    'The Pod of the check runs, but its agent did not reach the internal gateway in time.',
  ],
  [
    'shortens a long message of the kubelet',
    pod({ phase: 'Pending', containers: [image({ reason: 'ErrImagePull', message: 'x'.repeat(9000) })] }),
    `The Pod of the check did not start: container image-1-node: ErrImagePull (${'x'.repeat(500)}…).`,
  ],
])('a failed check %s', (_name, report, sentence) => expect(explainCheckFailure(report)).toBe(sentence));
