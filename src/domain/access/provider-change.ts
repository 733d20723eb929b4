import type { OAuthProvider } from './oauth-provider.ts';

/** What the OAuthProvider object defines beside how people sign in. */
export interface ProviderState {
  /** Name under which the client secret is stored. */
  secretKey: string;
  /** The API created its object and may change it. The API also stores its secret. */
  byApi?: boolean;
  /** UID of the object. An older generation of the object changes nothing. */
  uid?: string;
  generation?: number;
}

type Provider = OAuthProvider & ProviderState;

/** Identifies the issuer of a provider's subjects: by `issuerUrl`, otherwise by `userInfoUrl`. */
export function issuerOf({ issuerUrl, userInfoUrl }: OAuthProvider): string {
  return issuerUrl ?? userInfoUrl ?? '';
}

/** Whether a change could lock people out: it disables the provider, or changes its issuer. */
export function mayLockOut(before: OAuthProvider | undefined, after: OAuthProvider): boolean {
  return !after.enabled || (before !== undefined && issuerOf(before) !== issuerOf(after));
}

/** Decides what to store of a provider. `generation`: only the UID and generation of its object. */
export function providerChange(
  before: Provider | undefined,
  after: Provider,
): 'none' | 'generation' | 'created' | 'updated' {
  if (before === undefined) return 'created';
  if (definitionOf(before) !== definitionOf(after)) return 'updated';
  return before.uid === after.uid && before.generation === after.generation ? 'none' : 'generation';
}

/** The provider was read from an older generation of its object than `before`. */
export function isOutdated(before: Provider | undefined, { uid, generation = 0 }: Provider): boolean {
  return uid !== undefined && before?.uid === uid && (before.generation ?? 0) > generation;
}

/** The provider without the UID and generation of its object. Equal definitions give equal texts. */
function definitionOf({ byApi = false, uid: _uid, generation: _generation, ...provider }: Provider): string {
  const fields = Object.entries({ ...provider, byApi });
  return JSON.stringify(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
