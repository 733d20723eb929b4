import type { CacheUse } from '#domain/planning/cache-volumes.ts';
import type { CacheFacts, CacheState } from '#domain/planning/decide-cache-volumes.ts';
import type { CacheStore, CacheTransaction, CacheUser } from '#flows/pods/cache-ports.ts';

/** Caches without a database. Tests set the facts. */
export class InMemoryCaches implements CacheStore {
  readonly uses = new Map<string, CacheUse[]>();
  facts: Omit<CacheFacts, 'caches'> = { fork: false, waited: false, volumes: 0 };
  states: Partial<CacheState> = {};

  async withCaches<T>(
    user: CacheUser,
    resources: readonly string[],
    work: (tx: CacheTransaction) => Promise<T>,
  ): Promise<T> {
    const caches = resources.map((resource, index) => ({
      cache: index + 1,
      generation: 1,
      resource,
      hasVolume: false,
      ...this.states,
    }));
    return await work({
      uses: async () => this.of(user),
      facts: async () => ({ ...this.facts, caches }),
      use: async (uses) => void this.uses.set(JSON.stringify(user), [...uses]),
    });
  }

  async releaseCaches(user: CacheUser): Promise<void> {
    this.uses.delete(JSON.stringify(user));
  }

  async leaveOut(user: CacheUser, left: CacheUse): Promise<void> {
    const others = this.of(user).filter(({ cache }) => cache !== left.cache);
    this.uses.set(JSON.stringify(user), [...others, left]);
  }

  of(user: CacheUser): CacheUse[] {
    return this.uses.get(JSON.stringify(user)) ?? [];
  }
}
