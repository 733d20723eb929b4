import { expect, test } from '@jest/globals';
import { judgeMessage } from './judge-message.ts';

const commit = (subject: string, body = 'Because.', parents = 1) => ({ hash: 'abc', subject, body, parents });

test.each([
  'operator: Reject Pods from other namespaces',
  'http: Pass the host on',
  'deps: Embed the fonts',
  'docs: Say what `make demo` prints',
])('accepts "%s"', (subject) => {
  expect(judgeMessage(commit(subject))).toEqual([]);
});

test.each([
  ['a subject without a scope', commit('Reject Pods'), 'no scope'],
  ['a scope that does not exist', commit('stuff: Reject Pods'), 'unknown scope "stuff"'],
  ['a long subject', commit(`operator: Reject ${'Pods '.repeat(12)}`.trim()), 'a subject of 76 characters'],
  ['the past tense', commit('operator: Rejected Pods'), 'begins with "Rejected"'],
  ['a participle', commit('operator: Rejecting Pods'), 'begins with "Rejecting"'],
  ['the third person', commit('operator: Rejects Pods'), 'begins with "Rejects"'],
  ['a small letter', commit('operator: reject Pods'), 'begin with a capital letter'],
  ['a full stop', commit('operator: Reject Pods.'), 'leave it out'],
  ['a commit without a reason', commit('operator: Reject Pods', ' \n'), 'has no body'],
  ['a merge', commit('Merge branch main', '', 2), 'is a merge'],
])('refuses %s', (_what, message, reason) => {
  expect(judgeMessage(message).join('\n')).toContain(reason);
});

test('reports all problems of a message at once', () => {
  expect(judgeMessage(commit('stuff: added x.', ''))).toHaveLength(4);
});
