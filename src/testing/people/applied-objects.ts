import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import type {
  ObjectAnswer,
  ProviderObject,
  ProviderObjects,
  TeamObjects,
} from '#flows/people/object-ports.ts';
import type { ApiObjects } from '#flows/pipelines/object-ports.ts';
import type { TestStores } from '#testing/stores/stores.ts';

const unknown = async () => ({ answer: 'unknown' as const });

/**
 * Team objects that take effect at once, as if an operator had applied them, and OAuthProvider objects that
 * are only kept in memory.
 */
export function appliedObjects(stores: Pick<TestStores, 'teams'>): ApiObjects {
  return {
    teams: teamObjects(stores),
    providers: providerObjects(),
    pipelines: { read: unknown, create: unknown, replace: unknown, remove: unknown },
  };
}

function teamObjects({ teams }: Pick<TestStores, 'teams'>): TeamObjects {
  const created = new Set<string>();
  return {
    async read(name) {
      return created.has(name) ? { answer: 'done', value: { deleting: false } } : { answer: 'managed' };
    },
    async create(name, by) {
      if (created.has(name)) return { answer: 'exists' };
      created.add(name);
      await teams.saveTeam({ name, namespace: name, byApi: { changedBy: by } });
      return { answer: 'done', value: undefined };
    },
    async remove(name) {
      if (!created.delete(name)) return { answer: 'managed' };
      await teams.removeTeam(name);
      return { answer: 'done', value: undefined };
    },
  };
}

function providerObjects(): ProviderObjects {
  const providers = new Map<string, StoredProvider>();
  let secrets = 0;
  const read = (canonical: string): ObjectAnswer<ProviderObject> => {
    const provider = providers.get(canonical);
    return provider === undefined
      ? { answer: 'managed' }
      : { answer: 'done', value: { provider, deleting: false } };
  };
  const write = (provider: StoredProvider): ObjectAnswer<ProviderObject> => {
    providers.set(provider.canonical, provider);
    return { answer: 'done', value: { provider, deleting: false } };
  };
  return {
    read: async (canonical) => read(canonical),
    create: async (provider) => (providers.has(provider.canonical) ? { answer: 'exists' } : write(provider)),
    replace: async (_, provider) => write(provider),
    async remove({ provider }) {
      providers.delete(provider.canonical);
      return { answer: 'done', value: undefined };
    },
    async saveSecret() {
      secrets += 1;
      return { answer: 'done', value: `secret-${secrets}` };
    },
    deleteSecret: async () => ({ answer: 'done', value: undefined }),
    deleteSecretsBefore: async () => ({ answer: 'done', value: undefined }),
  };
}
