import { providerFaults } from '#domain/access/oauth-provider.ts';
import type { OAuthStore, StoredProvider } from './oauth-ports.ts';
import { removeProvider, saveProvider } from './save-provider.ts';

export interface ApplyProviderPorts {
  oauth: Pick<OAuthStore, 'withSignInMethods'>;
  now(): Date;
}

export type ProviderApplied =
  | { outcome: 'applied' }
  /** The previous definition stays in effect. */
  | { outcome: 'refused'; reason: 'InvalidDefinition' | 'WouldLockOut'; message: string };

/** The actor in the audit log. */
const MANIFEST = 'manifest';

/**
 * Saves an OAuthProvider object in the database, where every gateway reads it. `by`: the actor in the audit
 * log.
 */
export async function applyOAuthProvider(
  provider: StoredProvider,
  ports: ApplyProviderPorts,
  by = MANIFEST,
): Promise<ProviderApplied> {
  const faults = providerFaults(provider);
  if (faults.length > 0)
    return { outcome: 'refused', reason: 'InvalidDefinition', message: faults.join(' ') };
  const saved = await saveProvider(provider, { by, at: ports.now() }, ports.oauth);
  return saved.answer === 'refused' ? wouldLockOut(saved.message) : { outcome: 'applied' };
}

/** Removes the provider of a deleted object; refused while the removal would lock somebody out. */
export async function removeOAuthProvider(
  canonical: string,
  ports: ApplyProviderPorts,
  by = MANIFEST,
): Promise<ProviderApplied> {
  const saved = await removeProvider(canonical, { by, at: ports.now() }, ports.oauth);
  return saved.answer === 'refused' ? wouldLockOut(saved.message) : { outcome: 'applied' };
}

function wouldLockOut(message: string): ProviderApplied {
  return { outcome: 'refused', reason: 'WouldLockOut', message };
}
