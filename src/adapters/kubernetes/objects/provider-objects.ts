import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { PROVIDER_FINALIZER, providerOf } from '#adapters/kubernetes/informers/oauth-provider.ts';
import type { OAuthProviderCustomResource } from '#adapters/kubernetes/kinds/custom-resources.ts';
import { defined } from '#defined';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import type { ObjectAnswer, ProviderObject, ProviderObjects } from '#flows/people/object-ports.ts';
import { clientSecrets, type ClientSecretsOptions } from './client-secrets.ts';
import { mapAnswer, newObject, objectAnswer, onlyByApi } from './object-answer.ts';
import { replaceSpec } from './replace-spec.ts';

type Options = ClientSecretsOptions & {
  client: Pick<ApiClient, 'get' | 'create' | 'replace' | 'delete' | 'patchMerge'>;
};
type ProviderResource = Wire<OAuthProviderCustomResource>;

/**
 * Reads and writes the OAuthProvider objects that Millrace's API created, and the Secret with their client
 * secrets.
 */
export function providerObjects(options: Options): ProviderObjects {
  const { client, name: secretName } = options;
  const kind = KINDS.oauthProviders;
  const read = async (canonical: string): Promise<ObjectAnswer<ProviderResource>> =>
    onlyByApi(objectAnswer(await client.get(kind, { name: canonical })));
  return {
    ...clientSecrets(options),
    read: async (canonical) => mapAnswer(await read(canonical), toProviderObject),
    async create(provider, by) {
      const spec = specOf(provider, secretName);
      const object = newObject(kind, { name: provider.canonical, by, finalizer: PROVIDER_FINALIZER, spec });
      return mapAnswer(objectAnswer(await client.create(kind, object)), toProviderObject);
    },
    async replace({ provider: { canonical, generation } }, provider, by) {
      const change = { generation, spec: specOf(provider, secretName), by };
      return mapAnswer(await replaceSpec(client, kind, { name: canonical }, change), toProviderObject);
    },
    async remove({ provider: { canonical, uid } }) {
      return objectAnswer(await client.delete(kind, { name: canonical }, uid === undefined ? {} : { uid }));
    },
  };
}

function toProviderObject({ metadata, spec }: ProviderResource): ProviderObject {
  const { name = '', uid = '', generation = 0, deletionTimestamp } = metadata;
  return {
    provider: providerOf({ name, uid, generation, spec, byApi: { changedBy: '' } }),
    deleting: deletionTimestamp !== undefined,
  };
}

function specOf(provider: StoredProvider, secretName: string): ProviderResource['spec'] {
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
