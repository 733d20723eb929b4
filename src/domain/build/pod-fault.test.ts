import { expect, test } from '@jest/globals';
import type { TerminationMessage } from './events.ts';
import { hasEnded, podFault } from './pod-fault.ts';
import type { ContainerReport, PodReport } from './pod-report.ts';

const agent: ContainerReport = { name: 'agent', state: 'running' };
const pod = (more: Partial<PodReport> = {}): PodReport => ({
  phase: 'Running',
  deleting: false,
  scheduled: true,
  containers: [agent],
  ...more,
});
const ended = (exitCode: number, reason?: string): PodReport =>
  pod({ containers: [{ name: 'agent', state: 'terminated', exitCode, ...(reason ? { reason } : {}) }] });
const words = (reason: 'PodLost' | 'AgentFault', message: string): TerminationMessage => ({
  format: 1,
  outcome: 'failed',
  reason,
  message,
  exits: {},
  acknowledged: 0,
});

test.each<[string, PodReport, boolean]>([
  ['runs while its agent does', pod(), false],
  ['has ended with its agent, whatever hangs beside it', ended(0), true],
  ['has ended when the kubelet says so', pod({ phase: 'Failed' }), true],
  ['has not ended while its first container is waited for', pod({ phase: 'Pending', containers: [] }), false],
])('a Pod %s', (_, report, expected) => {
  expect(hasEnded(report)).toBe(expected);
});

test.each<[string, PodReport | undefined, TerminationMessage | undefined, string]>([
  ['a Pod that is gone is lost', undefined, words('AgentFault', 'x'), 'PodLost: The Pod is gone.'],
  [
    'an eviction is told with its reason, before what the agent said',
    pod({ disruption: 'PreemptionByScheduler', message: 'for a greater one' }),
    words('PodLost', 'asked to end'),
    'PodEvicted: The Pod was evicted: PreemptionByScheduler (for a greater one).',
  ],
  [
    'so is a node that ran short',
    pod({ phase: 'Failed', reason: 'Evicted' }),
    undefined,
    'PodEvicted: The Pod was evicted: Evicted.',
  ],
  [
    "a Pod's own deadline is a timeout",
    pod({ phase: 'Failed', reason: 'DeadlineExceeded' }),
    undefined,
    'JobTimeout: The Pod reached its deadline.',
  ],
  [
    'a node that will not have it refused it',
    pod({ phase: 'Failed', reason: 'OutOfcpu', message: '2 wanted' }),
    undefined,
    'PodRefused: The node refused the Pod: OutOfcpu (2 wanted).',
  ],
  [
    'a Pod that is being deleted was deleted',
    pod({ deleting: true }),
    undefined,
    'PodLost: The Pod was deleted.',
  ],
  [
    'and so when its agent was asked to end',
    ended(1),
    words('PodLost', 'x'),
    'PodLost: The Pod was deleted.',
  ],
  ["an agent's last words count", ended(1), words('AgentFault', 'no key'), 'AgentFault: no key'],
  [
    'an agent without words ran out of memory',
    ended(137, 'OOMKilled'),
    undefined,
    'AgentFault: The agent ended without a report (out of memory).',
  ],
  [
    'or ended with a code',
    ended(2),
    undefined,
    'AgentFault: The agent ended without a report (exit code 2).',
  ],
  [
    'what else ended it is told in the words of the cluster',
    pod({ phase: 'Failed', reason: 'NodeLost', message: 'no heartbeat' }),
    undefined,
    'PodLost: The Pod ended: NodeLost (no heartbeat).',
  ],
])('%s', (_, report, said, expected) => {
  const { reason, message } = podFault(report, said);
  expect(`${reason}: ${message}`).toBe(expected);
});
