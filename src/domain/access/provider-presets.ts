import type { OAuthProvider } from './oauth-provider.ts';

/** Values that a new provider of a well-known kind starts with. The admin replaces each `{word}` in a URL. */
export interface ProviderPreset extends Pick<
  OAuthProvider,
  'type' | 'issuerUrl' | 'authUrl' | 'tokenUrl' | 'userInfoUrl' | 'usernameClaim' | 'groupsClaim'
> {
  name: string;
  displayName: string;
  scopes: readonly string[];
}

const OPENID = ['openid', 'profile', 'email'];

export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  {
    name: 'github',
    displayName: 'GitHub',
    type: 'OAuth2',
    authUrl: 'https://github.com/login/oauth/authorize',
    tokenUrl: 'https://github.com/login/oauth/access_token',
    userInfoUrl: 'https://api.github.com/user',
    scopes: ['read:user', 'user:email'],
    usernameClaim: 'login',
  },
  oidc('gitlab', 'GitLab', 'https://gitlab.com', { groupsClaim: 'groups' }),
  oidc('gitea', 'Gitea', 'https://{host}', { scopes: [...OPENID, 'groups'], groupsClaim: 'groups' }),
  oidc('forgejo', 'Forgejo', 'https://{host}', { scopes: [...OPENID, 'groups'], groupsClaim: 'groups' }),
  oidc('google', 'Google', 'https://accounts.google.com', { usernameClaim: 'email' }),
  oidc('microsoft', 'Microsoft Entra ID', 'https://login.microsoftonline.com/{tenant}/v2.0', {
    usernameClaim: 'email',
    groupsClaim: 'groups',
  }),
  oidc('keycloak', 'Keycloak', 'https://{host}/realms/{realm}', { groupsClaim: 'groups' }),
  oidc('okta', 'Okta', 'https://{domain}', { scopes: [...OPENID, 'groups'], groupsClaim: 'groups' }),
  oidc('auth0', 'Auth0', 'https://{domain}/', {}),
  oidc('authentik', 'authentik', 'https://{host}/application/o/{application}/', { groupsClaim: 'groups' }),
];

function oidc(
  name: string,
  displayName: string,
  issuerUrl: string,
  overrides: Partial<ProviderPreset>,
): ProviderPreset {
  return { name, displayName, type: 'OIDC', issuerUrl, scopes: OPENID, ...overrides };
}
