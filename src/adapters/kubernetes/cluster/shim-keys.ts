import { createHmac } from 'node:crypto';
import type { ShimKeys } from '#adapters/kubernetes/manifests/pod-work.ts';

/** Keys for the loopback of one Pod: a secret for the agent, and a key derived from it for each shim. */
export function shimKeys(agentKey: Buffer, purpose: string): ShimKeys {
  const secret = createHmac('sha256', agentKey).update(`shim ${purpose}`).digest();
  return {
    secret: secret.toString('base64url'),
    keyOf: (container) => createHmac('sha256', secret).update(container).digest('hex'),
  };
}
