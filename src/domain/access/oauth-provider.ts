/** An identity provider that people sign in with. Its client secret is stored separately. */
export interface OAuthProvider {
  /** Name of the provider in the callback URL. */
  canonical: string;
  displayName?: string;
  type: 'OIDC' | 'OAuth2';
  clientId: string;
  /** Only for OIDC. */
  issuerUrl?: string;
  /** Only for OAuth2, as are `tokenUrl` and `userInfoUrl`. */
  authUrl?: string;
  tokenUrl?: string;
  userInfoUrl?: string;
  /** Scopes that Millrace requests (see `requestedScopes`). */
  scopes?: readonly string[];
  /** The claim from which Millrace suggests a user name (see `suggestUsername`). */
  usernameClaim?: string;
  /** The claim with a person's groups. Absent: the provider reports no groups. */
  groupsClaim?: string;
  enabled: boolean;
}

const CANONICAL = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const URLS = ['issuerUrl', 'authUrl', 'tokenUrl', 'userInfoUrl'] as const;
const NEEDED_URLS: Record<OAuthProvider['type'], readonly (typeof URLS)[number][]> = {
  OIDC: ['issuerUrl'],
  OAuth2: ['authUrl', 'tokenUrl', 'userInfoUrl'],
};

/** Everything that is wrong with a provider's definition, as sentences. Empty: nothing. */
export function providerFaults(provider: OAuthProvider): string[] {
  const { canonical, type, clientId, scopes = [] } = provider;
  const needed = NEEDED_URLS[type];
  return [
    ...(CANONICAL.test(canonical)
      ? []
      : ['Its name must have 1 to 63 lower-case letters, digits, dots or hyphens.']),
    ...(clientId === '' ? ['It has no client ID.'] : []),
    ...needed
      .filter((name) => provider[name] === undefined)
      .map((name) => `A provider of type ${type} needs ${name}.`),
    ...URLS.filter((name) => !needed.includes(name) && provider[name] !== undefined).map(
      (name) => `A provider of type ${type} has no ${name}.`,
    ),
    ...URLS.filter(
      (name) =>
        provider[name] !== undefined && !/^https:\/\/[^\s/@?#{}]+(\/[^\s?#{}]*)?$/.test(provider[name] ?? ''),
    ).map((name) => `${name} must be a URL like https://id.example.org/path.`),
    ...scopes
      .filter((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      .map((scope) => `"${scope}" is not a valid scope.`),
  ];
}

/**
 * Names of the fields whose URL gets another origin. Millrace sends the client secret, or tokens that it got
 * with the secret, to these origins, or sends people there to sign in. So anyone who changes an origin must
 * know the secret (CVE-2026-40161).
 */
export function changedOrigins(before: OAuthProvider, after: OAuthProvider): string[] {
  return URLS.filter((name) => originOf(before[name]) !== originOf(after[name]));
}

/** The origin of a URL, in lower case: without the path and the default port. */
function originOf(url: string | undefined): string | undefined {
  return url?.toLowerCase().replace(/^(https:\/\/[^/]*?)(:443)?(\/.*)?$/, '$1');
}

/** The scopes that Millrace requests from the provider. OpenID Connect requires `openid`. */
export function requestedScopes({ type, scopes }: Pick<OAuthProvider, 'type' | 'scopes'>): string[] {
  if (type === 'OAuth2') return [...(scopes ?? [])];
  return [...new Set(['openid', ...(scopes ?? ['profile', 'email'])])];
}

/** What a provider reports about a person, by the name of the claim. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Suggests a valid user name for a new account. The person may change it. An account with the same name is
 * never linked because of it. If `usernameClaim` is `login`, the suggestion comes from the claim `login` or,
 * if it is missing, from `preferred_username`. If it is `email`, it comes from the part of the email address
 * before the @. If it names another claim, the suggestion comes from the text of that claim. If it is
 * undefined, the suggestion comes from the first of `preferred_username`, `login` and `email` that the
 * provider reports.
 */
export function suggestUsername(claims: Claims, usernameClaim: string | undefined): string {
  const claimed = claimedName(claims, usernameClaim);
  const suggestion = claimed
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 63)
    .replace(/(?<![._-])[._-]+$/, '');
  return suggestion === '' ? 'user' : suggestion;
}

function claimedName(claims: Claims, claim: string | undefined): string {
  if (claim === 'email') return stringClaim(claims, 'email').split('@')[0] ?? '';
  if (claim === 'login') return stringClaim(claims, 'login') || stringClaim(claims, 'preferred_username');
  if (claim !== undefined) return stringClaim(claims, claim);
  return (
    stringClaim(claims, 'preferred_username') ||
    stringClaim(claims, 'login') ||
    (stringClaim(claims, 'email').split('@')[0] ?? '')
  );
}

/** Suggests a full name for a new account. Empty: the provider reports none. */
export function suggestFullName(claims: Claims): string {
  return stringClaim(claims, 'name')
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200);
}

const MAX_GROUPS = 500;
const MAX_GROUP_NAME_CHARACTERS = 256;

/**
 * The names of a person's groups from the claim `groupsClaim`: at most `MAX_GROUPS`, sorted, each once.
 * Values that are not texts, empty or too long are left out.
 */
export function groupsIn(claims: Claims, groupsClaim: string | undefined): string[] {
  if (groupsClaim === undefined || !Object.hasOwn(claims, groupsClaim)) return [];
  const claim = claims[groupsClaim];
  const names: unknown[] = Array.isArray(claim) ? claim : [claim];
  const validNames = names.filter(
    (name): name is string =>
      typeof name === 'string' && name !== '' && name.length <= MAX_GROUP_NAME_CHARACTERS,
  );
  return [...new Set(validNames)].toSorted().slice(0, MAX_GROUPS);
}

/** The text of the claim. Empty: the claim is missing or not a string. */
function stringClaim(claims: Claims, name: string): string {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === 'string' ? value : '';
}
