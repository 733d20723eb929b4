/** Why no team may have the namespace. Undefined: one may. Holds even if admission let the Team through. */
export function whyReserved(namespace: string): string | undefined {
  if (namespace !== 'default' && !namespace.startsWith('kube-')) return undefined;
  return `The namespace ${namespace} is reserved for the cluster. Choose another one.`;
}
