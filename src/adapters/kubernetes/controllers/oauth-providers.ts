import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { defined } from '#adapters/kubernetes/defined.ts';
import type { SeenOAuthProvider } from '#adapters/kubernetes/kinds/seen.ts';
import type { Ending } from '#adapters/kubernetes/watch/queue.ts';
import type { Store } from '#adapters/kubernetes/watch/store.ts';
import type { WantedCondition } from './conditions.ts';
import { conditionsOf } from './conditions.ts';
import { writeStatus } from './status.ts';

export interface OAuthProvidersOptions {
  client: Pick<ApiClient, 'applyStatus'>;
  store: Store<SeenOAuthProvider>;
  /** Under which people reach the public gateway; without it there is no callback to register. */
  externalUrl: string | undefined;
}

const NO_SIGN_IN: WantedCondition = {
  type: 'SignIn',
  status: 'False',
  reason: 'NotInThisVersion',
  message: 'This version of Millrace does not offer signing in with a provider; a later one does.',
};

/** Says of a provider what can be said without signing in: that its definition holds, and which address to register. */
export async function workOnOAuthProvider(name: string, options: OAuthProvidersOptions): Promise<Ending> {
  const seen = options.store.get(name);
  if (seen === undefined || seen.deletedAt !== undefined) return 'done';
  const status = defined({
    observedGeneration: seen.generation,
    callbackURL: options.externalUrl && `${options.externalUrl}/auth/oauth/${name}/callback`,
    conditions: conditionsOf(
      [readiness(options.externalUrl), NO_SIGN_IN],
      seen.status?.conditions,
      seen.generation,
      new Date(),
    ),
  });
  await writeStatus(options.client, KINDS.oauthProviders, seen, status);
  return 'done';
}

function readiness(externalUrl: string | undefined): WantedCondition {
  if (externalUrl !== undefined) {
    return { type: 'Ready', status: 'True', reason: 'Accepted', message: 'The definition is complete.' };
  }
  const message =
    'The installation has no external URL, so there is no callback address: set externalUrl in its values.';
  return { type: 'Ready', status: 'False', reason: 'NoExternalURL', message };
}
