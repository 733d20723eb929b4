/**
 * Why no team may use this namespace. Undefined: a team may. The admission webhook applies this rule first.
 * The operator applies it again, in case the webhook did not run.
 */
export function whyReserved(namespace: string): string | undefined {
  if (namespace !== 'default' && !namespace.startsWith('kube-')) return undefined;
  return `The namespace ${namespace} is reserved for the cluster. Choose another one.`;
}
