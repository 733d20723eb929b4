import type { StoredProvider } from './oauth-ports.ts';

/** What the API server said of a write or a read. */
export type ObjectAnswer<T = unknown> =
  | { answer: 'done'; value: T }
  | { answer: 'exists' }
  | { answer: 'unknown' }
  /** A manifest made it: it is changed there. */
  | { answer: 'managed' }
  /** Somebody else changed it since it was read. */
  | { answer: 'changed' }
  | { answer: 'refused'; message: string }
  | { answer: 'away'; message: string };

export interface TeamObject {
  deleting: boolean;
  /** Why there is no such team in spite of its object. */
  refused?: string;
}

export interface TeamObjects {
  /** One that the API made. */
  read(name: string): Promise<ObjectAnswer<TeamObject>>;
  create(name: string, by: string): Promise<ObjectAnswer>;
  remove(name: string, by: string): Promise<ObjectAnswer>;
}

export interface ProviderObject {
  provider: StoredProvider;
  /** Its deletion is asked for, and waits. */
  deleting: boolean;
}

export interface ProviderObjects {
  /** One that the API made. */
  read(canonical: string): Promise<ObjectAnswer<ProviderObject>>;
  create(provider: StoredProvider, by: string): Promise<ObjectAnswer<ProviderObject>>;
  /** Only while it is what was read. */
  replace(read: ProviderObject, provider: StoredProvider, by: string): Promise<ObjectAnswer<ProviderObject>>;
  remove(read: ProviderObject): Promise<ObjectAnswer>;
  /** Under a name of its own, which no other secret ever has: `secretKey` of a provider. */
  keepSecret(canonical: string, secret: string): Promise<ObjectAnswer<string>>;
  dropSecret(key: string): Promise<void>;
  /** Those that were kept for the provider before then, but for one. */
  dropSecretsBefore(canonical: string, at: Date, but?: string): Promise<void>;
}
