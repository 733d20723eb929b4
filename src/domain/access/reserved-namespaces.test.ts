import { expect, test } from '@jest/globals';
import { whyReserved } from './reserved-namespaces.ts';

test.each(['default', 'kube-system', 'kube-public'])('no team may have the namespace %s', (namespace) => {
  expect(whyReserved(namespace)).toBe(
    `The namespace ${namespace} is reserved for the cluster. Choose another one.`,
  );
});

test.each(['blue', 'defaults', 'kubernetes'])('a team may have the namespace %s', (namespace) => {
  expect(whyReserved(namespace)).toBeUndefined();
});
