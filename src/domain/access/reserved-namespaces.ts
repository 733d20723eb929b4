/** Why no team may have the namespace, whatever admission let through; undefined: one may. */
export function whyReserved(namespace: string): string | undefined {
  if (namespace !== 'default' && !namespace.startsWith('kube-')) return undefined;
  return `The namespace ${namespace} belongs to the cluster and to no team.`;
}
