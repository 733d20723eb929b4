/**
 * Why no team may have this namespace. Undefined: a team may. The operator applies this rule again, in case
 * the admission webhook did not.
 */
export function whyReserved(namespace: string): string | undefined {
  if (namespace !== 'default' && !namespace.startsWith('kube-')) return undefined;
  return `The namespace ${namespace} is reserved for the cluster. Choose another one.`;
}
