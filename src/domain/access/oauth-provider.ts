/** How people sign in with somebody else's account. The client's secret is elsewhere. */
export interface OAuthProvider {
  /** In its callback address. */
  canonical: string;
  displayName?: string;
  type: 'OIDC' | 'OAuth2';
  clientId: string;
  /** Of OIDC. */
  issuerUrl?: string;
  /** Of OAuth2. */
  authUrl?: string;
  tokenUrl?: string;
  userInfoUrl?: string;
  scopes?: readonly string[];
  usernameClaim?: string;
  /** Which claim lists somebody's groups; absent: groups give nobody a role. */
  groupsClaim?: string;
  enabled: boolean;
}

const CANONICAL = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const URLS = ['issuerUrl', 'authUrl', 'tokenUrl', 'userInfoUrl'] as const;
const NEEDED: Record<OAuthProvider['type'], readonly (typeof URLS)[number][]> = {
  OIDC: ['issuerUrl'],
  OAuth2: ['authUrl', 'tokenUrl', 'userInfoUrl'],
};

/** Everything that is wrong with a definition. */
export function providerFaults(provider: OAuthProvider): string[] {
  const { canonical, type, clientId, scopes = [] } = provider;
  const needed = NEEDED[type];
  return [
    ...(CANONICAL.test(canonical)
      ? []
      : ['Its name has 1 to 63 lower-case letters, digits, dots or hyphens.']),
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
    ).map((name) => `${name} is no URL like https://id.example.org/path.`),
    ...scopes
      .filter((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      .map((scope) => `"${scope}" is no scope.`),
  ];
}

/**
 * The addresses of another origin than before. Our client's secret, or what it opens, would go there: whoever
 * only may edit the provider has to know the secret (CVE-2026-40161).
 */
export function movedAddresses(before: OAuthProvider, wanted: OAuthProvider): string[] {
  return URLS.filter((name) => originOf(before[name]) !== originOf(wanted[name]));
}

/** A URL without its path; undefined for none. */
function originOf(url: string | undefined): string | undefined {
  return url?.toLowerCase().replace(/^(https:\/\/[^/]*?)(:443)?(\/.*)?$/, '$1');
}

/** What is asked of the provider; OpenID Connect is none without `openid`. */
export function scopesOf({ type, scopes }: Pick<OAuthProvider, 'type' | 'scopes'>): string[] {
  if (type === 'OAuth2') return [...(scopes ?? [])];
  return [...new Set(['openid', ...(scopes ?? ['profile', 'email'])])];
}

/** What a provider tells of a person. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * A name for the new account, which the person may change: never more than a suggestion, and never a reason
 * to link anything. `login` is the name at the provider, `email` the part before the @.
 */
export function suggestUsername(claims: Claims, usernameClaim: string | undefined): string {
  const found = nameIn(claims, usernameClaim);
  const clean = found
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 63)
    .replace(/(?<![._-])[._-]+$/, '');
  return clean === '' ? 'user' : clean;
}

function nameIn(claims: Claims, claim: string | undefined): string {
  if (claim === 'email') return textOf(claims, 'email').split('@')[0] ?? '';
  if (claim === 'login') return textOf(claims, 'login') || textOf(claims, 'preferred_username');
  if (claim !== undefined) return textOf(claims, claim);
  return (
    textOf(claims, 'preferred_username') ||
    textOf(claims, 'login') ||
    (textOf(claims, 'email').split('@')[0] ?? '')
  );
}

export function suggestFullName(claims: Claims): string {
  return textOf(claims, 'name')
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200);
}

const MOST_GROUPS = 500;
const LONGEST_GROUP = 256;

/** The groups of somebody, as the claim lists them; what is no name of a group is left out. */
export function groupsIn(claims: Claims, groupsClaim: string | undefined): string[] {
  if (groupsClaim === undefined || !Object.hasOwn(claims, groupsClaim)) return [];
  const told = claims[groupsClaim];
  const names: unknown[] = Array.isArray(told) ? told : [told];
  const known = names.filter(
    (name): name is string => typeof name === 'string' && name !== '' && name.length <= LONGEST_GROUP,
  );
  return [...new Set(known)].toSorted().slice(0, MOST_GROUPS);
}

function textOf(claims: Claims, name: string): string {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === 'string' ? value : '';
}
