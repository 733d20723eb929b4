import { createHmac } from 'node:crypto';
import type { ShimKeys } from '#adapters/kubernetes/manifests/pod-work.ts';

/**
 * Keys for the connections between the agent and the shims of one Pod, or of all Pods of one CronJob: a
 * secret for the agent, and a key derived from it for each shim. Equal `purpose` texts give equal keys.
 */
export function shimKeys(agentKey: Buffer, purpose: string): ShimKeys {
  const secret = createHmac('sha256', agentKey).update(`shim ${purpose}`).digest();
  return {
    secret: secret.toString('base64url'),
    keyOf: (container) => createHmac('sha256', secret).update(container).digest('hex'),
  };
}
