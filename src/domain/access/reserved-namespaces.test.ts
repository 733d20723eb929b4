import { expect, test } from '@jest/globals';
import { whyReserved } from './reserved-namespaces.ts';

test.each(['default', 'kube-system', 'kube-public'])('no team may have the namespace %s', (namespace) => {
  expect(whyReserved(namespace)).toBe(`The namespace ${namespace} belongs to the cluster and to no team.`);
});

test.each(['blue', 'defaults', 'kubernetes'])('a team may have the namespace %s', (namespace) => {
  expect(whyReserved(namespace)).toBeUndefined();
});
