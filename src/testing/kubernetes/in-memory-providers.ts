import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import type { ObjectAnswer, ProviderObject, ProviderObjects } from '#flows/people/object-ports.ts';

/**
 * OAuthProvider objects of the API in memory. `replace` raises the generation, and refuses an object that was
 * read at another generation.
 */
export class InMemoryProviders implements ProviderObjects {
  readonly objects = new Map<string, StoredProvider>();
  #count = 0;

  async read(canonical: string): Promise<ObjectAnswer<ProviderObject>> {
    const provider = this.objects.get(canonical);
    return provider === undefined ? { answer: 'unknown' } : done(provider);
  }

  async create(provider: StoredProvider): Promise<ObjectAnswer<ProviderObject>> {
    if (this.objects.has(provider.canonical)) return { answer: 'exists' };
    this.#count += 1;
    return this.#write({ ...provider, uid: `uid-${this.#count}`, generation: 1 });
  }

  async replace(read: ProviderObject, provider: StoredProvider): Promise<ObjectAnswer<ProviderObject>> {
    const existing = this.objects.get(provider.canonical);
    if (existing === undefined) return { answer: 'unknown' };
    const { uid = '', generation = 0 } = existing;
    if (uid !== read.provider.uid || generation !== read.provider.generation) return { answer: 'changed' };
    return this.#write({ ...provider, uid, generation: generation + 1 });
  }

  async remove({ provider }: ProviderObject): Promise<ObjectAnswer> {
    return this.objects.delete(provider.canonical)
      ? { answer: 'done', value: undefined }
      : { answer: 'unknown' };
  }

  async saveSecret(canonical: string): Promise<ObjectAnswer<string>> {
    this.#count += 1;
    return { answer: 'done', value: `${canonical}_${this.#count}` };
  }

  async deleteSecret(): Promise<ObjectAnswer> {
    return { answer: 'done', value: undefined };
  }

  async deleteSecretsBefore(): Promise<ObjectAnswer> {
    return { answer: 'done', value: undefined };
  }

  #write(provider: StoredProvider): ObjectAnswer<ProviderObject> {
    this.objects.set(provider.canonical, provider);
    return done(provider);
  }
}

function done(provider: StoredProvider): ObjectAnswer<ProviderObject> {
  return { answer: 'done', value: { provider, deleting: false } };
}
