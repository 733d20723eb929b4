import { createHmac, timingSafeEqual } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { workOfLabels } from '#adapters/kubernetes/informers/work-of-pod.ts';
import { ANNOTATION } from '#adapters/kubernetes/manifests/labels.ts';

/**
 * The same Pod with a seal, an annotation that proves that Millrace created a Pod with this namespace, name
 * and work. Others can read the seal, but a copy of the Pod has another name or namespace, for which the seal
 * is not valid.
 */
export function withSeal(key: Buffer, pod: Wire<V1Pod>): Wire<V1Pod> {
  const { metadata = {} } = pod;
  const annotations = { ...metadata.annotations, [ANNOTATION.seal]: sealOf(key, pod) };
  return { ...pod, metadata: { ...metadata, annotations } };
}

export function isSealed(key: Buffer, pod: Wire<V1Pod>): boolean {
  const seal = Buffer.from(pod.metadata?.annotations?.[ANNOTATION.seal] ?? '');
  const expectedSeal = Buffer.from(sealOf(key, pod));
  return seal.length === expectedSeal.length && timingSafeEqual(seal, expectedSeal);
}

function sealOf(key: Buffer, { metadata }: Wire<V1Pod>): string {
  const { namespace = '', name = '', labels = {} } = metadata ?? {};
  const work = JSON.stringify(workOfLabels(labels) ?? null);
  return createHmac('sha256', key).update(`pod ${namespace}/${name} ${work}`).digest('base64url');
}
