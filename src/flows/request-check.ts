import type { CheckStore } from './check-ports.ts';
import type { Bell, ResourceName } from './ports.ts';

interface Ports {
  checks: Pick<CheckStore, 'requestCheck' | 'requestCheckByWebhook'>;
  bell: Pick<Bell, 'ring'>;
  now: () => Date;
}

/** A person wants a check. Durable when it answers; a check that is running is followed by another. */
export async function requestCheck(resource: ResourceName, ports: Ports): Promise<'requested' | 'unknown'> {
  const answer = await ports.checks.requestCheck(resource, 'manual', ports.now());
  if (answer === 'requested') ports.bell.ring('checks', 0);
  return answer;
}

/** `undefined`: no resource has a token of this hash. */
export async function requestCheckByWebhook(
  tokenHash: string,
  ports: Ports,
): Promise<ResourceName | undefined> {
  const resource = await ports.checks.requestCheckByWebhook(tokenHash, ports.now());
  if (resource !== undefined) ports.bell.ring('checks', 0);
  return resource;
}
