import { createHmac } from 'node:crypto';
import type { ShimKeys } from '#adapters/kubernetes/manifests/pod-work.ts';

/** Keys of the one Pod's loopback: a secret for the agent, and from it a key for each container's shim. */
export function shimKeys(agentKey: Buffer, purpose: string): ShimKeys {
  const secret = createHmac('sha256', agentKey).update(`shim ${purpose}`).digest();
  return {
    secret: secret.toString('base64url'),
    keyOf: (container) => createHmac('sha256', secret).update(container).digest('hex'),
  };
}
