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
const terminationWith = (reason: 'PodLost' | 'AgentFault', message: string): TerminationMessage => ({
  format: 1,
  outcome: 'failed',
  reason,
  message,
  exits: {},
  acknowledged: 0,
});

test.each<[string, PodReport, boolean]>([
  ['is running while its agent runs', pod(), false],
  ['has ended with its agent, even if another container hangs', ended(0), true],
  ['has ended if the kubelet reports it', pod({ phase: 'Failed' }), true],
  ['has not ended while its first container is starting', pod({ phase: 'Pending', containers: [] }), false],
])('a Pod %s', (_, report, expected) => {
  expect(hasEnded(report)).toBe(expected);
});

test.each<[string, PodReport | undefined, TerminationMessage | undefined, string]>([
  ['that is gone is lost', undefined, terminationWith('AgentFault', 'x'), 'PodLost: The Pod is gone.'],
  [
    'that was evicted has that fault, rather than the one that its agent reported',
    pod({ disruption: 'PreemptionByScheduler', message: 'for a greater one' }),
    terminationWith('PodLost', 'terminated'),
    'PodEvicted: The Pod was evicted: PreemptionByScheduler (for a greater one).',
  ],
  [
    'on a node that ran short of resources was evicted',
    pod({ phase: 'Failed', reason: 'Evicted' }),
    undefined,
    'PodEvicted: The Pod was evicted: Evicted.',
  ],
  [
    'that reached its own deadline timed out',
    pod({ phase: 'Failed', reason: 'DeadlineExceeded' }),
    undefined,
    'JobTimeout: The Pod reached its deadline.',
  ],
  [
    'that its node refused was refused',
    pod({ phase: 'Failed', reason: 'OutOfcpu', message: '2 wanted' }),
    undefined,
    'PodRefused: The node refused the Pod: OutOfcpu (2 wanted).',
  ],
  ['that is being deleted was deleted', pod({ deleting: true }), undefined, 'PodLost: The Pod was deleted.'],
  [
    'whose agent was terminated was deleted',
    ended(1),
    terminationWith('PodLost', 'x'),
    'PodLost: The Pod was deleted.',
  ],
  [
    'has the fault in the termination message of its agent',
    ended(1),
    terminationWith('AgentFault', 'no key'),
    'AgentFault: no key',
  ],
  [
    'whose agent ran out of memory has that fault',
    ended(137, 'OOMKilled'),
    undefined,
    'AgentFault: The agent ended without a report (out of memory).',
  ],
  [
    'whose agent ended without a message has a fault with the exit code',
    ended(2),
    undefined,
    'AgentFault: The agent ended without a report (exit code 2).',
  ],
  [
    'that ended for another reason has the reason and message of the cluster',
    pod({ phase: 'Failed', reason: 'NodeLost', message: 'no heartbeat' }),
    undefined,
    'PodLost: The Pod ended: NodeLost (no heartbeat).',
  ],
])('a Pod %s', (_, report, termination, expected) => {
  const { reason, message } = podFault(report, termination);
  expect(`${reason}: ${message}`).toBe(expected);
});
