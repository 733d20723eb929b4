import type { OAuthProvider } from './oauth-provider.ts';

/** What a provider's object says beside how people sign in. */
export interface ProviderState {
  /** Names the secret of our client. */
  secretKey: string;
  /** The API made its object, and may change it; its secret is among those that the API keeps. */
  byApi?: boolean;
  /** Of the object that says so: an older state of it changes nothing. */
  uid?: string;
  generation?: number;
}

type Provider = OAuthProvider & ProviderState;

/** Whose subjects a provider names. A provider without an issuer is known by what describes its users. */
export function issuerOf({ issuerUrl, userInfoUrl }: OAuthProvider): string {
  return issuerUrl ?? userInfoUrl ?? '';
}

/** Only a provider that is disabled, or speaks for another issuer, could lock people out. */
export function mayLockOut(before: OAuthProvider | undefined, wanted: OAuthProvider): boolean {
  return !wanted.enabled || (before !== undefined && issuerOf(before) !== issuerOf(wanted));
}

/** What there is to write. `state`: only which state of its object was read. */
export function providerChange(
  before: Provider | undefined,
  wanted: Provider,
): 'none' | 'state' | 'created' | 'updated' {
  if (before === undefined) return 'created';
  if (definitionOf(before) !== definitionOf(wanted)) return 'updated';
  return before.uid === wanted.uid && before.generation === wanted.generation ? 'none' : 'state';
}

/** The provider was read from an older state of its object than the one before. */
export function isOutdated(before: Provider | undefined, { uid, generation = 0 }: Provider): boolean {
  return uid !== undefined && before?.uid === uid && (before.generation ?? 0) > generation;
}

/** How people sign in with it, and who may change it, as a text that is the same for the same. */
function definitionOf({ byApi = false, uid: _uid, generation: _generation, ...provider }: Provider): string {
  const fields = Object.entries({ ...provider, byApi });
  return JSON.stringify(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
