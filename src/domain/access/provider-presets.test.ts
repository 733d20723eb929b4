import { expect, test } from '@jest/globals';
import { providerFaults, type OAuthProvider } from './oauth-provider.ts';
import { PROVIDER_PRESETS } from './provider-presets.ts';

const fillPlaceholders = (url: string | undefined) => url?.replaceAll(/\{\w+\}/g, 'id.example.org');

test.each(PROVIDER_PRESETS.map((preset) => [preset.name, preset] as const))(
  'the preset %s is a valid provider with its placeholders filled in and a client',
  (name, preset) => {
    const { displayName, scopes, type, usernameClaim } = preset;
    expect([displayName, scopes].every((part) => part.length > 0)).toBe(true);
    expect(type === 'OIDC' ? scopes.includes('openid') : !('issuerUrl' in preset)).toBe(true);
    expect([undefined, 'login', 'email']).toContain(usernameClaim);
    const provider: OAuthProvider = { ...preset, canonical: name, clientId: 'client', enabled: true };
    for (const field of ['issuerUrl', 'authUrl', 'tokenUrl', 'userInfoUrl'] as const) {
      const url = fillPlaceholders(preset[field]);
      if (url !== undefined) provider[field] = url;
    }
    expect(providerFaults(provider)).toEqual([]);
  },
);

test('presets have different names', () => {
  expect(new Set(PROVIDER_PRESETS.map(({ name }) => name)).size).toBe(PROVIDER_PRESETS.length);
});
