import { defined } from '#defined';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import type { OAuthProviderProjection } from './projections.ts';

/** Delays the deletion of a provider while somebody could not sign in without it. */
export const PROVIDER_FINALIZER = 'millrace.dev/oauth-provider';

/** Translates an OAuthProvider object into the form that the flows read. */
export function providerOf({
  name,
  uid,
  generation,
  spec,
  byApi,
}: Pick<OAuthProviderProjection, 'name' | 'uid' | 'generation' | 'spec' | 'byApi'>): StoredProvider {
  return defined({
    canonical: name,
    displayName: spec.displayName,
    type: spec.type,
    clientId: spec.clientID,
    issuerUrl: spec.issuerURL,
    authUrl: spec.authURL,
    tokenUrl: spec.tokenURL,
    userInfoUrl: spec.userInfoURL,
    scopes: spec.scopes,
    usernameClaim: spec.usernameClaim,
    groupsClaim: spec.groupsClaim,
    enabled: spec.enabled ?? true,
    secretKey: spec.clientSecretRef.key,
    byApi: byApi !== undefined,
    uid,
    generation,
  });
}
