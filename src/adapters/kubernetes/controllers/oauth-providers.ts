import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { SeenOAuthProvider } from '#adapters/kubernetes/informers/projections.ts';
import { PROVIDER_FINALIZER, providerOf } from '#adapters/kubernetes/informers/provider.ts';
import type { Ending } from '#adapters/kubernetes/watch/queue.ts';
import type { Store } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { ProviderApplied } from '#flows/people/apply-oauth-provider.ts';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import { conditionsOf, type WantedCondition } from './conditions.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';

export interface OAuthProvidersOptions {
  client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'>;
  store: Store<SeenOAuthProvider>;
  /** Under which people reach the public gateway; without it there is no callback to register. */
  externalUrl: string | undefined;
  /**
   * The Secrets that gateways read clients' secrets from: that of manifests, and that which the API writes.
   */
  secretNames: [manifest: string, api: string];
  apply(provider: StoredProvider, by?: string): Promise<ProviderApplied>;
  remove(canonical: string, by?: string): Promise<ProviderApplied>;
}

/** People link other providers meanwhile, which nobody tells the operator. */
const REFUSED_RETRY_MS = 30_000;

/** Hands a provider on to the gateways, and says what became of it. */
export async function workOnOAuthProvider(name: string, options: OAuthProvidersOptions): Promise<Ending> {
  const seen = options.store.get(name);
  if (seen === undefined) return 'done';
  if (seen.deletedAt !== undefined) return await remove(seen, options);
  await addFinalizer(options.client, KINDS.oauthProviders, seen, PROVIDER_FINALIZER);
  const applied = await apply(seen, options);
  await write(seen, options, conditionsFor(seen, applied, options.externalUrl));
  return applied.outcome === 'refused' ? { againAfterMs: REFUSED_RETRY_MS } : 'done';
}

async function apply(seen: SeenOAuthProvider, options: OAuthProvidersOptions): Promise<Applied> {
  const { byApi, spec } = seen;
  const [secretName] = options.secretNames;
  if (options.secretNames.includes(spec.clientSecretRef.name))
    return await options.apply(providerOf(seen), byApi?.changedBy);
  const message = `The client secret must be in the Secret ${secretName}: it is the only one that gateways read such secrets from.`;
  return { outcome: 'refused', reason: 'SecretNotReadable', message };
}

type Applied = ProviderApplied | { outcome: 'refused'; reason: 'SecretNotReadable'; message: string };

async function remove(seen: SeenOAuthProvider, options: OAuthProvidersOptions): Promise<Ending> {
  if (!seen.finalizers.includes(PROVIDER_FINALIZER)) return 'done';
  const removed = await options.remove(seen.name, seen.byApi?.changedBy);
  if (removed.outcome === 'refused') {
    await write(seen, options, conditionsFor(seen, removed, options.externalUrl));
    return { againAfterMs: REFUSED_RETRY_MS };
  }
  await removeFinalizer(options.client, KINDS.oauthProviders, seen, PROVIDER_FINALIZER);
  return 'done';
}

async function write(
  seen: SeenOAuthProvider,
  { client, externalUrl }: OAuthProvidersOptions,
  conditions: WantedCondition[],
): Promise<void> {
  const status = defined({
    observedGeneration: seen.generation,
    callbackURL: externalUrl && `${externalUrl}/auth/oauth/${seen.name}/callback`,
    conditions: conditionsOf(conditions, seen.status?.conditions, seen.generation, new Date()),
  });
  await writeStatus(client, KINDS.oauthProviders, seen, status);
}

function conditionsFor(
  seen: SeenOAuthProvider,
  applied: Applied,
  externalUrl: string | undefined,
): WantedCondition[] {
  if (applied.outcome === 'refused') {
    const { reason, message } = applied;
    return [
      { type: 'Ready', status: 'False', reason, message },
      { type: 'SignIn', status: 'Unknown', reason, message: 'What was accepted before goes on.' },
      { type: 'Stalled', status: 'True', reason, message },
    ];
  }
  if (externalUrl === undefined) {
    const message =
      "This installation has no externalURL, so there is no callback address: set externalURL in the chart's values.";
    return [
      { type: 'Ready', status: 'False', reason: 'NoExternalURL', message },
      { type: 'Stalled', status: 'True', reason: 'NoExternalURL', message },
      { type: 'SignIn', status: 'False', reason: 'NoExternalURL', message },
    ];
  }
  const ready: WantedCondition = {
    type: 'Ready',
    status: 'True',
    reason: 'Accepted',
    message: 'The definition is complete.',
  };
  if (seen.spec.enabled === false) {
    return [
      ready,
      { type: 'SignIn', status: 'False', reason: 'Disabled', message: 'The manifest disables it.' },
    ];
  }
  const message = 'People can sign in with it, if the gateways reach it and have its secret.';
  return [ready, { type: 'SignIn', status: 'True', reason: 'Offered', message }];
}
