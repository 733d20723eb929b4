import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { PROVIDER_FINALIZER, providerOf } from '#adapters/kubernetes/informers/provider.ts';
import type { OAuthProviderObject } from '#adapters/kubernetes/kinds/custom-resources.ts';
import { defined } from '#defined';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import type { ObjectAnswer, ProviderObject, ProviderObjects } from '#flows/people/object-ports.ts';
import { clientSecrets, type ClientSecretsOptions } from './client-secrets.ts';
import { replaceSpec } from './replace-spec.ts';
import { made, mapped, ofApi, writtenOf } from './written.ts';

type Options = ClientSecretsOptions & {
  client: Pick<ApiClient, 'get' | 'create' | 'replace' | 'delete' | 'patchMerge'>;
};
type Found = Wire<OAuthProviderObject>;

/** OAuthProvider objects that the API made, and the Secret with what they need. */
export function providerObjects(options: Options): ProviderObjects {
  const { client, name: secretName } = options;
  const kind = KINDS.oauthProviders;
  const read = async (canonical: string): Promise<ObjectAnswer<Found>> =>
    ofApi(writtenOf(await client.get(kind, { name: canonical })));
  return {
    ...clientSecrets(options),
    read: async (canonical) => mapped(await read(canonical), seen),
    async create(provider, by) {
      const spec = specOf(provider, secretName);
      const object = made(kind, { name: provider.canonical, by, finalizer: PROVIDER_FINALIZER, spec });
      return mapped(writtenOf(await client.create(kind, object)), seen);
    },
    async replace({ provider: { canonical, generation } }, provider, by) {
      const change = { generation, spec: specOf(provider, secretName), by };
      return mapped(await replaceSpec(client, kind, { name: canonical }, change), seen);
    },
    async remove({ provider: { canonical, uid } }) {
      return writtenOf(await client.delete(kind, { name: canonical }, uid === undefined ? {} : { uid }));
    },
  };
}

function seen({ metadata, spec }: Found): ProviderObject {
  const { name = '', uid = '', generation = 0, deletionTimestamp } = metadata;
  return {
    provider: providerOf({ name, uid, generation, spec, byApi: { changedBy: '' } }),
    deleting: deletionTimestamp !== undefined,
  };
}

function specOf(provider: StoredProvider, secretName: string): Found['spec'] {
  return defined({
    displayName: provider.displayName,
    type: provider.type,
    clientID: provider.clientId,
    clientSecretRef: { name: secretName, key: provider.secretKey },
    issuerURL: provider.issuerUrl,
    authURL: provider.authUrl,
    tokenURL: provider.tokenUrl,
    userInfoURL: provider.userInfoUrl,
    scopes: provider.scopes === undefined ? undefined : [...provider.scopes],
    usernameClaim: provider.usernameClaim,
    groupsClaim: provider.groupsClaim,
    enabled: provider.enabled,
  });
}
