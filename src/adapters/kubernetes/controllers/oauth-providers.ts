import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { PROVIDER_FINALIZER, providerOf } from '#adapters/kubernetes/informers/oauth-provider.ts';
import type { OAuthProviderProjection } from '#adapters/kubernetes/informers/projections.ts';
import type { ReconcileResult } from '#adapters/kubernetes/watch/queue.ts';
import type { Store } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { ProviderApplied } from '#flows/people/apply-oauth-provider.ts';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import { conditionsOf, type WantedCondition } from './conditions.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';

export interface OAuthProvidersOptions {
  client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'>;
  store: Store<OAuthProviderProjection>;
  /** URL of the public gateway. Without it, there is no callback URL. */
  externalUrl: string | undefined;
  /** Names of the Secrets with client secrets: one for manifests, and one that the API writes. */
  secretNames: [manifest: string, api: string];
  apply(provider: StoredProvider, by?: string): Promise<ProviderApplied>;
  remove(canonical: string, by?: string): Promise<ProviderApplied>;
}

/**
 * After this time, the operator tries a refused change or deletion again. If it would have locked somebody
 * out, they may have linked another provider since, and no notification reports that.
 */
const REFUSED_RETRY_MS = 30_000;

/**
 * Saves an OAuthProvider in the database and writes its status, or removes it if the object is being deleted.
 */
export async function workOnOAuthProvider(
  name: string,
  options: OAuthProvidersOptions,
): Promise<ReconcileResult> {
  const object = options.store.get(name);
  if (object === undefined) return 'done';
  if (object.deletedAt !== undefined) return await remove(object, options);
  await addFinalizer(options.client, KINDS.oauthProviders, object, PROVIDER_FINALIZER);
  const applied = await apply(object, options);
  await writeProviderStatus(object, options, conditionsFor(object, applied, options.externalUrl));
  return applied.outcome === 'refused' ? { requeueAfterMs: REFUSED_RETRY_MS } : 'done';
}

async function apply(object: OAuthProviderProjection, options: OAuthProvidersOptions): Promise<Applied> {
  const { byApi, spec } = object;
  const [secretName] = options.secretNames;
  if (options.secretNames.includes(spec.clientSecretRef.name))
    return await options.apply(providerOf(object), byApi?.changedBy);
  const message = `Store the client secret in the Secret ${secretName}. The gateways read no other Secret.`;
  return { outcome: 'refused', reason: 'SecretNotReadable', message };
}

type Applied = ProviderApplied | { outcome: 'refused'; reason: 'SecretNotReadable'; message: string };

async function remove(
  object: OAuthProviderProjection,
  options: OAuthProvidersOptions,
): Promise<ReconcileResult> {
  if (!object.finalizers.includes(PROVIDER_FINALIZER)) return 'done';
  const removed = await options.remove(object.name, object.byApi?.changedBy);
  if (removed.outcome === 'refused') {
    await writeProviderStatus(object, options, conditionsFor(object, removed, options.externalUrl));
    return { requeueAfterMs: REFUSED_RETRY_MS };
  }
  await removeFinalizer(options.client, KINDS.oauthProviders, object, PROVIDER_FINALIZER);
  return 'done';
}

async function writeProviderStatus(
  object: OAuthProviderProjection,
  { client, externalUrl }: OAuthProvidersOptions,
  conditions: WantedCondition[],
): Promise<void> {
  const status = defined({
    observedGeneration: object.generation,
    callbackURL: externalUrl && `${externalUrl}/auth/oauth/${object.name}/callback`,
    conditions: conditionsOf(conditions, object.status?.conditions, object.generation, new Date()),
  });
  await writeStatus(client, KINDS.oauthProviders, object, status);
}

function conditionsFor(
  object: OAuthProviderProjection,
  applied: Applied,
  externalUrl: string | undefined,
): WantedCondition[] {
  if (applied.outcome === 'refused') {
    const { reason, message } = applied;
    return [
      { type: 'Ready', status: 'False', reason, message },
      { type: 'SignIn', status: 'Unknown', reason, message: 'The last accepted definition stays in effect.' },
      { type: 'Stalled', status: 'True', reason, message },
    ];
  }
  if (externalUrl === undefined) {
    const message = "Without externalURL, there is no callback URL. Set externalURL in the chart's values.";
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
  if (object.spec.enabled === false) {
    return [
      ready,
      { type: 'SignIn', status: 'False', reason: 'Disabled', message: 'spec.enabled is false.' },
    ];
  }
  const message = 'People can sign in with it if the gateways can reach it and read its client secret.';
  return [ready, { type: 'SignIn', status: 'True', reason: 'Offered', message }];
}
