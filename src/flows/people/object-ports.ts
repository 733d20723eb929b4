import type { StoredProvider } from './oauth-ports.ts';

/**
 * The result of a read or a write of an object. `exists`: an object of this name exists. `unknown`: there is
 * no such object. `unreachable`: the request failed, but a write may have happened.
 */
export type ObjectAnswer<T = unknown> =
  | { answer: 'done'; value: T }
  | { answer: 'exists' }
  | { answer: 'unknown' }
  /** A manifest created the object, so it has to be changed there. */
  | { answer: 'managed' }
  /** The object changed after it was read. */
  | { answer: 'changed' }
  | { answer: 'refused'; message: string }
  | { answer: 'unreachable'; message: string };

export interface TeamObject {
  deleting: boolean;
  /** Why the object has no team. */
  refused?: string;
}

export interface TeamObjects {
  /** Reads an object that the API created. */
  read(name: string): Promise<ObjectAnswer<TeamObject>>;
  create(name: string, by: string): Promise<ObjectAnswer>;
  remove(name: string, by: string): Promise<ObjectAnswer>;
}

export interface ProviderObject {
  provider: StoredProvider;
  /** The deletion of the object was requested and is not finished. */
  deleting: boolean;
}

export interface ProviderObjects {
  /** Reads an object that the API created. */
  read(canonical: string): Promise<ObjectAnswer<ProviderObject>>;
  create(provider: StoredProvider, by: string): Promise<ObjectAnswer<ProviderObject>>;
  /** Writes only if the object has not changed since it was read. */
  replace(read: ProviderObject, provider: StoredProvider, by: string): Promise<ObjectAnswer<ProviderObject>>;
  remove(read: ProviderObject): Promise<ObjectAnswer>;
  /** Stores the secret under a new key and returns the key: `secretKey` of the provider. */
  saveSecret(canonical: string, secret: string): Promise<ObjectAnswer<string>>;
  deleteSecret(key: string): Promise<ObjectAnswer>;
  /**
   * Deletes the provider's secrets that were stored before this time, except the one with the key `except`.
   */
  deleteSecretsBefore(canonical: string, at: Date, except?: string): Promise<ObjectAnswer>;
}
