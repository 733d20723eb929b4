import type { OAuthProvider } from './oauth-provider.ts';

/** What is stored of an OAuthProvider object besides how people sign in. */
export interface ProviderState {
  /** Key of the client secret in its Secret. */
  secretKey: string;
  /** The API created the object and may change it. The API then also stores the client secret. */
  byApi?: boolean;
  /**
   * UID of the object. `uid` and `generation` show whether a change comes from an older state of the object.
   */
  uid?: string;
  generation?: number;
}

type Provider = OAuthProvider & ProviderState;

/**
 * The URL that identifies who issues the user IDs (subjects) of a provider. Equal subjects of one issuer are
 * the same person.
 */
export function issuerOf({ issuerUrl, userInfoUrl }: OAuthProvider): string {
  return issuerUrl ?? userInfoUrl ?? '';
}

/**
 * Whether a change could lock people out, because it disables the provider or changes its issuer. `before`
 * undefined: the provider is new.
 */
export function mayLockOut(before: OAuthProvider | undefined, after: OAuthProvider): boolean {
  return !after.enabled || (before !== undefined && issuerOf(before) !== issuerOf(after));
}

/**
 * Decides what to write to the database. `generation`: only the UID and generation of the object have
 * changed.
 */
export function providerChange(
  before: Provider | undefined,
  after: Provider,
): 'none' | 'generation' | 'created' | 'updated' {
  if (before === undefined) return 'created';
  if (definitionOf(before) !== definitionOf(after)) return 'updated';
  return before.uid === after.uid && before.generation === after.generation ? 'none' : 'generation';
}

/** Whether the provider was read from an older generation of its object than `before`. */
export function isOutdated(before: Provider | undefined, { uid, generation = 0 }: Provider): boolean {
  return uid !== undefined && before?.uid === uid && (before.generation ?? 0) > generation;
}

/** The provider as text, without the UID and generation of its object. Equal definitions give equal texts. */
function definitionOf({ byApi = false, uid: _uid, generation: _generation, ...provider }: Provider): string {
  const fields = Object.entries({ ...provider, byApi });
  return JSON.stringify(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
