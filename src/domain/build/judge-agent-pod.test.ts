import { describe, expect, test } from '@jest/globals';
import { judgeAgentPod, workLabels, type AgentClaim, type AgentPod } from './judge-agent-pod.ts';

const SESSION = { kind: 'build', build: 41, attempt: 2 } as const;
const CLAIM: AgentClaim = { session: SESSION, uid: 'u1', peer: '198.18.0.9' };
const POD: AgentPod = { uid: 'u1', labels: workLabels(SESSION), ending: false, addresses: ['198.18.0.9'] };

const CASES: Record<
  string,
  { claim?: Partial<AgentClaim>; pod?: Partial<AgentPod> | 'absent'; expected: string }
> = {
  'is accepted in the Pod of the build, from its address': { expected: 'accepted' },
  'is accepted from an IPv4 address mapped by a dual-stack socket': {
    claim: { peer: '::ffff:198.18.0.9' },
    expected: 'accepted',
  },
  'is accepted from the second address of a dual-stack Pod': {
    claim: { peer: 'FD00::9' },
    pod: { addresses: ['198.18.0.9', 'fd00::9'] },
    expected: 'accepted',
  },
  'is asked to retry while its Pod has no address': { pod: { addresses: [] }, expected: 'wait' },
  'is refused if there is no such Pod': { pod: 'absent', expected: 'there is no such Pod' },
  'is refused in a later Pod of the same name': {
    pod: { uid: 'u2' },
    expected: 'the Pod of that name has another uid',
  },
  'is refused in a Pod that is being deleted or has ended': {
    pod: { ending: true },
    expected: 'the Pod is ending',
  },
  'is refused in a Pod of another attempt': {
    pod: { labels: workLabels({ ...SESSION, attempt: 1 }) },
    expected: "the Pod's label millrace.dev/attempt does not belong to this work",
  },
  'is refused in a check Pod with the nonce of a build': {
    pod: { labels: workLabels({ kind: 'checks', run: 41 }) },
    expected: "the Pod's label millrace.dev/kind does not belong to this work",
  },
  'is refused in a Pod that somebody else created': {
    pod: { labels: {} },
    expected: "the Pod's label app.kubernetes.io/managed-by does not belong to this work",
  },
  'is refused from another address than that of its Pod': {
    claim: { peer: '198.18.0.66' },
    expected: 'the connection comes from 198.18.0.66, the Pod has 198.18.0.9',
  },
  'is refused for a wrong label before its Pod has an address': {
    pod: { labels: {}, addresses: [] },
    expected: "the Pod's label app.kubernetes.io/managed-by does not belong to this work",
  },
};

describe('an agent that connects for a build', () => {
  test.each(Object.entries(CASES))('%s', (_name, { claim, pod, expected }) => {
    const judged = judgeAgentPod({ ...CLAIM, ...claim }, pod === 'absent' ? undefined : { ...POD, ...pod });
    expect(judged.verdict === 'refused' ? judged.reason : judged.verdict).toBe(expected);
  });
});
