import { providerFaults } from '#domain/access/oauth-provider.ts';
import type { OAuthStore, StoredProvider } from './oauth-ports.ts';
import { removeProvider, saveProvider } from './save-provider.ts';

export interface ApplyProviderPorts {
  oauth: Pick<OAuthStore, 'withSignInMethods'>;
  now(): Date;
}

export type ProviderApplied =
  | { outcome: 'applied' }
  /** What was there before goes on: somebody would be locked out, or the definition is none. */
  | { outcome: 'refused'; reason: 'InvalidDefinition' | 'WouldLockOut'; message: string };

/** Who acts, where nobody else is known. */
const MANIFEST = 'manifest';

/** Object → what every gateway offers from then on. */
export async function applyOAuthProvider(
  provider: StoredProvider,
  ports: ApplyProviderPorts,
  by = MANIFEST,
): Promise<ProviderApplied> {
  const faults = providerFaults(provider);
  if (faults.length > 0)
    return { outcome: 'refused', reason: 'InvalidDefinition', message: faults.join(' ') };
  const kept = await saveProvider(provider, { by, at: ports.now() }, ports.oauth);
  return kept.answer === 'refused' ? lockOut(kept.message) : { outcome: 'applied' };
}

/** Its object is to go, and waits as long as somebody would be locked out. */
export async function removeOAuthProvider(
  canonical: string,
  ports: ApplyProviderPorts,
  by = MANIFEST,
): Promise<ProviderApplied> {
  const kept = await removeProvider(canonical, { by, at: ports.now() }, ports.oauth);
  return kept.answer === 'refused' ? lockOut(kept.message) : { outcome: 'applied' };
}

function lockOut(message: string): ProviderApplied {
  return { outcome: 'refused', reason: 'WouldLockOut', message };
}
