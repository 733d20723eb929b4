import {
  workOnOAuthProvider,
  type OAuthProvidersOptions,
} from '#adapters/kubernetes/controllers/oauth-providers.ts';
import type { ReconcileResult } from '#adapters/kubernetes/watch/queue.ts';
import { applyOAuthProvider, removeOAuthProvider } from '#flows/people/apply-oauth-provider.ts';
import type { Leadership } from './lead.ts';

/** Applies or removes an OAuthProvider object by its name. */
export function reconcileOAuthProvider(
  name: string,
  { client, config, database }: Pick<Leadership, 'client' | 'config' | 'database'>,
  store: OAuthProvidersOptions['store'],
): Promise<ReconcileResult> {
  const ports = { oauth: database.oauth, now: () => new Date() };
  return workOnOAuthProvider(name, {
    client,
    store,
    externalUrl: config.externalUrl,
    secretNames: [`${config.release}-oauth`, `${config.release}-oauth-api`],
    apply: (provider, by) => applyOAuthProvider(provider, ports, by),
    remove: (canonical, by) => removeOAuthProvider(canonical, ports, by),
  });
}
