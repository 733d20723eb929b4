import { describe, expect, test } from '@jest/globals';
import { judgeAgentPod, workLabels, type AgentClaim, type AgentPod } from './judge-agent-pod.ts';

const SESSION = { kind: 'build', build: 41, attempt: 2 } as const;
const CLAIM: AgentClaim = { session: SESSION, uid: 'u1', peer: '198.18.0.9' };
const POD: AgentPod = { uid: 'u1', labels: workLabels(SESSION), ending: false, addresses: ['198.18.0.9'] };

const CASES: Record<
  string,
  { claim?: Partial<AgentClaim>; pod?: Partial<AgentPod> | 'absent'; says: string }
> = {
  'the Pod that was made for the build, from its address': { says: 'accepted' },
  'an IPv4 address seen through a dual-stack socket': {
    claim: { peer: '::ffff:198.18.0.9' },
    says: 'accepted',
  },
  'the second address of a dual-stack Pod': {
    claim: { peer: 'FD00::9' },
    pod: { addresses: ['198.18.0.9', 'fd00::9'] },
    says: 'accepted',
  },
  'a Pod without an address yet': { pod: { addresses: [] }, says: 'wait' },
  'no such Pod': { pod: 'absent', says: 'there is no such Pod' },
  'a Pod of the same name made anew': { pod: { uid: 'u2' }, says: 'the Pod of that name has another uid' },
  'a Pod that is being deleted or has ended': { pod: { ending: true }, says: 'the Pod is ending' },
  'a Pod of another attempt': {
    pod: { labels: workLabels({ ...SESSION, attempt: 1 }) },
    says: "the Pod's label millrace.dev/attempt does not belong to this work",
  },
  'a Pod of checks with the nonce of a build': {
    pod: { labels: workLabels({ kind: 'checks', run: 41 }) },
    says: "the Pod's label millrace.dev/kind does not belong to this work",
  },
  'a Pod that somebody else made': {
    pod: { labels: {} },
    says: "the Pod's label app.kubernetes.io/managed-by does not belong to this work",
  },
  'the right Pod, from another address': {
    claim: { peer: '198.18.0.66' },
    says: 'the connection comes from 198.18.0.66, the Pod has 198.18.0.9',
  },
  'another address never waits for the Pod to get its own, if a label is wrong': {
    pod: { labels: {}, addresses: [] },
    says: "the Pod's label app.kubernetes.io/managed-by does not belong to this work",
  },
};

describe('who is the agent of the Pod that was made', () => {
  test.each(Object.entries(CASES))('%s', (_name, { claim, pod, says }) => {
    const judged = judgeAgentPod({ ...CLAIM, ...claim }, pod === 'absent' ? undefined : { ...POD, ...pod });
    expect(judged.verdict === 'refused' ? judged.reason : judged.verdict).toBe(says);
  });
});
